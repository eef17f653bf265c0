#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "base/error.hpp"

namespace wg::app {
namespace {

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

extern "C" void ask_to_stop(int /*signal*/) { stop_asked.store(true, std::memory_order_relaxed); }

extern "C" void end(int /*signal*/) {
  constexpr std::string_view kText = "warpgauge: interrupted\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
  _exit(static_cast<int>(ExitCode::stopped));
}

void install(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

void end_on_signals() { install(end); }

const std::atomic<bool>& stop_on_signals() {
  install(ask_to_stop);
  return stop_asked;
}

}  // namespace wg::app
