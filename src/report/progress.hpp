// The line that tells how far a run is.
#pragma once

#include <cstddef>
#include <string>

#include "gpu/simulation.hpp"

namespace wg::report {

/// "kernel 3/16 bfs_kernel  CTAs 512/4,096  1.2 Mcycles/s  345 kwarp-inst/s  ETA 12 s", cut to `columns`. The
/// time left takes every kernel to cost what the finished part did on average, counting CTAs in the running
/// one.
std::string progress_line(const gpu::Progress& progress, double seconds, std::size_t columns);

/// Seconds left by that rule; negative when nothing is done yet.
double seconds_left(const gpu::Progress& progress, double seconds);

}  // namespace wg::report
