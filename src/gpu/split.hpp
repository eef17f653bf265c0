// How an epoch's work would divide over more threads than were used: the pieces are timed on one thread, and
// the pool's rule (each thread takes the next piece when it is free) is played with their lengths.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace wg::gpu {

class SplitEstimate {
 public:
  static constexpr std::array<std::uint32_t, 5> kThreads{1, 2, 4, 8, 16};

  /// `meeting` (ns) is what one meeting of the threads at the epoch's end costs; see measured_meeting().
  explicit SplitEstimate(double meeting) : meeting_(meeting) {}

  /// One epoch: the lengths of its pieces (ns) in the order in which they are taken, and the time around them
  /// that stays with one thread. Fewer pieces than `worth_sharing` are not shared.
  void add(std::span<const std::uint32_t> pieces, std::uint64_t serial, std::size_t worth_sharing);

  /// Time on one thread over the time on kThreads[i]; 1 when nothing was added.
  [[nodiscard]] double speedup(std::size_t i) const;
  /// Share of the one-thread time that cannot be divided.
  [[nodiscard]] double serial_share() const;
  [[nodiscard]] std::uint64_t epochs() const { return epochs_; }

 private:
  double meeting_;
  std::uint64_t epochs_ = 0;
  double serial_ = 0;
  std::array<double, kThreads.size()> time_{};
  std::vector<double> busy_;  ///< scratch: time at which each thread is free
};

/// Nanoseconds that two threads of this computer need to start together and meet again, over many rounds of a
/// Pool with nothing to do; the median. A computer with one processor gives what switching costs.
double measured_meeting();

}  // namespace wg::gpu
