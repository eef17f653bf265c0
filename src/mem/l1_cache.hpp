// Tags of the SM's first-level data cache: sectored, LRU, no data.
#pragma once

#include <cstdint>
#include <vector>

namespace wg::mem {

/// A set-associative tag array. Any number of sets. Sets are hashed so that power-of-two strides spread.
class SectorTags {
 public:
  /// `lines` is rounded down to a multiple of `ways`; 0 lines = a cache that never hits.
  SectorTags(std::uint64_t lines, std::uint32_t ways, std::uint32_t line_bytes);

  /// Valid sectors of `line` among `sectors`; a match makes the line the most recently used.
  std::uint8_t lookup(std::uint64_t line, std::uint8_t sectors);
  /// Makes `sectors` of `line` valid, pushing out the least recently used line of its set when it is new.
  void fill(std::uint64_t line, std::uint8_t sectors);
  void clear();
  [[nodiscard]] std::uint64_t lines() const { return std::uint64_t{sets_} * ways_; }

 private:
  [[nodiscard]] std::uint32_t first_way(std::uint64_t line) const;

  std::uint32_t sets_;
  std::uint32_t ways_;
  std::uint32_t line_shift_;
  std::uint32_t clock_ = 0;
  std::vector<std::uint64_t> tags_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint8_t> valid_;
};

}  // namespace wg::mem
