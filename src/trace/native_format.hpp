// Constants and tables of the native trace file (.wgt); docs/wgt.md describes it byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trace/native_bytes.hpp"
#include "trace/workload.hpp"

namespace wg::trace::native {

using namespace std::string_view_literals;

inline constexpr std::string_view kMagic = "\x89WGT\r\n\x1A\n"sv;
inline constexpr std::string_view kEndMagic = "WGT-END\n"sv;
inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::size_t kHeadBytes = 16;
inline constexpr std::size_t kTailBytes = 48;

/// Bytes in the file: as they are where `stored` equals `raw`, else one zstd frame.
struct Section {
  std::uint64_t offset = 0;
  std::uint32_t stored = 0;
  std::uint32_t raw = 0;
  std::uint64_t checksum = 0;  ///< XXH3 of the stored bytes
};

/// Consecutive CTAs that are packed together.
struct BlockInfo {
  std::uint64_t first_cta = 0;  ///< place in issue order
  std::uint64_t ctas = 0;
  std::uint64_t insts = 0;  ///< warp instructions of all of them
  Section control;          ///< directory and columns
  Section lists;            ///< offsets of address lists
};

/// A static instruction and, if it carries addresses, the first access of the kernel: what the first access
/// of each CTA is written against.
struct StaticEntry {
  std::uint64_t pc = 0;
  std::uint32_t name = 0;            ///< number of its mnemonic
  std::uint32_t first_register = 0;  ///< in KernelTable::registers: destinations, then sources
  std::uint32_t destinations = 0;
  std::uint32_t sources = 0;
  std::int32_t imm = 0;
  std::uint32_t line = 0;
  bool has_address = false;
  std::uint8_t traced_width = 0;
  std::uint64_t base = 0;
  std::int64_t stride = 0;
};

/// Consecutive static instructions that some warp ran under one mask.
struct Stretch {
  std::uint32_t start = 0;
  std::uint32_t length = 0;
};

struct KernelTable {
  std::vector<std::string> names;
  std::vector<std::uint16_t> registers;
  std::vector<StaticEntry> statics;
  std::vector<Stretch> stretches;
  std::vector<BlockInfo> blocks;

  /// Static instruction `number` as a trace spells it; the views point into this object.
  [[nodiscard]] isa::RawInst raw(std::size_t number, bool names_predicates) const {
    const StaticEntry& s = statics[number];
    const std::uint16_t* const first = registers.data() + s.first_register;
    return {s.pc,          names[s.name],  {first, s.destinations}, {first + s.destinations, s.sources},
            s.has_address, s.traced_width, names_predicates,        s.imm,
            s.line};
  }
};

struct KernelEntry {
  KernelHeader header;
  Section table;
};

using FooterCommand = std::variant<Copy, KernelEntry>;

void write_table(const KernelTable& table, ByteWriter& out);
/// Throws wg::Error. Blocks lie between the head and `end` in ascending order and hold `ctas` CTAs.
KernelTable read_table(ByteReader& in, std::uint64_t ctas, std::uint64_t end);

void write_footer(const std::vector<FooterCommand>& commands, ByteWriter& out);
/// Throws wg::Error. Headers are within the limits that headers of text traces are held to; tables lie
/// between the head and `end`.
std::vector<FooterCommand> read_footer(ByteReader& in, std::uint64_t end);

/// How one access is told. The low four bits of its code count the bytes of the difference to the predicted
/// base, 0 to 8; the high four bits are:
enum class AccessForm : std::uint8_t {
  strided = 0,  ///< 0: stride as before; 1 to 8: bytes of the new stride
  listed = 9,   ///< the base is the least address; a byte with width and shift of the offsets follows
  none = 10,    ///< no addresses
};

}  // namespace wg::trace::native
