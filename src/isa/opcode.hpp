// What the table knows of a mnemonic before its modifiers are read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/inst.hpp"

namespace wg::isa {

/// How an instruction uses registers: which rule of operands.cpp gives their widths.
enum class Shape : std::uint8_t {
  single,          ///< every register operand is one register
  pair,            ///< every one a 64-bit pair: DADD DFMA
  pair_sources,    ///< pairs in, one register out: DSETP
  pair_result,     ///< 64-bit result of 32-bit sources: LEPC
  pair_target,     ///< a branch target in a pair: BRX CALL RET (Volta and later)
  clock,           ///< CS2R: 64 bits, .32 one register
  product,         ///< IMAD: .WIDE result and addend, .HI addend are 64 bits
  float_to_float,  ///< F2F, FRND: destination type first
  float_to_int,    ///< F2I
  int_to_float,    ///< I2F
  match,           ///< MATCH: .U64 compares pairs
  load,            ///< destination by access width, then the address
  store,           ///< address, then data by access width
  atomic,          ///< destination, address, data (twice for CAS)
  reduction,       ///< address, data
  async_copy,      ///< LDGSTS: shared address, global address
  matrix_load,     ///< LDSM
  matrix_store,    ///< STSM
  constant_load,   ///< LDC ULDC: destination by width, 32-bit index
  address,         ///< one address: CCTL
  texture,         ///< colour quad (a pair each from Volta on), coordinates
  surface_load,    ///< SULD
  surface_store,   ///< SUST
  mma,             ///< HMMA IMMA BMMA QMMA DMMA: A, B, C of one warp
  wgmma,           ///< HGMMA IGMMA QGMMA BGMMA: [A], C of one warp of a warpgroup
  mbarrier         ///< SYNCS ARRIVES: [token], address, operand
};

/// Facts about predicates and operand order that a trace before version 6 does not show.
enum Flags : std::uint8_t {
  kNoFlags = 0,
  kWritesPredicate = 1,       ///< always writes one
  kWritesPredicateAlone = 2,  ///< writes one when no general destination is named
  kReadsPredicate = 4,        ///< selects, carries, votes, branches by one
  kCombinesPredicate = 8,     ///< reads one with .OR .XOR .EX .X (ISETP.NE.OR P0, PT, R1, R2, P3)
  kLeadingPredicate = 16      ///< P first, then the general destination: SHFL PT, R4, R5, ...
};

/// One mnemonic of one generation.
struct Opcode {
  std::string_view name;
  InstClass cls = InstClass::other;
  Space space = Space::none;
  Shape shape = Shape::single;
  std::uint8_t flags = kNoFlags;

  [[nodiscard]] bool is(Flags flag) const { return (flags & flag) != 0; }
};

/// All mnemonics of a generation, sorted by name.
class OpcodeTable {
 public:
  /// Takes the families that `generation` has.
  explicit OpcodeTable(Generation generation);

  [[nodiscard]] Generation generation() const { return generation_; }
  [[nodiscard]] std::span<const std::string_view> names() const { return names_; }
  /// Index of `name`, or kUnknownOpcode.
  [[nodiscard]] std::uint16_t find(std::string_view name) const;
  [[nodiscard]] const Opcode& at(std::uint16_t index) const { return opcodes_[index]; }

 private:
  Generation generation_;
  std::vector<std::string_view> names_;
  std::vector<std::uint64_t>
      keys_;                     ///< of each name: its first eight characters as one number, in this order
  std::vector<Opcode> opcodes_;  ///< in the order of names_
};

/// A set of mnemonics that share everything, and the generations that have them.
struct Family {
  Generation first;
  Generation last;
  InstClass cls;
  Space space;
  Shape shape;
  std::uint8_t flags;
  std::string_view names;  ///< separated by single blanks
};

/// The families, in three files by what they do. A mnemonic appears once per generation over all of them.
std::span<const Family> arithmetic_families();
std::span<const Family> memory_families();
std::span<const Family> control_families();

}  // namespace wg::isa
