// Pieces that the text of a kernel and of a run share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/text.hpp"

namespace wg::report {

/// A title over its own line, bold where colour is on.
std::string heading(std::string_view title, const Style& style);
std::string section(std::string_view title, const Style& style);
/// A sentence broken at blanks to `columns`, indented by two, further lines by four.
std::string wrapped(std::string_view sentence, std::size_t columns);
/// Issue slots by reason with bars; the last line is their sum.
std::string slots_block(const sm::StallCycles& slots, std::uint64_t issued, std::uint64_t all,
                        const Style& style);
/// Rows of memory_rows; empty without memory traffic.
std::string memory_block(std::span<const CounterValue> counters, std::uint64_t time_ps);

}  // namespace wg::report
