#include "kernels/micro.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace wg::kernels {

Argument warps_argument(std::uint64_t fallback) {
  return integer("warps", fallback, 1, 32, "warps", "warps of a CTA");
}

Argument ctas_argument(std::uint64_t fallback) {
  return integer("ctas", fallback, 1, 65'536, "CTAs", "grid size");
}

Argument unroll_argument(std::uint64_t fallback) {
  return integer("unroll", fallback, 1, 65'536, "operations", "operations in the body of the loop");
}

Argument iterations_argument(std::uint64_t fallback) {
  return integer("iterations", fallback, 1, 1'000'000, "rounds", "rounds of the loop");
}

std::uint64_t steps_of_warp(const Arguments& arguments) {
  return arguments.number("unroll") * arguments.number("iterations");
}

void check_records(std::uint64_t records) {
  if (records > kMostRecords) {
    throw Error(Problem{"kernel", fmt::format("at most {} warp instructions in a CTA", kMostRecords),
                        std::to_string(records), "make it shorter, or use fewer warps and more CTAs"});
  }
}

}  // namespace wg::kernels
