// Opening a trace without giving up at its first missing part.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "trace/workload.hpp"

namespace wg::trace {

struct Opened {
  Workload workload;              ///< what can be read
  std::vector<Problem> problems;  ///< what cannot: `open_trace` throws these
};

/// Throws wg::Error only where there is nothing to open at all.
Opened open_readable(const std::string& path);

}  // namespace wg::trace
