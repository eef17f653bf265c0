#include "mem/l1_cache.hpp"

#include <bit>

namespace wg::mem {

SectorTags::SectorTags(std::uint64_t lines, std::uint32_t ways, std::uint32_t line_bytes)
    : sets_(static_cast<std::uint32_t>(lines / ways)),
      ways_(ways),
      line_shift_(static_cast<std::uint32_t>(std::countr_zero(line_bytes))),
      tags_(std::size_t{sets_} * ways, 0),
      used_(tags_.size(), 0),
      valid_(tags_.size(), 0) {}

std::uint32_t SectorTags::first_way(std::uint64_t line) const {
  const std::uint64_t number = line >> line_shift_;
  const std::uint64_t mixed = number ^ (number >> 7) ^ (number >> 15);
  return static_cast<std::uint32_t>(mixed % sets_) * ways_;
}

std::uint8_t SectorTags::lookup(std::uint64_t line, std::uint8_t sectors) {
  if (sets_ == 0) {
    return 0;
  }
  const std::uint32_t base = first_way(line);
  for (std::uint32_t way = base; way < base + ways_; ++way) {
    if (tags_[way] == line && valid_[way] != 0) {
      used_[way] = ++clock_;
      return valid_[way] & sectors;
    }
  }
  return 0;
}

void SectorTags::fill(std::uint64_t line, std::uint8_t sectors) {
  if (sets_ == 0) {
    return;
  }
  const std::uint32_t base = first_way(line);
  std::uint32_t victim = base;
  for (std::uint32_t way = base; way < base + ways_; ++way) {
    if (tags_[way] == line && valid_[way] != 0) {
      valid_[way] |= sectors;
      used_[way] = ++clock_;
      return;
    }
    if (valid_[victim] != 0 && (valid_[way] == 0 || used_[way] < used_[victim])) {
      victim = way;
    }
  }
  tags_[victim] = line;
  valid_[victim] = sectors;
  used_[victim] = ++clock_;
}

void SectorTags::clear() {
  valid_.assign(valid_.size(), 0);
  clock_ = 0;
}

}  // namespace wg::mem
