// What moved when, in a bounded number of steps of equal length.
#pragma once

#include <cstdint>
#include <vector>

namespace wg::host::uvm {

struct Batch;

/// Sums over the batches that began in one step.
struct TimelineStep {
  std::uint64_t batches = 0;
  std::uint64_t faults = 0;  ///< entries
  std::uint64_t fault_pages = 0, prefetch_pages = 0, evicted_pages = 0;
  std::uint64_t service_ps = 0;
};

class Timeline {
 public:
  static constexpr std::size_t kMost = 128;  ///< steps; when there are more, two become one

  /// `time_ps`: when the batch began, counted from the timeline's start.
  void add(const Batch& batch, std::uint64_t time_ps);
  void clear() { *this = {}; }
  [[nodiscard]] std::uint64_t step_ps() const { return step_ps_; }
  [[nodiscard]] const std::vector<TimelineStep>& steps() const { return steps_; }
  /// As read from a file.
  void assign(std::uint64_t step_ps, std::vector<TimelineStep> steps);

 private:
  std::uint64_t step_ps_ = 10'000'000;  ///< 10 us
  std::vector<TimelineStep> steps_;
};

}  // namespace wg::host::uvm
