// Managed memory in reports: what its faults did, by kernel and object, and what moved when.
#pragma once

#include <string>

#include "gpu/result.hpp"

namespace wg::report {

/// Rows for the text of a kernel or a run.
std::string uvm_block(const host::uvm::UvmReport& report);

/// The section of the HTML page: a lane of migrations over time, tables by kernel and by object. Empty for a
/// run without managed memory.
std::string uvm_html(const gpu::RunResult& result);

/// A line of column names, then a line per kernel and step of its migration timeline: kernel (its 1-based
/// place), begin_us, end_us, batches, faults (entries), pages_in_fault, pages_in_prefetch,
/// pages_out_eviction, service_us.
std::string migrations_csv(const gpu::RunResult& result);

}  // namespace wg::report
