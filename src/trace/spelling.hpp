// A static instruction as a trace spells it, with its own storage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/inst.hpp"

namespace wg::trace {

/// What `isa::decode` needs to make the StaticInst again, and what a line of text needs.
struct Spelling {
  std::uint64_t pc = 0;
  std::string mnemonic;
  std::vector<std::uint16_t> dst;  ///< in the numbering of isa/inst.hpp, RZ included
  std::vector<std::uint16_t> src;
  bool has_address = false;
  std::uint8_t traced_width = 0;  ///< bytes as traced; above 255 reads as 255
  std::int32_t imm = 0;
  std::uint32_t line = 0;

  /// The views point into this object. `names_predicates`: the trace is of tracer version 6.
  [[nodiscard]] isa::RawInst raw(bool names_predicates) const {
    return {pc, mnemonic, dst, src, has_address, traced_width, names_predicates, imm, line};
  }
};

}  // namespace wg::trace
