// The tag array of one L2 slice: what outlives a kernel. No timing here.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "config/machine.hpp"
#include "mem/replacement.hpp"

namespace wg::mem {

/// One line: its number inside the slice's share and three masks over its sectors, in one word so that a set
/// is searched in one tight loop. Line numbers below 2^51; up to four sectors.
struct TagWord {
  std::uint64_t bits = kEmpty;

  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  static constexpr std::uint64_t kStateBits = 12;

  [[nodiscard]] bool empty() const { return bits == kEmpty; }
  [[nodiscard]] std::uint64_t line() const { return bits >> kStateBits; }
  [[nodiscard]] std::uint32_t valid() const { return static_cast<std::uint32_t>(bits) & 15U; }
  [[nodiscard]] std::uint32_t dirty() const { return static_cast<std::uint32_t>(bits >> 4) & 15U; }
  /// Sectors on their way from DRAM; such a line cannot be evicted.
  [[nodiscard]] std::uint32_t pending() const { return static_cast<std::uint32_t>(bits >> 8) & 15U; }
  void add_valid(std::uint32_t sectors) { bits |= sectors; }
  void add_dirty(std::uint32_t sectors) { bits |= std::uint64_t{sectors} << 4; }
  void drop_dirty() { bits &= ~(std::uint64_t{15} << 4); }
  void add_pending(std::uint32_t sectors) { bits |= std::uint64_t{sectors} << 8; }
  void drop_pending(std::uint32_t sectors) { bits &= ~(std::uint64_t{sectors} << 8); }
};

/// Sectored, set-associative, sets picked by a multiplicative hash of the line number: consecutive lines
/// spread almost evenly for any number of sets. A line is known by its slot (set * ways + way).
class L2Tags {
 public:
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
  /// Set in the number of a line that stands for the other half's copy of a line of this slice.
  static constexpr std::uint64_t kCopy = std::uint64_t{1} << 51;

  L2Tags(const config::L2Config& config, std::uint32_t slices, std::uint64_t seed);

  [[nodiscard]] std::uint32_t sets() const { return sets_; }
  [[nodiscard]] std::uint32_t ways() const { return ways_; }
  [[nodiscard]] std::uint32_t slots() const { return sets_ * ways_; }
  [[nodiscard]] TagWord& at(std::uint32_t slot) { return words_[slot]; }
  [[nodiscard]] const TagWord& at(std::uint32_t slot) const { return words_[slot]; }

  [[nodiscard]] std::uint32_t find(std::uint64_t line) const {
    const std::uint32_t first = set_of(line) * ways_;
    const TagWord* words = &words_[first];
    const std::uint64_t wanted = line << TagWord::kStateBits;
    for (std::uint32_t way = 0; way < ways_; ++way) {
      if ((words[way].bits ^ wanted) < std::uint64_t{1} << TagWord::kStateBits) {
        return first + way;
      }
    }
    return kNoSlot;
  }
  /// Slot in which `line`, not present, would go: an empty one or a victim without pending sectors; kNoSlot
  /// when all ways have pending sectors. Nothing changes but the part's own state.
  [[nodiscard]] std::uint32_t room(std::uint64_t line, std::uint32_t who);
  /// When `limit` lines of the slot's set are dirty besides the slot's own, the slot of the one to clean,
  /// none with pending sectors; else kNoSlot.
  [[nodiscard]] std::uint32_t excess_dirty(std::uint32_t slot, std::uint32_t limit, std::uint32_t who);
  /// Puts `line` with no sectors into the slot that room() gave.
  void place(std::uint32_t slot, std::uint64_t line) { words_[slot].bits = line << TagWord::kStateBits; }
  void drop(std::uint32_t slot) { words_[slot] = TagWord{}; }
  void touch(std::uint32_t slot, std::uint32_t who) {
    const auto set = static_cast<std::uint32_t>(std::uint64_t{slot} * way_reciprocal_ >> 32);
    replacement_->touch(set, slot - set * ways_, who);
  }

  void clear();
  void save(std::vector<std::uint8_t>& out) const;
  /// Returns the bytes consumed, 0 when they are not a state of this geometry.
  std::size_t load(std::span<const std::uint8_t> in);

 private:
  [[nodiscard]] std::uint32_t set_of(std::uint64_t line) const {
    const std::uint64_t hash = line * 0x9E3779B97F4A7C15ULL >> 32;
    return static_cast<std::uint32_t>(hash * sets_ >> 32);
  }

  std::uint32_t sets_;
  std::uint32_t ways_;
  std::uint64_t way_reciprocal_;  ///< exact for slots below 2^32 / ways
  std::vector<TagWord> words_;
  std::unique_ptr<Replacement> replacement_;
};

}  // namespace wg::mem
