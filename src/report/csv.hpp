// The timeline as comma-separated values.
#pragma once

#include <string>

#include "gpu/result.hpp"

namespace wg::report {

/// A line of column names, then a line per interval and kernel: kernel (its 1-based place), name,
/// begin_cycle, end_cycle, then the counters by their dictionary names. Kernels without intervals give no
/// lines.
std::string timeline_csv(const gpu::RunResult& result);

}  // namespace wg::report
