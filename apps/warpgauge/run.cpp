#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

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
#include "report/split_text.hpp"
#include "report/state.hpp"
#include "report/text.hpp"
#include "report/trace_text.hpp"
#include "report/uvm.hpp"

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
  [[nodiscard]] bool on() const { return on_; }
  void show(const gpu::Progress& progress, double seconds) {
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    fmt::print(stderr, "\r\033[K{}",
               report::progress_line(progress, seconds, known ? size.ws_col - 1U : 79U));
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
};

/// No output may replace an input or another output, and all must be writable.
void check_outputs(const RunArguments& a, const trace::Workload& workload, std::vector<std::string> inputs,
                   const config::Machine& machine) {
  inputs.insert(inputs.end(), workload.files.begin(), workload.files.end());
  inputs.push_back(machine.cdma.densities == "none" ? "" : machine.cdma.densities);
  std::vector<std::string> outputs{a.json, a.html, a.timeline, a.migrations};
  if (!a.json.empty()) {
    outputs.push_back(report::state_path(a.json));
  }
  if (!a.resume.empty() && !same_file(a.resume, a.json)) {  // in the same file is the usual way
    inputs.insert(inputs.end(), {a.resume, report::state_path(a.resume)});
  }
  refuse_files_in_use(inputs, outputs);
  for (const std::string& path : {a.json, a.html, a.timeline, a.migrations}) {
    if (!path.empty()) {
      report::require_writable(path);
    }
  }
}

/// The text first: a disk that is full must not cost the answer.
void publish(gpu::RunResult& result, report::Keeper& keeper, const RunArguments& a) {
  keeper.stamp(result);
  if (!a.quiet) {
    print(report::text(result, output_style(a.verbose)));
  }
  keeper.finish(result);
  if (!a.timeline.empty()) {
    report::write_file(a.timeline, report::timeline_csv(result));
  }
  if (!a.migrations.empty()) {
    report::write_file(a.migrations, report::migrations_csv(result));
  }
  if (!a.html.empty()) {
    report::write_file(a.html, report::html(result));
  }
}

gpu::RunOptions options_of(const RunArguments& a, const report::Settings& settings, report::Keeper& keeper,
                           ProgressLine& line, gpu::SplitEstimate& split) {
  gpu::RunOptions options;
  const std::uint32_t cores = std::max(1U, std::thread::hardware_concurrency());
  options.threads = a.threads != 0 ? a.threads : cores;
  if (options.threads > cores && !a.quiet) {
    fmt::print(stderr, "note: --threads {} on {} cores: the results are the same, the run is slower\n",
               options.threads, cores);
  }
  if (a.estimate_threads) {
    options.threads = 1;
    options.split = &split;
  }
  options.kernels = settings.kernels;
  options.max_cycles = settings.max_cycles;
  options.cold = settings.cold;
  options.timeline_cycles = settings.timeline_cycles;
  options.profile_size = settings.profile_size;
  options.stop = &stop_on_signals();
  if (line.on()) {
    options.progress = [&](const gpu::Progress& progress) { line.show(progress, keeper.seconds()); };
  }
  options.keep_state = !a.json.empty();
  options.checkpoint = [&keeper](const gpu::RunResult& result, std::span<const std::uint8_t> state) {
    keeper.take(result, state);
  };
  return options;
}

/// Runs; when that fails, what was finished by then is published before the error goes on.
gpu::RunResult simulate(const config::Machine& machine, const trace::Workload& workload,
                        const RunArguments& a, const gpu::RunOptions& options, const gpu::Resume* resume,
                        report::Keeper& keeper, ProgressLine& line) {
  try {
    gpu::RunResult result = gpu::run(machine, workload, options, resume);
    line.clear();
    return result;
  } catch (const Error& error) {
    line.clear();
    gpu::RunResult result = keeper.finished(error.code() == ExitCode::deadlock ? "deadlock" : "error");
    if (!result.kernels.empty()) {
      publish(result, keeper, a);
    }
    throw;
  }
}

}  // namespace

int run(const RunArguments& a) {
  const config::LoadedMachine loaded = config::load(a.gpu, a.overrides, machine_places());
  const config::Machine& machine = loaded.machine;
  const trace::Workload workload = open_workload(a.workload, machine.sm_version);
  const report::Settings settings = settings_of(a);
  report::check_selection(settings.kernels, report::kernels_of(workload).size());
  gpu::Resume resume;
  report::Keeper keeper(a.json, settings, WG_VERSION, a.command);
  if (!a.resume.empty()) {
    const report::Asked asked{fmt::format("{:016x}", config::machine_hash(machine)),
                              fmt::format("{:016x}", workload.hash), settings};
    resume = report::load_resume(a.resume, asked, gpu::dictionary());
    keeper.begin_from(resume);
  }
  check_outputs(a, workload, loaded.files, machine);
  if (!a.migrations.empty() && !machine.uvm.enable) {
    throw Error({.where = "--migrations",
                 .expected = "managed memory",
                 .found = "none",
                 .advice = "--set uvm.enable=true"},
                ExitCode::usage);
  }
  ProgressLine line(!a.quiet);
  gpu::SplitEstimate split(a.estimate_threads ? gpu::measured_meeting() : 0);
  const gpu::RunOptions options = options_of(a, settings, keeper, line, split);
  gpu::RunResult result = simulate(machine, workload, a, options,
                                   resume.finished.kernels.empty() ? nullptr : &resume, keeper, line);
  publish(result, keeper, a);
  if (a.estimate_threads) {
    print(report::text(split));
  }
  return static_cast<int>(result.complete ? ExitCode::ok : ExitCode::stopped);
}

}  // namespace wg::app
