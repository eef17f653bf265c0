// Opens whatever the user may name as a workload.
#pragma once

#include <string>

#include "trace/workload.hpp"

namespace wg::app {

/// A trace by path, or a builder kernel by kernel:URI for `sm_version`. Throws wg::Error.
trace::Workload open_workload(const std::string& name, std::uint32_t sm_version);

}  // namespace wg::app
