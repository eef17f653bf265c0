// Writing workloads in another form than they came in.
#pragma once

#include <cstdint>
#include <string>

#include "trace/workload.hpp"

namespace wg::trace {

/// Write what `workload` holds, one CTA in memory at a time: kernelslist.g and kernel-N.traceg (grouped text)
/// or kernel-N.tracez (the same lines in zstd chunks) into `folder`, which is new or empty. `version`: the
/// tracer's, see `written_version`. Throw wg::Error.
void write_text(const Workload& workload, const std::string& folder, std::uint32_t version = 0);
void write_tracez(const Workload& workload, const std::string& folder, std::uint32_t version = 0);

/// Writes the form that the end of `out` names: "x.wgt" a native trace, "x.tracez" a folder of .tracez files,
/// any other name a folder of text.
void convert(const Workload& workload, const std::string& out, std::uint32_t version = 0);

}  // namespace wg::trace
