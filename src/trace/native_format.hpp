// Constants and tables of the native trace file (.wgt); docs/wgt.md describes it byte by byte.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trace/native_bytes.hpp"
#include "trace/spelling.hpp"
#include "trace/workload.hpp"

namespace wg::trace::native {

using namespace std::string_view_literals;

inline constexpr std::string_view kMagic = "\x89WGT\r\n\x1A\n"sv;
inline constexpr std::string_view kEndMagic = "WGT-END\n"sv;
inline constexpr std::uint32_t kVersion = 1;
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
  Section control;          ///< directory, runs and addresses
  Section lists;            ///< offsets of address lists; directly behind `control` in the file
};

/// A static instruction and, if it carries addresses, the first access of the kernel: what the first access
/// of each CTA is written against.
struct StaticEntry {
  Spelling spelling;
  std::uint64_t base = 0;
  std::int64_t stride = 0;
};

struct KernelTable {
  std::vector<StaticEntry> statics;
  std::vector<BlockInfo> blocks;
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

/// How the mask of a run is told.
enum class MaskForm : std::uint8_t {
  same,    ///< as the run before in the warp, all lanes at its begin
  full,    ///< all 32 lanes
  recent,  ///< a byte: place in the ring of masks that were written out
  given,   ///< four bytes, which enter the ring
};
inline constexpr std::uint32_t kRecentMasks = 16;
inline constexpr std::uint32_t kFullMask = 0xFFFFFFFF;

/// How the addresses of one access are told; the low bits of its first byte.
enum class AccessForm : std::uint8_t {
  predicted,  ///< base and stride as predicted
  based,      ///< base as difference to the prediction
  strided,    ///< base likewise, stride as a number
  listed,     ///< base likewise: the smallest address; a byte with width and shift of the offsets
  none,       ///< no addresses
};

}  // namespace wg::trace::native
