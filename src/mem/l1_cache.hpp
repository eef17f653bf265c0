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
  /// Allocation on miss: keeps a way for `line`, whose `sectors` are being fetched; fill() completes it.
  /// False when every way of the set is waiting for a fill: nothing has changed.
  bool reserve(std::uint64_t line, std::uint8_t sectors);
  /// Makes `sectors` of `line` valid, pushing out the least recently used line of its set when it is new.
  void fill(std::uint64_t line, std::uint8_t sectors);
  void clear();
  [[nodiscard]] std::uint64_t lines() const { return std::uint64_t{sets_} * ways_; }

 private:
  static constexpr std::uint32_t kNoWay = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t find(std::uint64_t line) const;
  [[nodiscard]] std::uint32_t victim(std::uint64_t line) const;  ///< kNoWay: all ways of the set are reserved
  [[nodiscard]] std::uint32_t first_way(std::uint64_t line) const;

  std::uint32_t sets_;
  std::uint32_t ways_;
  std::uint32_t line_shift_;
  std::uint32_t clock_ = 0;
  std::vector<std::uint64_t> tags_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint8_t> valid_;
  std::vector<std::uint8_t> coming_;  ///< reserved sectors not filled yet
};

}  // namespace wg::mem
