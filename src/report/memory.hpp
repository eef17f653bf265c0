// The memory system of a kernel or a run, as rows for text and HTML.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/stats.hpp"

namespace wg::report {

/// One line; empty fields do not apply.
struct MemoryRow {
  std::string what;         ///< "L2 loads"
  std::string amount;       ///< "12,345 sectors"
  std::string hits;         ///< "87.1 %"
  std::string per_request;  ///< sectors per request
  std::string note;         ///< "1.20 conflicts per access", "412.3 GB/s"
};

/// Rows of every part of the memory system that was used. `time_ps` is what rates are taken over.
std::vector<MemoryRow> memory_rows(std::span<const CounterValue> counters, std::uint64_t time_ps);

/// Every counter name that memory_rows looks up, to be held against the dictionary.
std::vector<std::string_view> memory_names();

}  // namespace wg::report
