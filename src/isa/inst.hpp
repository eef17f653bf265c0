// A static instruction: what a SASS mnemonic means for timing, decoded once per kernel.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace wg::isa {

/// GPU generation, chosen by the binary version (SM architecture number) of a trace.
enum class Generation : std::uint8_t { fermi, kepler, maxwell, pascal, volta, turing, ampere, ada, hopper };

/// Timing class. A machine file gives each class a pipe, a latency and an issue interval.
enum class InstClass : std::uint8_t {
  fp32,         ///< FADD FMUL FFMA
  fp32_alu,     ///< FSETP FSEL FMNMX FCHK FSWZADD: single precision compare and select
  integer,      ///< IADD3 LOP3 LEA SHF SEL PRMT ISETP MOV ...
  imad,         ///< IMAD and its moves and shifts (IMAD.MOV.U32); XMAD on Pascal
  imad_wide,    ///< IMAD.WIDE, IMAD.HI
  fp16,         ///< HADD2 HMUL2 HFMA2 (also HFMA2.MMA)
  fp64,         ///< DADD DMUL DFMA DSETP
  mufu,         ///< MUFU: reciprocal, square root, sin, ex2, lg2
  conversion,   ///< F2I I2F F2F I2I FRND and packed forms
  bitcount,     ///< POPC FLO BREV
  tensor,       ///< HMMA IMMA BMMA; size in `tensor_fma`
  tensor_fp64,  ///< DMMA
  wgmma,        ///< HGMMA IGMMA QGMMA BGMMA: asynchronous over a warpgroup
  uniform,      ///< U* datapath, ULDC, R2UR, S2UR
  predicate,    ///< PLOP3 PSETP P2R R2P
  special,      ///< S2R CS2R: special registers
  shuffle,      ///< SHFL
  vote,         ///< VOTE VOTEU MATCH REDUX
  branch,       ///< BRA BRX JMP CALL RET BSSY BSYNC BREAK SSY SYNC WARPSYNC ...
  exit,         ///< EXIT
  barrier,      ///< BAR
  membar,       ///< MEMBAR FENCE ERRBAR CCTL CCTLL
  depbar,       ///< DEPBAR LDGDEPBAR WARPGROUP.DEPBAR: waits for or closes groups of asynchronous work
  mbarrier,     ///< SYNCS
  load,         ///< LD LDG LDL LDS: the space is in `space`
  store,        ///< ST STG STL STS
  atomic,       ///< ATOM ATOMG ATOMS
  reduction,    ///< RED: an atomic without a result
  ldgsts,       ///< asynchronous copy global -> shared
  ldsm,         ///< LDSM (ldmatrix), STSM, MOVM
  constant,     ///< LDC
  texture,      ///< TEX TLD SULD SUST
  tma,          ///< UTMALDG UTMASTG UBLKCP ...
  nop,          ///< NOP NANOSLEEP YIELD and other no-effect instructions
  other,        ///< unknown mnemonic: timed as `integer`, reported once
  count_
};
inline constexpr std::size_t kInstClasses = static_cast<std::size_t>(InstClass::count_);

/// Lower-case name as used in machine files and reports; the inverse returns false for an unknown name.
std::string_view name_of(InstClass cls);
bool class_from_name(std::string_view name, InstClass& cls);

enum class Space : std::uint8_t { none, global, shared, local, constant, generic, texture };

/// Register numbering for dependences: 0..254 general, 256..263 predicates, 264..327 uniform, then the one
/// stand-in for all predicates that traces before version 6 do not name.
inline constexpr std::uint16_t kRegZero = 255;
inline constexpr std::uint16_t kRegPredicate0 = 256;
inline constexpr std::uint16_t kRegUniform0 = 264;
inline constexpr std::uint16_t kRegAnyPredicate = 328;
inline constexpr std::uint16_t kRegCount = 336;

/// A run of consecutive registers, e.g. R4..R7 written by LDG.E.128.
struct RegRange {
  std::uint16_t first = 0;
  std::uint16_t count = 0;
};

/// What the timing model needs to know of one instruction. Ranges never contain RZ.
struct StaticInst {
  std::uint64_t pc = 0;  ///< byte offset inside the function
  InstClass cls = InstClass::other;
  Space space = Space::none;
  std::uint8_t width = 0;        ///< bytes per lane of a memory access, 0 for none
  std::uint8_t dst_count = 0;    ///< valid entries of `dst`
  std::uint8_t src_count = 0;    ///< valid entries of `src`
  bool known = true;             ///< false: mnemonic not in the table of the generation
  bool has_address = false;      ///< the trace carries addresses for it
  bool bypass_l1 = false;        ///< .STRONG.GPU/.SYS, volatile, atomics: served by the L2
  bool arrive_only = false;      ///< BAR.ARV: arrives without waiting
  std::uint16_t opcode = 0;      ///< index into Mnemonics of the decoder that made it
  std::uint32_t tensor_fma = 0;  ///< multiply-adds of one warp instruction (tensor classes)
  std::uint8_t tensor_bits = 0;  ///< element width of the tensor inputs: 1, 4, 8, 16, 32 (TF32), 64
  std::int32_t imm = 0;          ///< immediate column of the trace, 0 when absent
  std::uint32_t line = 0;        ///< source line, 0 when absent
  std::array<RegRange, 2> dst{};
  std::array<RegRange, 6> src{};

  [[nodiscard]] std::span<const RegRange> writes() const { return {dst.data(), dst_count}; }
  [[nodiscard]] std::span<const RegRange> reads() const { return {src.data(), src_count}; }
};

/// An instruction as a trace spells it.
struct RawInst {
  std::uint64_t pc = 0;
  std::string_view mnemonic;           ///< with all dot modifiers
  std::span<const std::uint16_t> dst;  ///< register numbers in the numbering above, RZ allowed
  std::span<const std::uint16_t> src;
  bool has_address = false;
  std::uint8_t traced_width = 0;  ///< bytes; used only where the mnemonic does not tell
  bool names_predicates = false;  ///< tracer version >= 6: predicates and uniform registers are listed
  std::int32_t imm = 0;
  std::uint32_t line = 0;
};

/// Table of one generation. Values; cheap to copy a reference, made once.
class OpcodeTable;

/// Generation of a trace's binary version (20..35, 50..61, 70, 72, 75, 80..87, 89, 90, 100, 120). Later
/// versions than the newest known map to the newest; returns false for a number that is no SM version.
bool generation_of(std::uint32_t binary_version, Generation& generation);
std::string_view name_of(Generation generation);
bool generation_from_name(std::string_view name, Generation& generation);

/// The table of a generation; lives as long as the program (constant data).
const OpcodeTable& table_of(Generation generation);

/// Decodes one instruction: class from the part before the first dot (then the modifiers), register widths
/// from the opcode (LDG.E.128 writes four registers; HMMA.16816.F32 reads 4 + 2 + 4 and writes 4).
StaticInst decode(const OpcodeTable& table, const RawInst& raw);

}  // namespace wg::isa
