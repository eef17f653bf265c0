#include "mem/l1_cache.hpp"

#include <bit>

namespace wg::mem {

SectorTags::SectorTags(std::uint64_t lines, std::uint32_t ways, std::uint32_t line_bytes)
    : sets_(static_cast<std::uint32_t>(lines / ways)),
      ways_(ways),
      line_shift_(static_cast<std::uint32_t>(std::countr_zero(line_bytes))),
      tags_(std::size_t{sets_} * ways, 0),
      used_(tags_.size(), 0),
      valid_(tags_.size(), 0),
      coming_(tags_.size(), 0) {}

std::uint32_t SectorTags::first_way(std::uint64_t line) const {
  const std::uint64_t number = line >> line_shift_;
  const std::uint64_t mixed = number ^ (number >> 7) ^ (number >> 15);
  return static_cast<std::uint32_t>(mixed % sets_) * ways_;
}

std::uint32_t SectorTags::find(std::uint64_t line) const {
  const std::uint32_t base = first_way(line);
  for (std::uint32_t way = base; way < base + ways_; ++way) {
    if (tags_[way] == line && (valid_[way] | coming_[way]) != 0) {
      return way;
    }
  }
  return kNoWay;
}

std::uint32_t SectorTags::victim(std::uint64_t line) const {
  const std::uint32_t base = first_way(line);
  std::uint32_t best = kNoWay;
  for (std::uint32_t way = base; way < base + ways_; ++way) {
    if (coming_[way] != 0) {
      continue;
    }
    if (valid_[way] == 0) {
      return way;
    }
    if (best == kNoWay || used_[way] < used_[best]) {
      best = way;
    }
  }
  return best;
}

std::uint8_t SectorTags::lookup(std::uint64_t line, std::uint8_t sectors) {
  const std::uint32_t way = sets_ == 0 ? kNoWay : find(line);
  if (way == kNoWay) {
    return 0;
  }
  used_[way] = ++clock_;
  return valid_[way] & sectors;
}

bool SectorTags::reserve(std::uint64_t line, std::uint8_t sectors) {
  if (sets_ == 0) {
    return true;
  }
  std::uint32_t way = find(line);
  if (way == kNoWay) {
    way = victim(line);
    if (way == kNoWay) {
      return false;
    }
    tags_[way] = line;
    valid_[way] = 0;
  }
  coming_[way] |= sectors;
  used_[way] = ++clock_;
  return true;
}

void SectorTags::fill(std::uint64_t line, std::uint8_t sectors) {
  if (sets_ == 0) {
    return;
  }
  std::uint32_t way = find(line);
  if (way == kNoWay) {
    way = victim(line);
    if (way == kNoWay) {
      return;  // all ways reserved for others: the data passes by
    }
    tags_[way] = line;
    valid_[way] = 0;
  }
  valid_[way] |= sectors;
  coming_[way] = static_cast<std::uint8_t>(coming_[way] & ~sectors);
  used_[way] = ++clock_;
}

void SectorTags::clear() {
  valid_.assign(valid_.size(), 0);
  coming_.assign(coming_.size(), 0);
  clock_ = 0;
}

}  // namespace wg::mem
