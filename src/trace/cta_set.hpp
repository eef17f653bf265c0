// Which CTAs of a grid have been seen. Grids reach 2^62 CTAs, so memory grows with what is there, not with
// the grid.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>

namespace wg::trace {

class CtaSet {
 public:
  /// False if `cta` was there before.
  bool insert(std::uint64_t cta) {
    std::uint64_t& word = pages_[cta / kPageBits][(cta % kPageBits) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (cta % 64);
    const bool fresh = (word & bit) == 0;
    word |= bit;
    return fresh;
  }

 private:
  static constexpr std::uint64_t kPageBits = 4096;
  tsl::robin_map<std::uint64_t, std::array<std::uint64_t, kPageBits / 64>> pages_;
};

}  // namespace wg::trace
