// A record of when something was the case, to be asked afterwards how much of a span it took.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wg::sm {

/// Intervals of cycles in order, the last one possibly still open.
class IntervalLog {
 public:
  void clear() {
    closed_.clear();
    open_ = false;
  }
  /// The case from `cycle` on; nothing when it is already.
  void begin(std::uint64_t cycle) {
    since_ = open_ ? since_ : cycle;
    open_ = true;
  }
  /// No more from `cycle` on.
  void end(std::uint64_t cycle) {
    if (open_) {
      open_ = false;
      closed_.push_back({since_, cycle, before(since_)});
    }
  }
  /// Cycles of [from, until) in which it was the case.
  [[nodiscard]] std::uint64_t within(std::uint64_t from, std::uint64_t until) const {
    return closed_.empty() && !open_ ? 0 : before(until) - before(from);
  }

 private:
  struct Interval {
    std::uint64_t from = 0;
    std::uint64_t until = 0;
    std::uint64_t before = 0;  ///< cycles of all earlier ones
  };
  [[nodiscard]] std::uint64_t before(std::uint64_t cycle) const {
    const auto after = std::upper_bound(closed_.begin(), closed_.end(), cycle,
                                        [](std::uint64_t at, const Interval& i) { return at < i.from; });
    std::uint64_t sum = 0;
    if (after != closed_.begin()) {
      const Interval& last = *(after - 1);
      sum = last.before + std::min(cycle, last.until) - last.from;
    }
    return open_ && cycle > since_ ? sum + cycle - since_ : sum;
  }

  std::vector<Interval> closed_;
  std::uint64_t since_ = 0;
  bool open_ = false;
};

}  // namespace wg::sm
