// Ctrl-C and SIGTERM ask a run to stop cleanly; a second Ctrl-C ends the program at once.
#pragma once

#include <atomic>

namespace wg::app {

/// Installs the handlers and returns the flag they set. Signal handlers can reach nothing but a static.
const std::atomic<bool>& stop_on_signals();

}  // namespace wg::app
