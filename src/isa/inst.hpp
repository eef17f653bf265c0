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
  fp32_alu,     ///< FSETP FSEL FMNMX FCHK FSWZADD: compare and select; F2FP I2FP, which the ALU converts
  integer,      ///< IADD3 LOP3 LEA SHF SEL PRMT ISETP MOV ...
  imad,         ///< IMAD and its moves and shifts (IMAD.MOV.U32); XMAD on Pascal
  imad_wide,    ///< IMAD.WIDE, IMAD.HI
  fp16,         ///< HADD2 HMUL2 HFMA2 (also HFMA2.MMA)
  fp64,         ///< DADD DMUL DFMA DSETP
  mufu,         ///< MUFU: reciprocal, square root, sin, ex2, lg2
  conversion,   ///< F2I I2F F2F I2I FRND I2IP F2IP
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
  mbarrier,     ///< SYNCS, ARRIVES, cluster barriers (UCGABAR_*)
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

/// Register numbering for dependences: 0..254 general, 256..262 predicates (263 is PT), 264..326 uniform (327
/// is URZ), then the one stand-in for all predicates that traces before version 6 do not name, then uniform
/// predicates UP0..UP6. The constants RZ, PT and URZ carry no dependence and never appear in a range.
inline constexpr std::uint16_t kRegZero = 255;
inline constexpr std::uint16_t kRegPredicate0 = 256;
inline constexpr std::uint16_t kRegPredicateTrue = 263;
inline constexpr std::uint16_t kRegUniform0 = 264;
inline constexpr std::uint16_t kRegUniformZero = 327;
inline constexpr std::uint16_t kRegAnyPredicate = 328;
inline constexpr std::uint16_t kRegUniformPredicate0 = 329;
inline constexpr std::uint16_t kRegCount = 336;

/// What an instruction of class `depbar` does with groups of asynchronous work. Of waits, `imm` is the number
/// of groups that may stay open.
enum class GroupOp : std::uint8_t {
  none,
  commit_copy,  ///< LDGDEPBAR: closes the group of LDGSTS issued so far
  commit_bulk,  ///< UTMACMDFLUSH: closes the group of bulk stores issued so far
  wait_copy,    ///< DEPBAR: waits for copy and bulk groups
  wait_wgmma    ///< WARPGROUP.DEPBAR: waits for groups of HGMMA and its kin
};

/// `StaticInst::opcode` of a mnemonic that the table of the generation does not list.
inline constexpr std::uint16_t kUnknownOpcode = 0xFFFF;

/// A run of consecutive registers, e.g. R4..R7 written by LDG.E.128.
struct RegRange {
  std::uint16_t first = 0;
  std::uint16_t count = 0;
};

/// What the timing model needs to know of one instruction. Ranges never contain RZ, PT or URZ; of more
/// operands than fit, the last are dropped.
struct StaticInst {
  std::uint64_t pc = 0;  ///< byte offset inside the function
  InstClass cls = InstClass::other;
  Space space = Space::none;
  std::uint8_t width = 0;           ///< bytes at each lane's address, 0 for none; LDSM, STSM: a 16-byte row
  std::uint8_t dst_count = 0;       ///< valid entries of `dst`
  std::uint8_t src_count = 0;       ///< valid entries of `src`
  bool known = true;                ///< false: mnemonic not in the table of the generation
  bool has_address = false;         ///< the trace carries addresses for it
  bool bypass_l1 = false;           ///< .STRONG.GPU/.SYS, volatile, atomics: served by the L2
  bool arrive_only = false;         ///< BAR.ARV: arrives without waiting
  GroupOp group = GroupOp::none;    ///< class depbar only
  std::uint8_t address_lanes = 32;  ///< only the first so many lanes access; LDSM.M88: 8, .2: 16
  std::uint16_t opcode = kUnknownOpcode;  ///< index into mnemonics(table)
  std::uint32_t tensor_fma =
      0;  ///< multiply-adds done for one warp (tensor classes), zeros of 2:4 not counted
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
  std::uint8_t traced_width = 0;  ///< bytes; used only where the table does not know the access
  bool names_predicates = false;  ///< tracer version >= 6: predicates and uniform registers are listed
  std::int32_t imm = 0;
  std::uint32_t line = 0;
};

/// Table of one generation. Values; cheap to copy a reference, made once.
class OpcodeTable;

/// Generation of a trace's binary version (20, 21, 30..37, 50..53, 60..62, 70, 72, 75, 80..88, 89, 90). Later
/// versions (to 299) map to the newest; returns false, leaving `generation`, for a number that is none.
bool generation_of(std::uint32_t binary_version, Generation& generation);
std::string_view name_of(Generation generation);
bool generation_from_name(std::string_view name, Generation& generation);

/// The table of a generation; lives as long as the program (constant data).
const OpcodeTable& table_of(Generation generation);

/// All mnemonics (before the first dot) of a table, sorted.
std::span<const std::string_view> mnemonics(const OpcodeTable& table);

/// Decodes one instruction: class from the part before the first dot (then the modifiers), register widths
/// from the opcode (LDG.E.128 writes four registers; HMMA.16816.F32 reads 4 + 2 + 4 and writes 4). Total: any
/// mnemonic and any register numbers give a result; what is no register is left out.
StaticInst decode(const OpcodeTable& table, const RawInst& raw);

}  // namespace wg::isa
