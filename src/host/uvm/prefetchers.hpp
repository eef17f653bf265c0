// Factories of the prefetchers, one a file or tight group. Private to the table in prefetcher.cpp.
#pragma once

#include "host/uvm/prefetcher.hpp"

namespace wg::host::uvm {

std::unique_ptr<Prefetcher> make_none(const PartContext& context);         ///< 4 KiB on demand
std::unique_ptr<Prefetcher> make_sequential(const PartContext& context);   ///< the fault's leaf (UVMSmart)
std::unique_ptr<Prefetcher> make_window(const PartContext& context);       ///< the pages that follow
std::unique_ptr<Prefetcher> make_random(const PartContext& context);       ///< one more page (UVMSmart)
std::unique_ptr<Prefetcher> make_whole_block(const PartContext& context);  ///< all 2 MiB
std::unique_ptr<Prefetcher> make_tbn(const PartContext& context);          ///< the published tree rule
std::unique_ptr<Prefetcher> make_tbn_driver(const PartContext& context);   ///< NVIDIA's
std::unique_ptr<Prefetcher> make_forest(const PartContext& context);       ///< a tree per object's pattern
std::unique_ptr<Prefetcher> make_oracle(const PartContext& context);       ///< what will be used next

}  // namespace wg::host::uvm
