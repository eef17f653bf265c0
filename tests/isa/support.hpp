// Short spellings for the tests of the decoder.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "isa/inst.hpp"

namespace wg::isa::test {

inline constexpr std::uint16_t kRZ = kRegZero;
inline constexpr std::uint16_t ur(std::uint16_t n) { return static_cast<std::uint16_t>(kRegUniform0 + n); }
inline constexpr std::uint16_t p(std::uint16_t n) { return static_cast<std::uint16_t>(kRegPredicate0 + n); }

struct Line {
  std::string_view mnemonic;
  std::vector<std::uint16_t> dst;
  std::vector<std::uint16_t> src;
  std::int32_t imm = 0;
  bool has_address = false;
  std::uint8_t traced_width = 0;
  bool names_predicates = false;
};

StaticInst decoded(Generation generation, const Line& line);

/// "R4*2 P*1": first register and count of each range. P is the stand-in for all predicates.
std::string text_of(std::span<const RegRange> ranges);
inline std::string writes(const StaticInst& inst) { return text_of(inst.writes()); }
inline std::string reads(const StaticInst& inst) { return text_of(inst.reads()); }

/// One row of a table of expectations.
struct Case {
  Generation generation;
  Line line;
  std::string_view writes;
  std::string_view reads;
};

}  // namespace wg::isa::test
