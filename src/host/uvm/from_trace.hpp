// Turns a kernel trace into a page stream.
#pragma once

#include <cstdint>

#include "host/uvm/event.hpp"
#include "trace/workload.hpp"

namespace wg::host::uvm {

struct FromTraceOptions {
  std::uint64_t gap_ns = 10;  ///< between two accesses
  std::uint32_t ctas = 64;    ///< CTAs that run side by side: their instructions take turns
};

/// Objects are the ranges that copies wrote or read, then pages touched outside them, merged where less than
/// 2 MiB lies between; found in a first pass over the trace. Each warp instruction on global memory touches
/// its pages once; a page that the same warp touched just before is left out. Copies themselves are left out:
/// managed memory does without. Throws wg::Error as the trace's reader does, or when no page is touched.
void stream_from_trace(const trace::Workload& workload, const FromTraceOptions& options, EventSink& out);

}  // namespace wg::host::uvm
