// Arguments that the microbenchmarks share, so that a word means the same in all of them.
#pragma once

#include "kernels/arguments.hpp"

namespace wg::kernels {

Argument warps_argument(std::uint64_t fallback);
Argument ctas_argument(std::uint64_t fallback = 1);
/// Operations in the body of the loop, and rounds of the loop: a warp executes their product.
Argument unroll_argument(std::uint64_t fallback);
Argument iterations_argument(std::uint64_t fallback);

/// unroll * iterations.
std::uint64_t steps_of_warp(const Arguments& arguments);

/// A CTA is decoded as a whole, so its records must fit memory.
inline constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 27;
/// Throws wg::Error when a CTA of `records` records would be too long.
void check_records(std::uint64_t records);

}  // namespace wg::kernels
