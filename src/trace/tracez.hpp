// The container of Accel-Sim 2.0 (.tracez): one kernel's text in zstd chunks.
#pragma once

#include <memory>
#include <string>

#include "trace/workload.hpp"

namespace wg::trace {
namespace native {
class FileBytes;
}

/// Maps the file and checks header and places. Throws wg::Error; file@offset for the container, file:line for
/// its text, counted as if it were unpacked, from the first CTA on.
std::shared_ptr<const Kernel> open_tracez(const std::string& path);
std::shared_ptr<const Kernel> tracez_kernel(std::shared_ptr<const native::FileBytes> file);

}  // namespace wg::trace
