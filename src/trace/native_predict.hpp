// Guesses the address of an access, the same way in writer and reader.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace wg::trace::native {

/// Of each memory instruction: a warp's first access goes on as first accesses did from warp to warp, its
/// later ones as they did from one to the next. CTAs do not depend on each other: their first accesses are
/// guessed from the kernel's first.
class AddressPredictor {
 public:
  /// Pairs: [0] from one access of a warp to its next, [1] from one warp's first access to the next one's.
  /// Choosing by index costs no branch.
  struct Slot {
    std::array<std::uint64_t, 2> last{};
    std::array<std::uint64_t, 2> step{};
    std::uint64_t warp = 0;  ///< serial number of the warp that used it last
    std::int64_t stride = 0;

    // What a CTA begins with.
    std::uint64_t base = 0;
    std::int64_t base_stride = 0;
  };

  /// The slots as one CTA uses them; `add` ends its life.
  class Cta {
   public:
    Cta(Slot* slots, std::uint64_t serial) : slots_(slots), serial_(serial) {}

    Slot& at(std::size_t number) const {
      Slot& slot = slots_[number];
      if (slot.warp < serial_) {
        slot = {{slot.base, slot.base}, {}, 0, slot.base_stride, slot.base, slot.base_stride};
      }
      return slot;
    }
    /// What `warp` of the CTA is expected to access.
    [[nodiscard]] std::uint64_t predict(const Slot& slot, std::uint32_t warp) const {
      const bool first = slot.warp != serial_ + warp;
      return slot.last[first] + slot.step[first];
    }
    /// The address that lies `difference` behind the expected one, which the slot learns from.
    std::uint64_t next(Slot& slot, std::uint32_t warp, std::uint64_t difference) const {
      const bool first = slot.warp != serial_ + warp;
      const std::uint64_t step = slot.step[first] + difference;
      const std::uint64_t address = slot.last[first] + step;
      slot.step[first] = slot.warp == 0 ? 0 : step;
      slot.last[first] = address;
      slot.last[0] = address;
      slot.warp = serial_ + warp;
      return address;
    }

   private:
    Slot* slots_;
    std::uint64_t serial_;  ///< of the CTA's first warp
  };

  void add(std::uint64_t base, std::int64_t stride) {
    Slot& slot = slots_.emplace_back();
    slot.base = base;
    slot.base_stride = stride;
  }
  void begin_cta(std::uint32_t warps) {
    serial_ = next_serial_;
    next_serial_ += warps;
  }
  Cta cta() { return {slots_.data(), serial_}; }

 private:
  std::vector<Slot> slots_;
  std::uint64_t serial_ = 1;  ///< 0 is no warp's
  std::uint64_t next_serial_ = 1;
};

}  // namespace wg::trace::native
