// Factories of the evictors. Private to the table in evictor.cpp.
#pragma once

#include "host/uvm/evictor.hpp"

namespace wg::host::uvm {

std::unique_ptr<Evictor> make_driver_evictor(const PartContext& context);  ///< least recently faulted block
std::unique_ptr<Evictor> make_lru(const PartContext& context);             ///< least recently accessed block
std::unique_ptr<Evictor> make_tbne(const PartContext& context);            ///< tree (ISCA 2019, UVMSmart)
std::unique_ptr<Evictor> make_sequential_local(const PartContext& context);  ///< leaf (UVMSmart)
std::unique_ptr<Evictor> make_lru_page(const PartContext& context);          ///< 4 KiB
std::unique_ptr<Evictor> make_random_page(const PartContext& context);       ///< 4 KiB
std::unique_ptr<Evictor> make_forest_evictor(
    const PartContext& context);                                   ///< object out of use, or oldest leaf
std::unique_ptr<Evictor> make_belady(const PartContext& context);  ///< 4 KiB used farthest ahead

}  // namespace wg::host::uvm
