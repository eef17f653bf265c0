// Pieces that both directions of the engine use. Private to this folder. Time is in femtoseconds, so that
// rounding an interval does not add up over a copy: 2^64 of them are five hours.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "host/cdma/engine.hpp"

namespace wg::host::cdma::detail {

inline constexpr double kFemto = 1e15;

inline std::uint64_t duration(double bytes, double rate) {
  return static_cast<std::uint64_t>(std::llround(bytes / rate * kFemto));
}
inline std::uint64_t duration(Picoseconds time) { return time.count() * 1000; }
inline std::uint64_t cycles(const EngineConfig& config, double count) {
  return static_cast<std::uint64_t>(std::llround(count / static_cast<double>(config.clock.count()) * kFemto));
}

/// The interval at which lines follow each other at most.
inline std::uint64_t line_interval(const EngineConfig& c) {
  const double rate = static_cast<double>(std::min(c.provision, c.read_limit).count());
  return duration(static_cast<double>(c.line.count()), rate);
}

/// Something that serves one at a time, in the order of asking.
class Server {
 public:
  /// When service of `time` that is asked for at `at` begins.
  std::uint64_t take(std::uint64_t at, std::uint64_t time) {
    const std::uint64_t begin = std::max(at, free_);
    free_ = begin + time;
    return begin;
  }
  [[nodiscard]] std::uint64_t free() const { return free_; }

 private:
  std::uint64_t free_ = 0;
};

/// Which controller a line belongs to: each group of as many lines as there are controllers is rotated by a
/// hash of its number, so that all get the same share and strides spread.
class Controllers {
 public:
  explicit Controllers(std::uint32_t count) : count_(count) {}
  [[nodiscard]] std::uint32_t of(std::uint64_t line) const {
    std::uint64_t group = line / count_;
    group = (group ^ (group >> 31)) * 0x9E37'79B9'7F4A'7C15ULL;
    return static_cast<std::uint32_t>((line + (group >> 40)) % count_);
  }

 private:
  std::uint64_t count_;
};

/// The fullest of consecutive windows of time. Times may come a little out of order: each is counted in the
/// window of the latest one seen.
class PeakMeter {
 public:
  void add(std::uint64_t at, std::uint64_t bytes) {
    const std::uint64_t window = at / duration(kPeakWindow);
    if (window > window_) {
      window_ = window;
      bytes_ = 0;
    }
    bytes_ += bytes;
    peak_ = std::max(peak_, bytes_);
  }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }

 private:
  std::uint64_t window_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t peak_ = 0;
};

}  // namespace wg::host::cdma::detail
