// What a run was asked to do: the part of the command line that decides its results.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wg::report {

struct Settings {
  std::vector<std::uint64_t> kernels;  ///< 1-based places, ascending, unique; empty = all
  bool cold = false;
  std::uint64_t max_cycles = 0;       ///< 0 = no limit
  std::uint64_t timeline_cycles = 0;  ///< 0 = no timeline
  std::uint64_t profile_size = 10;    ///< program counters kept per kernel
};

/// "3,5-9" -> 3 5 6 7 8 9, sorted and unique. Throws wg::Error (usage) naming the part that is wrong.
std::vector<std::uint64_t> parse_selection(std::string_view text);
/// Throws wg::Error (usage) when a selected place is beyond the `count` kernels of the workload.
void check_selection(const std::vector<std::uint64_t>& kernels, std::uint64_t count);
/// The inverse, in its shortest form; "all" for an empty list.
std::string selection_text(const std::vector<std::uint64_t>& kernels);

}  // namespace wg::report
