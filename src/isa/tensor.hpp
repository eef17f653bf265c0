// Shapes of matrix instructions: how much work, how many registers.
#pragma once

#include <cstdint>

#include "isa/modifiers.hpp"
#include "isa/opcode.hpp"

namespace wg::isa {

/// One warp's share of a matrix multiply-accumulate D = A * B + C. Registers are counted per lane.
struct MatrixWork {
  std::uint32_t fma = 0;           ///< multiply-adds done for one warp, zeros of 2:4 sparsity not counted
  std::uint8_t bits = 0;           ///< width of an element of A and B
  std::uint16_t a = 0;             ///< registers of A where it comes from registers
  std::uint16_t b = 0;             ///< registers of B, 0 for WGMMA (always in shared memory)
  std::uint16_t accumulators = 0;  ///< registers of C and of D
};

/// Reads shape and types from the modifiers: m, n, k as printed (16816, 64x128x16), registers = elements *
/// bits / (32 lanes * 32 bits), which matches the fragment tables of the PTX ISA, section mma. Volta's
/// HMMA.884 is a step of four quad-pair multiplies and is taken from Raihan, Goli, Aamodt, ISPASS 2019.
/// A shape that cannot be read counts as 16 x 8 x (256 / bits).
MatrixWork matrix_work(const Opcode& opcode, const Modifiers& modifiers);

}  // namespace wg::isa
