// How long copies over the host link take.
#pragma once

#include <cstdint>
#include <span>

#include "config/uvm.hpp"
#include "host/uvm/page_mask.hpp"

namespace wg::host::uvm {

/// One copy of `pages`, in picoseconds. affine: a fixed cost plus bytes over the rate, fitted to nvprof
/// records of a GTX 1080 Ti; curve: UVMSmart's rate, which nears its peak as an arctangent of the size.
std::uint64_t copy_ps(const config::UvmConfig& config, std::uint64_t pages, bool to_device);
/// One after another.
std::uint64_t copies_ps(const config::UvmConfig& config, std::span<const PageRun> runs, bool to_device);

}  // namespace wg::host::uvm
