// What is on the device: residency of every page, charged against the memory that managed pages may take.
#pragma once

#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/units.hpp"
#include "host/uvm/counters.hpp"
#include "host/uvm/space.hpp"

namespace wg::host::uvm {

/// A block with at least one page on the device.
struct ResidentBlock {
  std::uint32_t block = 0;
  std::uint32_t charged = 0;  ///< pages it takes of memory
  PageMask resident;
  PageMask used;        ///< accessed since they arrived
  PageMask prefetched;  ///< brought by a prefetch
  PageMask dirty;
  PageMask arriving;  ///< not usable before `ready_ps`
  std::uint64_t ready_ps = 0;
};

class Memory {
 public:
  /// `chunks`: a block takes its whole size from its first page on; otherwise single pages count.
  Memory(std::uint64_t capacity_pages, bool chunks) : capacity_(capacity_pages), chunks_(chunks) {}

  std::uint32_t add_object(std::string name, std::uint64_t bytes, std::uint64_t base, bool round);

  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t charged() const { return charged_; }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }
  [[nodiscard]] std::uint64_t free() const { return capacity_ - charged_; }
  [[nodiscard]] bool chunks() const { return chunks_; }
  /// True from the first eviction on.
  [[nodiscard]] bool was_full() const { return was_full_; }

  /// nullptr when no page of the block is resident. Invalid after the next arrival.
  [[nodiscard]] ResidentBlock* find(std::uint32_t block) {
    const std::uint32_t slot = slots_[block];
    return slot == kNoSlot ? nullptr : &resident_[slot];
  }
  [[nodiscard]] const ResidentBlock* find(std::uint32_t block) const {
    const std::uint32_t slot = slots_[block];
    return slot == kNoSlot ? nullptr : &resident_[slot];
  }
  [[nodiscard]] PageMask resident(std::uint32_t block) const {
    const ResidentBlock* found = find(block);
    return found == nullptr ? PageMask() : found->resident;
  }
  [[nodiscard]] bool touched_before(std::uint32_t block) const { return touched_[block]; }

  /// Pages that `pages`, none of them resident, would take.
  [[nodiscard]] std::uint64_t cost(std::uint32_t block, const PageMask& pages) const;
  /// `pages`, none of them resident, arrive; there must be room. Prefetched and faulted pages come in one
  /// call each. They are usable from `ready_ps` on.
  void arrive(std::uint32_t block, const PageMask& pages, Cause cause, std::uint64_t tick,
              std::uint64_t ready_ps);
  /// `pages`, all of them resident, leave. Returns those that must be copied.
  PageMask leave(std::uint32_t block, const PageMask& pages, Cause cause, std::uint64_t tick,
                 bool copy_clean);
  /// Arrivals keep their time until the service's end is known.
  void set_ready(std::uint32_t block, std::uint64_t ready_ps);

  /// A GPU access to a resident page.
  void use(ResidentBlock& at, std::uint32_t object, std::uint32_t page, bool write) {
    if (!at.used.test(page)) {
      first_use(at, object, page);
    }
    if (write) {
      at.dirty.set(page);
    }
  }

  /// The state of all blocks; the objects must have been added.
  void archive(Archive& archive);

  [[nodiscard]] std::vector<PageCounters>& counters() { return counters_; }
  [[nodiscard]] const std::vector<PageCounters>& counters() const { return counters_; }
  /// Visits every resident block.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const ResidentBlock& block : resident_) {
      if (block.charged != 0) {
        visit(block);
      }
    }
  }

 private:
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
  /// Pages of a block that were evicted, and when the last ones were.
  struct History {
    PageMask evicted;
    std::uint64_t tick = 0;
  };

  History& history(std::uint32_t block);
  void first_use(ResidentBlock& at, std::uint32_t object, std::uint32_t page);
  ResidentBlock& open(std::uint32_t block);

  std::uint64_t capacity_;
  bool chunks_;
  bool was_full_ = false;
  std::uint64_t charged_ = 0;
  std::uint64_t peak_ = 0;
  Space space_;
  std::vector<std::uint32_t> slots_;  ///< by block
  std::vector<bool> touched_;         ///< by block: was ever resident
  std::vector<ResidentBlock> resident_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> past_;  ///< by block: place in history_, or kNoSlot
  std::vector<History> history_;
  std::vector<PageCounters> counters_;  ///< by object
};

/// Device memory of which the objects of `all` take `thousandths` / 1000 times as much, in whole chunks where
/// `all` counts in chunks. Throws wg::Error when not even one chunk or page is left.
Bytes memory_for(const Memory& all, std::uint64_t thousandths);

}  // namespace wg::host::uvm
