// Ctrl-C and SIGTERM end every command with exit code 4: most at once, those with something to keep or to
// clean up when they have seen a flag; a second Ctrl-C ends these at once too.
#pragma once

#include <atomic>

namespace wg::app {

/// From now on a signal ends the program at once.
void end_on_signals();

/// Installs the handlers and returns the flag they set. Signal handlers can reach nothing but a static.
const std::atomic<bool>& stop_on_signals();

}  // namespace wg::app
