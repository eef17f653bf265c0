// Simulates one workload on many machines.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/machine.hpp"
#include "gpu/result.hpp"
#include "trace/workload.hpp"

namespace wg::study {

/// What is kept of a run. Sums over its kernels; shares are from 0 to 1.
struct Figures {
  std::uint64_t cycles = 0;
  std::uint64_t time_ps = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::string main_stall;       ///< the reason that most slots without issue have; empty without such slots
  double main_stall_share = 0;  ///< of all issue slots
  std::string nearest_limit;    ///< the one with the largest mean share over the kernels by their cycles
  double nearest_limit_share = 0;
  double dram_share = 0;  ///< of the peak bandwidth, mean over the kernels by their cycles
  double l2_share = 0;    ///< likewise
  friend bool operator==(const Figures&, const Figures&) = default;
};

Figures figures_of(const gpu::RunResult& result);

enum class State : std::uint8_t { waiting, done, failed };

/// One point of a sweep on its way.
struct Outcome {
  State state = State::waiting;
  Figures figures;                      ///< when done
  std::string error;                    ///< when failed
  std::vector<std::string> warnings{};  ///< as gpu::RunResult has them, when done
};

struct SweepOptions {
  std::uint32_t threads = 1;             ///< in all; points run side by side first
  std::vector<std::uint64_t> kernels{};  ///< as gpu::RunOptions has them
  bool cold = false;
  const std::atomic<bool>* stop = nullptr;  ///< points not finished by then stay `waiting`
  /// Told of each point that is done or failed, by its index; never twice at a time.
  std::function<void(std::size_t)> finished{};
};

/// Runs the points of `outcomes` that wait, each on the machine of the same index; `open` gives each run a
/// workload of its own and may be called from several threads. Errors of a point are its outcome; errors of
/// the program itself are thrown after the running points have ended.
void sweep(std::vector<Outcome>& outcomes, std::span<const config::Machine> machines,
           const std::function<trace::Workload(const config::Machine&)>& open, const SweepOptions& options);

}  // namespace wg::study
