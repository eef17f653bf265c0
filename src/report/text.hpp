// The text answer: how many cycles, and why.
#pragma once

#include <cstddef>
#include <string>

#include "gpu/result.hpp"

namespace wg::report {

struct Style {
  bool colour = false;   ///< ANSI sequences
  bool unicode = false;  ///< block characters in bars
  bool verbose = false;  ///< details of every kernel, not only of the few
  std::size_t columns = 100;
};

/// Everything about one kernel. `count` is the number of kernels of the run.
std::string kernel_text(const gpu::KernelResult& kernel, std::size_t count, std::uint64_t clock_hz,
                        const Style& style);
/// A line per kernel.
std::string kernels_text(const gpu::RunResult& result);
/// The whole result: details of up to three kernels (of all when verbose), a line each for more, totals,
/// copies, warnings and what the simulation cost.
std::string text(const gpu::RunResult& result, const Style& style);

}  // namespace wg::report
