// A calendar of warps that become ready at a known cycle.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace wg::sm {

/// 256 slots of one cycle each, a bit per warp. A wake-up further away is parked at the far end of the wheel
/// and looked at again by its owner when it comes up.
class WakeWheel {
 public:
  static constexpr std::uint64_t kSpan = 256;

  /// Wakes `warp` at `cycle` (> now), or at now + 255 if that is earlier.
  void add(std::uint32_t warp, std::uint64_t cycle, std::uint64_t now) {
    const std::uint64_t at = cycle - now < kSpan ? cycle : now + kSpan - 1;
    const auto slot = static_cast<std::uint32_t>(at % kSpan);
    slots_[slot] |= std::uint64_t{1} << warp;
    occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  /// Warps to look at in `cycle`; forgets them.
  std::uint64_t take(std::uint64_t cycle) {
    const auto slot = static_cast<std::uint32_t>(cycle % kSpan);
    const std::uint64_t warps = slots_[slot];
    if (warps != 0) {
      slots_[slot] = 0;
      occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    }
    return warps;
  }
  /// First cycle after `now` (within the span) that has a warp, or kNever-like all ones.
  [[nodiscard]] std::uint64_t next(std::uint64_t now) const {
    for (std::uint64_t ahead = 1; ahead <= kSpan;) {
      const auto slot = static_cast<std::uint32_t>((now + ahead) % kSpan);
      const std::uint64_t word = occupied_[slot / 64] >> (slot % 64);
      if (word != 0) {
        const std::uint64_t found = ahead + static_cast<std::uint64_t>(std::countr_zero(word));
        return found <= kSpan ? now + found : ~std::uint64_t{0};
      }
      ahead += 64 - slot % 64;
    }
    return ~std::uint64_t{0};
  }

 private:
  std::array<std::uint64_t, kSpan> slots_{};
  std::array<std::uint64_t, kSpan / 64> occupied_{};
};

}  // namespace wg::sm
