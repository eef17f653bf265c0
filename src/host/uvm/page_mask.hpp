// A set of pages of one 2 MiB block.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace wg::host::uvm {

inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint32_t kBlockPages = 512;  ///< pages of a full 2 MiB block
inline constexpr std::uint32_t kBigPages = 16;     ///< pages of a 64 KiB big page

/// `count` consecutive pages from `first`.
struct PageRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend bool operator==(const PageRun&, const PageRun&) = default;
};

class PageMask {
 public:
  constexpr PageMask() = default;

  [[nodiscard]] constexpr bool test(std::uint32_t page) const {
    return (words_[page / 64] >> (page % 64) & 1) != 0;
  }
  constexpr void set(std::uint32_t page) { words_[page / 64] |= std::uint64_t{1} << (page % 64); }
  constexpr void reset(std::uint32_t page) { words_[page / 64] &= ~(std::uint64_t{1} << (page % 64)); }

  /// Pages [first, end); `end` at most kBlockPages.
  [[nodiscard]] static constexpr PageMask range(std::uint32_t first, std::uint32_t end) {
    PageMask out;
    for (std::uint32_t word = first / 64; word * 64 < end; ++word) {
      std::uint64_t bits = ~std::uint64_t{0};
      if (word * 64 < first) {
        bits &= ~std::uint64_t{0} << (first % 64);
      }
      if (end < word * 64 + 64) {
        bits &= (std::uint64_t{1} << (end % 64)) - 1;
      }
      out.words_[word] = bits;
    }
    return out;
  }

  [[nodiscard]] constexpr std::uint32_t count() const {
    std::uint32_t sum = 0;
    for (const std::uint64_t word : words_) {
      sum += members(word);
    }
    return sum;
  }
  /// Members in [first, end).
  [[nodiscard]] constexpr std::uint32_t count(std::uint32_t first, std::uint32_t end) const {
    std::uint32_t sum = 0;
    for (std::uint32_t word = first / 64; word * 64 < end; ++word) {
      std::uint64_t bits = words_[word];
      if (word * 64 < first) {
        bits &= ~std::uint64_t{0} << (first % 64);
      }
      if (end < word * 64 + 64) {
        bits &= (std::uint64_t{1} << (end % 64)) - 1;
      }
      sum += members(bits);
    }
    return sum;
  }
  [[nodiscard]] constexpr bool any(std::uint32_t first, std::uint32_t end) const {
    return count(first, end) != 0;
  }
  [[nodiscard]] constexpr bool any() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : words_) {
      all |= word;
    }
    return all != 0;
  }
  [[nodiscard]] constexpr bool none() const { return !any(); }

  /// Calls `visit(run)` for the maximal runs in ascending order.
  template <class Visit>
  constexpr void each_run(Visit&& visit) const {
    PageRun run;
    for (std::uint32_t word = 0; word < words_.size(); ++word) {
      std::uint64_t bits = words_[word];
      for (std::uint32_t at = 0; bits != 0;) {
        const auto gap = static_cast<std::uint32_t>(std::countr_zero(bits));
        bits >>= gap;
        const auto length = static_cast<std::uint32_t>(std::countr_one(bits));
        const std::uint32_t first = word * 64 + at + gap;
        if (run.count != 0 && run.first + run.count == first) {
          run.count += length;
        } else {
          if (run.count != 0) {
            visit(run);
          }
          run = {first, length};
        }
        at += gap + length;
        bits = length == 64 ? 0 : bits >> length;
      }
    }
    if (run.count != 0) {
      visit(run);
    }
  }

  /// Calls `visit(page)` for each member in ascending order.
  template <class Visit>
  constexpr void each(Visit&& visit) const {
    for (std::uint32_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
        visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
  }

  /// Every page moved up (down) by `pages`; what leaves the block is dropped.
  [[nodiscard]] PageMask up(std::uint32_t pages) const;
  [[nodiscard]] PageMask down(std::uint32_t pages) const;

  constexpr PageMask& operator|=(const PageMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] |= other.words_[i];
    }
    return *this;
  }
  constexpr PageMask& operator&=(const PageMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] &= other.words_[i];
    }
    return *this;
  }
  /// Difference.
  constexpr PageMask& operator-=(const PageMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] &= ~other.words_[i];
    }
    return *this;
  }
  friend constexpr PageMask operator|(PageMask a, const PageMask& b) { return a |= b; }
  friend constexpr PageMask operator&(PageMask a, const PageMask& b) { return a &= b; }
  friend constexpr PageMask operator-(PageMask a, const PageMask& b) { return a -= b; }
  friend constexpr bool operator==(const PageMask&, const PageMask&) = default;

 private:
  /// Without the instruction, std::popcount is a call; most words are empty or full.
  [[nodiscard]] static constexpr std::uint32_t members(std::uint64_t word) {
    return word == 0 ? 0U : word == ~std::uint64_t{0} ? 64U : static_cast<std::uint32_t>(std::popcount(word));
  }

  std::array<std::uint64_t, kBlockPages / 64> words_{};
};

/// Maximal runs in ascending order.
std::vector<PageRun> runs_of(const PageMask& mask);

}  // namespace wg::host::uvm
