// A small deterministic random generator with the same sequence on every platform.
#pragma once

#include <cstdint>

namespace wg {

/// SplitMix64 (Steele, Lea, Flood 2014). One value of state; good enough for workloads and tests.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound); `bound` > 0. Bias below 2^-32 for bounds below 2^32.
  constexpr std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

 private:
  __extension__ typedef unsigned __int128 Wide;
  std::uint64_t state_;
};

}  // namespace wg
