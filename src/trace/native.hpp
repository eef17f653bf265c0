// Warpgauge's own trace file (.wgt): a whole workload in binary columns, seekable to any CTA.
#pragma once

#include <memory>
#include <string>

#include "trace/workload.hpp"

namespace wg::trace {
namespace native {
class FileBytes;
}

/// True if the file's name or first bytes say that it is a native trace.
bool is_native(const std::string& path);

/// Maps the file and checks head, footer and kernel headers; the rest is checked when it is decoded. CTAs can
/// be decoded in any order: a CtaBlob needs no more than its `number`. The file must not change while it is
/// open. Throws wg::Error (file@offset).
Workload open_native(const std::string& path);
Workload native_workload(const std::shared_ptr<const native::FileBytes>& file);

struct NativeWriteOptions {
  /// A section is packed where that leaves 1/pack_from or less of it: unpacking takes longest where it saves
  /// least. 0: never. Other values than the default are for tests.
  unsigned pack_from = 4;
};

/// Writes everything that `workload` holds, one CTA in memory at a time; `path` appears when it is complete.
/// Throws wg::Error, also where a kernel has not exactly the CTAs of its grid.
void write_native(const Workload& workload, const std::string& path, const NativeWriteOptions& options = {});

}  // namespace wg::trace
