// Register ranges of an instruction: names from the trace, widths from the opcode.
#pragma once

#include <cstdint>

#include "isa/inst.hpp"
#include "isa/modifiers.hpp"
#include "isa/opcode.hpp"
#include "isa/tensor.hpp"

namespace wg::isa {

/// Everything a width can depend on.
struct OperandContext {
  const Opcode& opcode;
  const Modifiers& modifiers;
  Generation generation;
  std::uint8_t access_bytes;  ///< of memory shapes, else 0
  MatrixWork matrix;          ///< of matrix shapes
};

/// Fills `inst.dst` and `inst.src` with general, uniform and (where the trace names them) predicate
/// registers.
void assign_registers(const OperandContext& context, const RawInst& raw, StaticInst& inst);

/// Adds the stand-in predicate where the trace does not name predicates and the opcode uses one.
void assign_unnamed_predicates(const OperandContext& context, const RawInst& raw, StaticInst& inst);

/// Adds one range, clipped to its register file; drops constants, what is no register and what does not fit.
void add_destination(StaticInst& inst, std::uint16_t reg, std::uint32_t width);
void add_source(StaticInst& inst, std::uint16_t reg, std::uint32_t width);

/// Registers that hold `bytes` of a lane, at least one.
constexpr std::uint16_t registers_for(std::uint32_t bytes) {
  return static_cast<std::uint16_t>(bytes <= 4 ? 1 : (bytes + 3) / 4);
}

/// Matrices of a LDSM or STSM: .4, .2 or one; each fills one register.
std::uint8_t matrix_count(const Modifiers& modifiers);

}  // namespace wg::isa
