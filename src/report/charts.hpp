// Charts of the HTML report, each a complete inline SVG element.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.hpp"

namespace wg::report {

/// One horizontal bar of shares that sum to one.
struct StackedRow {
  std::string label;
  std::string note;  ///< printed right of the bar
  sm::StallCycles slots{};
  std::uint64_t issued = 0;
  std::uint64_t all = 0;
};

/// Issue slots by reason, one bar a row, with a legend of the reasons that occur.
std::string stacked_chart(const std::vector<StackedRow>& rows);

/// How much of each limit was used; limits that were not touched are left out.
std::string limits_chart(const std::vector<gpu::Limit>& limits);

/// A small chart per counter over the kernels' cycles, kernels side by side with a line between them. Empty
/// without intervals.
std::string timeline_charts(const gpu::RunResult& result);

/// "#rrggbb" of a reason; index sm::kStalls is "issued".
std::string_view slot_colour(std::size_t reason);

}  // namespace wg::report
