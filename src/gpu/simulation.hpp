// Builds a machine from its description and runs a workload through it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/machine.hpp"
#include "gpu/result.hpp"
#include "gpu/split.hpp"
#include "trace/workload.hpp"

namespace wg::gpu {

/// Told now and then (about ten times a second) while a kernel runs, from the thread that called run().
struct Progress {
  std::uint64_t kernel_index = 0;  ///< 1-based
  std::uint64_t kernel_count = 0;
  std::string kernel_name;
  std::uint64_t ctas_done = 0;
  std::uint64_t ctas_total = 0;
  std::uint64_t cycles = 0;             ///< of this kernel so far
  std::uint64_t warp_instructions = 0;  ///< of this kernel so far
  std::uint64_t total_cycles = 0;       ///< of the run so far
  std::uint64_t total_warp_instructions = 0;
};

struct RunOptions {
  std::uint32_t threads = 1;
  std::vector<std::uint64_t> kernels;  ///< 1-based places to simulate; empty = all. Others are skipped
  std::uint64_t max_cycles = 0;        ///< stop when the run's summed kernel cycles reach this; 0 = no limit
  bool cold = false;                   ///< empty the L2 and close rows at each kernel
  std::uint64_t timeline_cycles = 0;   ///< length of a timeline interval in SM cycles; 0 = no timeline
  std::uint64_t epoch_ps = 0;          ///< engine look-ahead; 0 = one crossbar latency; never changes results
  SplitEstimate* split = nullptr;  ///< time the work and learn what more threads would do; needs threads = 1
  std::size_t profile_size = 10;   ///< program counters kept per kernel
  const std::atomic<bool>* stop =
      nullptr;  ///< set from a signal handler: stop cleanly, drop the kernel in flight
  std::function<void(const Progress&)> progress;
  bool keep_state = true;  ///< false: `checkpoint` gets an empty state, which saves time between kernels
  /// Called after each finished kernel with everything finished so far; the state is what resume takes.
  std::function<void(const RunResult&, std::span<const std::uint8_t> state)> checkpoint;
};

/// What an earlier, interrupted run left behind.
struct Resume {
  RunResult finished;               ///< its results; kernels in it are not simulated again
  std::vector<std::uint8_t> state;  ///< L2 contents and open rows after its last kernel
};

/// Runs `workload`. Throws wg::Error for bad input met on the way; what was finished by then has been handed
/// to `checkpoint`. A deadlock throws wg::Error with ExitCode::deadlock naming warp, PC, instruction and
/// resource. The result's `version` and `command` are left to the caller. `totals` and `kernels` depend on
/// machine, workload, `kernels`, `cold`, `max_cycles` and `timeline_cycles` only.
RunResult run(const config::Machine& machine, const trace::Workload& workload, const RunOptions& options,
              const Resume* resume = nullptr);

}  // namespace wg::gpu
