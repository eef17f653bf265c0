// The static half of a kernel written as code: its instructions, each decoded once and given a fixed PC.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/inst.hpp"

namespace wg::kernels {

/// A register number in the numbering of isa/inst.hpp. Implicit, so that emission reads like assembly.
struct Reg {
  std::uint16_t number = 0;
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Reg(int value) : number(static_cast<std::uint16_t>(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Reg(unsigned value) : number(static_cast<std::uint16_t>(value)) {}
  friend constexpr bool operator==(Reg, Reg) = default;
};
inline constexpr Reg kRZ = 255;           ///< reads as zero, writes are dropped
inline constexpr Reg kNoDst = 0xFFFF;     ///< the instruction names no destination register
using Srcs = std::initializer_list<Reg>;  ///< source registers in operand order, memory base first

/// What one emission says of its static instruction. The views need to live for the call only.
struct StaticForm {
  std::string_view mnemonic;
  Reg dst = kNoDst;
  Srcs srcs;
  bool has_address = false;
  std::int32_t imm = 0;
};

/// The instructions of one kernel in slot order. A slot is a place in the code; its PC follows from the
/// encoding of the SM version: 16 bytes from Volta on, 8 bytes before, with a control word in front of every
/// three (Maxwell, Pascal) or seven (Kepler) instructions.
class Program {
 public:
  explicit Program(std::uint32_t sm_version);

  /// Decodes `form` into the next slot.
  void append(const StaticForm& form);
  /// True when `slot` holds this mnemonic, these registers and this immediate.
  [[nodiscard]] bool matches(std::uint32_t slot, const StaticForm& form) const;

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(instructions_.size()); }
  [[nodiscard]] std::span<const isa::StaticInst> instructions() const { return instructions_; }
  [[nodiscard]] std::string_view mnemonic(std::uint32_t slot) const { return texts_[slot].mnemonic; }
  /// As a trace of the kernel would spell it.
  [[nodiscard]] isa::RawInst spelling(std::uint32_t slot) const;

 private:
  /// An instruction as it was spelled.
  struct Text {
    std::string mnemonic;
    std::vector<std::uint16_t> dst;  ///< one or none
    std::vector<std::uint16_t> srcs;
    bool has_address = false;
    std::int32_t imm = 0;
  };

  [[nodiscard]] isa::RawInst raw_of(const Text& text, std::uint32_t slot) const;

  std::uint32_t sm_version_;
  const isa::OpcodeTable* table_;
  std::vector<isa::StaticInst> instructions_;
  std::deque<Text> texts_;
};

/// PC of a slot on an SM version.
std::uint64_t pc_of_slot(std::uint32_t slot, std::uint32_t sm_version);

}  // namespace wg::kernels
