// What more threads of the computer would bring, as text.
#pragma once

#include <string>

#include "gpu/split.hpp"

namespace wg::report {

/// A line per number of threads, and what the estimate rests on.
std::string text(const gpu::SplitEstimate& split);

}  // namespace wg::report
