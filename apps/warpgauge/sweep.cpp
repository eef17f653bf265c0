#include "report/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "interrupt.hpp"
#include "open.hpp"
#include "options.hpp"
#include "places.hpp"
#include "report/files.hpp"
#include "report/settings.hpp"
#include "report/trace_text.hpp"
#include "study/plan.hpp"
#include "study/sweep.hpp"

namespace wg::app {
namespace {

using study::State;

/// The machines of all points; a point without one has failed, unless none has: then the first error is
/// thrown.
std::vector<config::Machine> machines_of(const SweepArguments& a, report::SweepReport& report,
                                         std::set<std::string>& files) {
  std::vector<config::Machine> machines(report.points.size());
  std::optional<Error> first;
  std::size_t good = 0;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const study::Point& point = report.points[i];
    const bool several = report.of_several_machines();
    const std::string gpu = several ? point[0].substr(point[0].find('=') + 1) : a.gpu;
    std::vector<std::string> overrides = a.overrides;
    overrides.insert(overrides.end(), point.begin() + (several ? 1 : 0), point.end());
    try {
      config::LoadedMachine loaded = config::load(gpu, overrides, machine_places());
      machines[i] = std::move(loaded.machine);
      files.insert(loaded.files.begin(), loaded.files.end());
      files.insert(machines[i].cdma.densities == "none" ? "" : machines[i].cdma.densities);
      report.machine_hashes[i] = fmt::format("{:016x}", config::machine_hash(machines[i]));
      ++good;
    } catch (const Error& error) {
      report.outcomes[i].state = State::failed;
      report.outcomes[i].error = error.what();
      first = first ? first : error;
    }
  }
  if (good == 0) {
    throw Error(*first);
  }
  return machines;
}

/// The axis of machines, when there are several. Each must exist: a name that none has is a mistake, not a
/// point that failed.
void add_machines(const std::string& gpus, std::vector<study::Axis>& axes) {
  if (gpus.find(',') == std::string::npos) {
    return;
  }
  study::Axis machines{report::kMachines, {}};
  for (const std::string_view gpu : cells_of(gpus)) {
    if (gpu.empty()) {
      throw Error({.where = "--gpu", .expected = "NAME,NAME", .found = fmt::format("\"{}\"", gpus)},
                  ExitCode::usage);
    }
    machines.values.emplace_back(gpu);
    static_cast<void>(config::load(machines.values.back(), {}, machine_places()));
  }
  axes.push_back(std::move(machines));
}

report::SweepReport report_of(const SweepArguments& a) {
  report::SweepReport report;
  report.version = WG_VERSION;
  report.command = a.command;
  report.gpu = a.gpu;
  report.workload = a.workload;
  report.cold = a.cold;
  if (!a.kernels.empty()) {
    report.kernels = report::parse_selection(a.kernels);
  }
  add_machines(a.gpu, report.axes);
  for (const std::string& axis : a.axes) {
    report.axes.push_back(study::parse_axis(axis));
    for (const std::string& override : a.overrides) {
      if (trimmed(override.substr(0, override.find('='))) == report.axes.back().key) {
        throw Error({.where = "--vary",
                     .expected = "a key that --set does not give",
                     .found = fmt::format("\"{}\" in both", report.axes.back().key)},
                    ExitCode::usage);
      }
    }
    if (report.axes.back().key == report::kMachines) {
      throw Error({.where = "--vary", .expected = "machines with --gpu NAME,NAME", .found = axis},
                  ExitCode::usage);
    }
  }
  if (report.axes.empty()) {
    throw Error({.where = "warpgauge sweep: --vary is required with one machine"}, ExitCode::usage);
  }
  report.points = study::plan(report.axes, a.zip);
  report.machine_hashes.resize(report.points.size());
  report.outcomes.resize(report.points.size());
  return report;
}

void write_files(const SweepArguments& a, const report::SweepReport& report) {
  if (!a.json.empty()) {
    report::write_file(a.json, report::sweep_json(report));
  }
  if (!a.csv.empty()) {
    report::write_file(a.csv, report::sweep_csv(report));
  }
}

void check_outputs(const SweepArguments& a, std::vector<std::string> inputs,
                   const trace::Workload& workload) {
  inputs.insert(inputs.end(), workload.files.begin(), workload.files.end());
  if (!same_file(a.resume, a.json)) {
    inputs.push_back(a.resume);
  }
  refuse_files_in_use(inputs, {a.json, a.csv});
  for (const std::string& path : {a.json, a.csv}) {
    if (!path.empty()) {
      report::require_writable(path);
    }
  }
}

ExitCode code_of(const report::SweepReport& report) {
  const auto any = [&report](State state) {
    return std::any_of(report.outcomes.begin(), report.outcomes.end(),
                       [state](const study::Outcome& one) { return one.state == state; });
  };
  return any(State::waiting) ? ExitCode::stopped : any(State::failed) ? ExitCode::bad_input : ExitCode::ok;
}

}  // namespace

int sweep(const SweepArguments& a) {
  study::SweepOptions options;
  report::SweepReport report = report_of(a);
  std::set<std::string> files;
  const std::vector<config::Machine> machines = machines_of(a, report, files);
  options.stop = &stop_on_signals();
  const auto open = [&a](const config::Machine& machine) {
    return open_workload(a.workload, machine.sm_version);
  };
  const auto good = std::find_if(report.outcomes.begin(), report.outcomes.end(),
                                 [](const study::Outcome& one) { return one.state == State::waiting; });
  const trace::Workload workload = open(machines[static_cast<std::size_t>(good - report.outcomes.begin())]);
  report::check_selection(report.kernels, report::kernels_of(workload).size());
  report.workload_hash = fmt::format("{:016x}", workload.hash);
  check_outputs(a, {files.begin(), files.end()}, workload);
  if (!a.resume.empty()) {
    report::resume_sweep(report, report::read_file(a.resume), a.resume);
  }
  options.threads = a.threads != 0 ? a.threads : std::max(1U, std::thread::hardware_concurrency());
  options.kernels = report.kernels;
  options.cold = a.cold;
  const bool terminal = !a.quiet && isatty(STDERR_FILENO) != 0;
  std::size_t finished = 0;
  constexpr std::chrono::seconds kBetweenWrites{2};
  auto written = std::chrono::steady_clock::now();
  options.finished = [&](std::size_t) {
    if (std::chrono::steady_clock::now() - written >= kBetweenWrites) {
      try {
        write_files(a, report);
      } catch (const Error&) {
        // What cannot be written now is tried again at the end, when the table has been printed.
      }
      written = std::chrono::steady_clock::now();
    }
    if (terminal) {
      fmt::print(stderr, "\r\033[K{} points done", ++finished);
    }
  };
  study::sweep(report.outcomes, machines, open, options);
  if (terminal) {
    fmt::print(stderr, "\r\033[K");
  }
  if (!a.quiet) {  // first: a disk that is full must not cost the answer
    print(report::sweep_text(report));
  }
  write_files(a, report);
  return static_cast<int>(code_of(report));
}

}  // namespace wg::app
