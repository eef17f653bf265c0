#include "host/uvm/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/error.hpp"

namespace wg::host::uvm {

std::uint32_t Memory::add_object(std::string name, std::uint64_t bytes, std::uint64_t base, bool round) {
  const std::uint32_t id = space_.add(std::move(name), bytes, base, round);
  slots_.resize(space_.blocks(), kNoSlot);
  touched_.resize(space_.blocks());
  past_.resize(space_.blocks(), kNoSlot);
  counters_.emplace_back();
  return id;
}

std::uint64_t Memory::cost(std::uint32_t block, const PageMask& pages) const {
  if (!chunks_) {
    return pages.count();
  }
  if (pages.none() || find(block) != nullptr) {
    return 0;
  }
  return (space_.shape(block).pages + kBigPages - 1) / kBigPages * kBigPages;
}

ResidentBlock& Memory::open(std::uint32_t block) {
  if (ResidentBlock* found = find(block)) {
    return *found;
  }
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(resident_.size()));
    resident_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[block] = slot;
  touched_[block] = true;
  resident_[slot] = ResidentBlock{};
  resident_[slot].block = block;
  return resident_[slot];
}

void Memory::arrive(std::uint32_t block, const PageMask& pages, Cause cause, std::uint64_t tick,
                    std::uint64_t ready_ps) {
  if (pages.none()) {
    return;
  }
  const auto cost_pages = static_cast<std::uint32_t>(cost(block, pages));
  assert(cost_pages <= free());
  ResidentBlock& at = open(block);
  assert((at.resident & pages).none());
  at.charged += cost_pages;
  charged_ += cost_pages;
  peak_ = std::max(peak_, charged_);
  at.arriving = at.ready_ps == ready_ps ? at.arriving | pages : pages;
  at.ready_ps = ready_ps;
  at.resident |= pages;
  at.used -= pages;
  at.dirty -= pages;
  at.prefetched -= pages;
  if (cause == Cause::prefetch) {
    at.prefetched |= pages;
  }
  PageCounters& counters = counters_[space_.shape(block).object];
  counters.of(cause) += pages.count();
  if (past_[block] != kNoSlot) {
    History& past = history_[past_[block]];
    const std::uint64_t again = (past.evicted & pages).count();
    counters.again += again;
    counters.again_distance += again * (tick - past.tick);
    past.evicted -= pages;
  }
}

PageMask Memory::leave(std::uint32_t block, const PageMask& pages, Cause cause, std::uint64_t tick,
                       bool copy_clean) {
  const std::uint32_t slot = slots_[block];
  assert(slot != kNoSlot);
  ResidentBlock& at = resident_[slot];
  assert((pages - at.resident).none() && pages.any());
  PageCounters& counters = counters_[space_.shape(block).object];
  const PageMask copied = copy_clean ? pages : pages & at.dirty;
  counters.of(cause) += copied.count();
  counters.dropped += (pages - copied).count();
  counters.left_unused += (pages - at.used).count();
  if (cause == Cause::eviction) {
    was_full_ = true;
    History& past = history(block);
    past.evicted |= pages;
    past.tick = tick;
  }
  at.resident -= pages;
  at.arriving -= pages;
  const std::uint32_t returned = at.resident.none() ? at.charged : chunks_ ? 0U : pages.count();
  at.charged -= returned;
  charged_ -= returned;
  if (at.resident.none()) {
    slots_[block] = kNoSlot;
    free_slots_.push_back(slot);
  }
  return copied;
}

Memory::History& Memory::history(std::uint32_t block) {
  if (past_[block] == kNoSlot) {
    past_[block] = static_cast<std::uint32_t>(history_.size());
    history_.emplace_back();
  }
  return history_[past_[block]];
}

void Memory::set_ready(std::uint32_t block, std::uint64_t ready_ps) {
  if (ResidentBlock* at = find(block)) {
    at->ready_ps = ready_ps;
  }
}

void Memory::archive(Archive& archive) {
  archive(was_full_);
  archive(charged_);
  archive(peak_);
  archive(slots_);
  archive(touched_);
  archive(resident_);
  archive(free_slots_);
  archive(past_);
  archive(history_);
  archive(counters_);
  if (slots_.size() != space_.blocks() || counters_.size() != space_.objects().size()) {
    throw Error({.where = "saved state", .expected = "pages of the same allocations", .found = "others"});
  }
}

Bytes memory_for(const Memory& all, std::uint64_t thousandths) {
  std::uint64_t pages = 0;
  for (std::uint32_t block = 0; block < all.space().blocks(); ++block) {
    pages += all.cost(block, PageMask::range(0, all.space().shape(block).pages));
  }
  __extension__ typedef unsigned __int128 Wide;
  const auto device = static_cast<std::uint64_t>(Wide{pages} * 1000 / thousandths);
  const std::uint64_t least = all.chunks() ? kBlockPages : 1;
  if (device < least) {
    throw Error(
        {.where = "uvm.oversubscription",
         .expected = fmt::format("a device of at least {} KiB", least * kPageBytes / 1024),
         .found =
             fmt::format("a footprint of {} KiB at {:.1f} %, which leaves {} KiB", pages * kPageBytes / 1024,
                         static_cast<double>(thousandths) / 10, device * kPageBytes / 1024),
         .advice = all.chunks() ? "this evictor counts in chunks of 2 MiB; lru-4k counts pages" : ""});
  }
  return Bytes(device * kPageBytes);
}

void Memory::first_use(ResidentBlock& at, std::uint32_t object, std::uint32_t page) {
  at.used.set(page);
  PageCounters& counters = counters_[object];
  ++counters.used;
  counters.prefetch_used += at.prefetched.test(page) ? 1U : 0U;
}

}  // namespace wg::host::uvm
