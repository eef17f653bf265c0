// Guesses the address of an access, the same way in writer and reader.
#pragma once

#include <cstdint>
#include <vector>

namespace wg::trace::native {

/// Of each memory instruction: a warp's first access goes on as first accesses did from warp to warp, its
/// later ones as they did from one to the next. CTAs do not depend on each other: their first accesses are
/// guessed from the kernel's first.
class AddressPredictor {
 public:
  struct Slot {
    std::uint64_t warp = 0;  ///< serial number of the warp that used it last
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t warp_step = 0;  ///< from one warp's first access to the next one's
    std::uint64_t step = 0;       ///< from one access of a warp to its next
    std::int64_t stride = 0;

    // What a CTA begins with.
    std::uint64_t base = 0;
    std::int64_t base_stride = 0;
  };

  void add(std::uint64_t base, std::int64_t stride) {
    Slot& slot = slots_.emplace_back();
    slot.base = base;
    slot.base_stride = stride;
  }
  void begin_cta() { cta_ = warp_ + 1; }
  void begin_warp() { ++warp_; }

  Slot& at(std::size_t number) {
    Slot& slot = slots_[number];
    if (slot.warp < cta_) {
      slot = {0, slot.base, slot.base, 0, 0, slot.base_stride, slot.base, slot.base_stride};
    }
    return slot;
  }
  [[nodiscard]] std::uint64_t predict(const Slot& slot) const {
    return slot.warp == warp_ ? slot.last + slot.step : slot.first + slot.warp_step;
  }
  void update(Slot& slot, std::uint64_t base) const {
    if (slot.warp == warp_) {
      slot.step = base - slot.last;
    } else {
      slot.warp_step = slot.warp == 0 ? 0 : base - slot.first;
      slot.first = base;
      slot.warp = warp_;
    }
    slot.last = base;
  }

 private:
  std::vector<Slot> slots_;
  std::uint64_t warp_ = 0;
  std::uint64_t cta_ = 0;
};

}  // namespace wg::trace::native
