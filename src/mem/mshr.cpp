#include "mem/mshr.hpp"

#include <algorithm>
#include <bit>

namespace wg::mem {

MshrFile::MshrFile(std::uint32_t entries)
    : capacity_(entries), mask_(std::bit_ceil(std::max(2U, entries * 2)) - 1), table_(mask_ + 1) {}

std::uint32_t MshrFile::home(std::uint64_t line) const {
  return static_cast<std::uint32_t>((line * 0x9E3779B97F4A7C15ULL) >> 40) & mask_;
}

std::uint32_t MshrFile::find(std::uint64_t line) const {
  std::uint32_t slot = home(line);
  while (table_[slot].used && table_[slot].line != line) {
    slot = (slot + 1) & mask_;
  }
  return slot;
}

std::uint8_t MshrFile::in_flight(std::uint64_t line) const {
  const Entry& entry = table_[find(line)];
  return entry.used ? entry.sectors : std::uint8_t{0};
}

bool MshrFile::wait(std::uint64_t line, std::uint8_t sectors, std::uint32_t operation) {
  Entry& entry = table_[find(line)];
  if (!entry.used) {
    if (full()) {
      return false;
    }
    entry = {.line = line, .used = true};
    ++used_;
  }
  std::uint32_t index = free_waiter_;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(waiters_.size());
    waiters_.emplace_back();
  } else {
    free_waiter_ = waiters_[index].next;
  }
  waiters_[index] = {.operation = operation, .sectors = sectors};
  (entry.last == kNone ? entry.first : waiters_[entry.last].next) = index;
  entry.last = index;
  entry.sectors |= sectors;
  return true;
}

void MshrFile::arrive(std::uint64_t line, std::uint8_t sectors, std::vector<Woken>& out) {
  const std::uint32_t slot = find(line);
  Entry& entry = table_[slot];
  if (!entry.used) {
    return;
  }
  std::uint32_t* link = &entry.first;
  entry.last = kNone;
  while (*link != kNone) {
    const std::uint32_t index = *link;
    Waiter& waiter = waiters_[index];
    const auto answered = static_cast<std::uint8_t>(waiter.sectors & sectors);
    if (answered != 0) {
      out.push_back({waiter.operation, answered});
      waiter.sectors = static_cast<std::uint8_t>(waiter.sectors & ~sectors);
    }
    if (waiter.sectors == 0) {
      *link = waiter.next;
      waiter.next = free_waiter_;
      free_waiter_ = index;
    } else {
      entry.last = index;
      link = &waiter.next;
    }
  }
  entry.sectors = static_cast<std::uint8_t>(entry.sectors & ~sectors);
  if (entry.sectors == 0) {
    erase(slot);
  }
}

void MshrFile::erase(std::uint32_t slot) {
  --used_;
  // Backward-shift deletion keeps probe chains whole without tombstones.
  for (std::uint32_t next = (slot + 1) & mask_; table_[next].used; next = (next + 1) & mask_) {
    const std::uint32_t want = home(table_[next].line);
    if (((next - want) & mask_) >= ((next - slot) & mask_)) {
      table_[slot] = table_[next];
      slot = next;
    }
  }
  table_[slot] = {};
}

}  // namespace wg::mem
