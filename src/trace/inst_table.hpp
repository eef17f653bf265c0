// Static instructions seen so far, found again by PC and text.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "trace/inst_line.hpp"
#include "trace/scan.hpp"

namespace wg::trace {

/// One text of the static part at one PC. PCs are not unique (called functions begin at 0 too), so variants
/// of a PC form a chain.
struct Variant {
  std::uint64_t pc = 0;
  std::uint32_t line = 0;  ///< source line, 0 where the trace has none
  std::uint32_t inst = 0;  ///< index of the static instruction
  const char* key = nullptr;
  std::uint32_t key_length = 0;
  std::int32_t imm = 0;
  std::uint32_t next = 0;    ///< next variant of the PC, 0 = none
  std::uint32_t follow = 0;  ///< the variant that came after this one last time
  LineKind kind = LineKind::plain;
};

class InstTable {
 public:
  InstTable() : variants_(1), slots_(kFirstSlots, 0) {}

  /// Number 0 stands for "none".
  [[nodiscard]] const Variant& at(std::uint32_t number) const { return variants_[number]; }
  void set_follow(std::uint32_t number, std::uint32_t follow) { variants_[number].follow = follow; }

  /// The number of the variant whose key begins the text at `p` (of which `left` characters are there), or 0.
  /// `guess` is tried first.
  [[nodiscard]] std::uint32_t find(std::uint32_t guess, std::uint64_t pc, std::uint32_t line, const char* p,
                                   std::size_t left) const {
    if (guess != 0 && matches(variants_[guess], pc, line, p, left)) {
      return guess;
    }
    for (std::uint32_t v = slots_[slot_of(pc)]; v != 0; v = variants_[v].next) {
      if (matches(variants_[v], pc, line, p, left)) {
        return v;
      }
    }
    return 0;
  }

  /// A variant equal to `like` but for the immediate; 0 if there is none.
  [[nodiscard]] std::uint32_t find_imm(std::uint32_t like, std::int32_t imm) const;

  /// Adds a variant; `key` is copied. Returns its number.
  std::uint32_t add(Variant variant, std::string_view key);

 private:
  static constexpr std::size_t kFirstSlots = 1024;

  static bool matches(const Variant& v, std::uint64_t pc, std::uint32_t line, const char* p,
                      std::size_t left) {
    if (v.pc != pc || v.line != line || left < v.key_length || std::memcmp(p, v.key, v.key_length) != 0) {
      return false;
    }
    if (v.kind != LineKind::plain) {
      return is_end(p[v.key_length]);
    }
    // A plain key holds the whole line but for blanks and, in version 6, a tail of values.
    const char* const rest = p + v.key_length;
    return *rest == '\n' || (is_blank(*rest) && !is_digit(*skip_blanks(rest)) && *skip_blanks(rest) != '-');
  }
  [[nodiscard]] std::size_t slot_of(std::uint64_t pc) const {
    std::size_t slot = (pc * 0x9E3779B97F4A7C15ULL >> 32) & (slots_.size() - 1);
    while (slots_[slot] != 0 && variants_[slots_[slot]].pc != pc) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }
  void grow();

  std::vector<Variant> variants_;
  std::vector<std::uint32_t> slots_;  ///< first variant of a PC; power of two, at most half full
  std::size_t used_slots_ = 0;
  std::deque<std::string> keys_;  ///< stable storage
};

}  // namespace wg::trace
