// A sweep as a table for people, as JSON and CSV for scripts, and back for going on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "study/plan.hpp"
#include "study/sweep.hpp"

namespace wg::report {

/// Key of the axis of machines; no key of a machine has this name.
inline constexpr const char* kMachines = "gpu";

/// What was asked, and what came of it so far. `points`, `machine_hashes` and `outcomes` are parallel.
struct SweepReport {
  std::string version;
  std::string command;
  std::string gpu;  ///< as asked: several with commas between
  std::string workload;
  std::string workload_hash;
  std::vector<std::uint64_t> kernels;  ///< 1-based places; empty = all
  bool cold = false;
  std::vector<study::Axis> axes;  ///< the first is kMachines when several machines were asked for
  std::vector<study::Point> points;
  std::vector<std::string> machine_hashes;  ///< empty where there is no such machine
  std::vector<study::Outcome> outcomes;

  [[nodiscard]] bool of_several_machines() const { return !axes.empty() && axes[0].key == kMachines; }
  /// Time of the first point that is done by the time of point `i`; 0 unless `i` is done.
  [[nodiscard]] double speed(std::size_t i) const;
};

/// A line for each point; errors in full and warnings, each once, below the table.
std::string sweep_text(const SweepReport& report);

/// One object: `version`, `command`, `gpu`, `workload`, `workload_hash`, `kernels`, `cold`, `axes` (`key`,
/// `values`), `no_effect` (keys, see study::without_effect) and `points`, a line each: `gpu`, `set` (key to
/// value), `machine_hash`, `state` ("done", "failed",
/// "waiting"), with figures when done: `cycles`, `time_ps`, `warp_instructions`, `thread_instructions`,
/// `speed`, `main_stall`, `main_stall_share`, `nearest_limit`, `nearest_limit_share`, `dram_share`,
/// `l2_share`, and `warnings` when there are any; with `error` when failed.
std::string sweep_json(const SweepReport& report);

/// A column for each key, then those of the JSON file.
std::string sweep_csv(const SweepReport& report);

/// Takes over what an earlier sweep_json, `text`, has of the points of `report` that wait: those that are
/// done on a machine of the same hash. Throws wg::Error unless it is of the same workload, kernels and
/// `cold`; `where` names the file.
void resume_sweep(SweepReport& report, std::string_view text, const std::string& where);

}  // namespace wg::report
