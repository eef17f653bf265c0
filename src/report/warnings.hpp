// Warnings for reading: said once, however many kernels they concern.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu/result.hpp"

namespace wg::report {

/// The warnings of a run in order of first appearance. "kernel 7: text" of several kernels becomes
/// "16 kernels, first 7: text".
std::vector<std::string> distinct_warnings(const gpu::RunResult& result);
std::vector<std::string> distinct_warnings(std::span<const std::string> warnings);

}  // namespace wg::report
