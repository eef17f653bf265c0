#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "gpu/simulation.hpp"
#include "interrupt.hpp"
#include "open.hpp"
#include "options.hpp"
#include "places.hpp"
#include "report/csv.hpp"
#include "report/files.hpp"
#include "report/html.hpp"
#include "report/keeper.hpp"
#include "report/progress.hpp"
#include "report/text.hpp"
#include "report/trace_text.hpp"

namespace wg::app {
namespace {

report::Settings settings_of(const RunArguments& a) {
  report::Settings settings;
  if (!a.kernels.empty()) {
    settings.kernels = report::parse_selection(a.kernels);
  }
  settings.cold = a.cold;
  settings.max_cycles = a.max_cycles;
  settings.timeline_cycles = a.timeline.empty() ? 0 : a.interval;
  settings.profile_size = a.top;
  return settings;
}

/// The line on a terminal's stderr; silent elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted) : on_(wanted && isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  [[nodiscard]] bool on() const { return on_; }
  void show(const gpu::Progress& progress) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    fmt::print(stderr, "\r\033[K{}",
               report::progress_line(progress, passed.count(), known ? size.ws_col - 1U : 79U));
    shown_ = true;
  }
  void clear() {
    if (shown_) {
      fmt::print(stderr, "\r\033[K");
      shown_ = false;
    }
  }

 private:
  bool on_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void publish(const gpu::RunResult& result, const RunArguments& a) {
  if (!a.timeline.empty()) {
    report::write_file(a.timeline, report::timeline_csv(result));
  }
  if (!a.html.empty()) {
    report::write_file(a.html, report::html(result));
  }
  if (!a.quiet) {
    print(report::text(result, output_style(a.verbose)));
  }
}

}  // namespace

int run(const RunArguments& a) {
  const config::Machine machine = config::load_machine(a.gpu, a.overrides, machine_places());
  const trace::Workload workload = open_workload(a.workload, machine.sm_version);
  const report::Settings settings = settings_of(a);
  report::check_selection(settings.kernels, report::kernels_of(workload).size());
  std::optional<gpu::Resume> resume;
  report::Keeper keeper(a.json, settings, WG_VERSION, a.command);
  if (!a.resume.empty()) {
    const report::Asked asked{fmt::format("{:016x}", config::machine_hash(machine)),
                              fmt::format("{:016x}", workload.hash), settings};
    resume = report::load_resume(a.resume, asked, gpu::dictionary());
    keeper.begin_from(*resume);
  }
  ProgressLine line(!a.quiet);
  gpu::RunOptions options;
  options.threads = a.threads != 0 ? a.threads : std::max(1U, std::thread::hardware_concurrency());
  options.kernels = settings.kernels;
  options.max_cycles = settings.max_cycles;
  options.cold = settings.cold;
  options.timeline_cycles = settings.timeline_cycles;
  options.profile_size = settings.profile_size;
  options.stop = &stop_on_signals();
  if (line.on()) {
    options.progress = [&line](const gpu::Progress& progress) { line.show(progress); };
  }
  options.checkpoint = [&keeper](const gpu::RunResult& result, std::span<const std::uint8_t> state) {
    keeper.take(result, state);
  };
  try {
    const gpu::RunResult result =
        keeper.finish(gpu::run(machine, workload, options, resume ? &*resume : nullptr));
    line.clear();
    publish(result, a);
    return static_cast<int>(result.complete ? ExitCode::ok : ExitCode::stopped);
  } catch (const Error& error) {
    line.clear();
    const gpu::RunResult result = keeper.fail(error.code() == ExitCode::deadlock ? "deadlock" : "error");
    if (!result.kernels.empty()) {
      publish(result, a);
    }
    throw;
  }
}

}  // namespace wg::app
