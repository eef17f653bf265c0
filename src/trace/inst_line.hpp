// The part of an instruction line that is the same each time the instruction runs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "trace/block_header.hpp"
#include "trace/workload.hpp"

namespace wg::trace {

/// What follows the static part of a line.
enum class LineKind : std::uint8_t {
  plain,   ///< nothing (or register values of version 6)
  memory,  ///< address mode, addresses, then an optional immediate
  bulk,    ///< the tail of a version 6 TMA instruction
  pseudo,  ///< REPLAY_START and REPLAY_END: marks of the tracer, no instructions
};

struct InstLine {
  static constexpr std::size_t kMaxDst = 8;
  static constexpr std::size_t kMaxSrc = 16;

  LineKind kind = LineKind::plain;
  std::size_t key_length = 0;  ///< characters from the first to the last of the static part
  std::string_view mnemonic;
  std::array<std::uint16_t, kMaxDst> dst{};  ///< in the numbering of isa/inst.hpp
  std::array<std::uint16_t, kMaxSrc> src{};
  std::size_t dst_count = 0;
  std::size_t src_count = 0;
  std::uint8_t width = 0;  ///< bytes; above 255 reads as 255
  std::int32_t imm = 0;    ///< only of a plain line: elsewhere it follows the addresses
  bool has_imm = false;
};

/// True if memory instructions of this name have the tail of a TMA instruction in this tracer version.
bool has_bulk_tail(std::string_view mnemonic, std::uint32_t version);

/// Scans the line from the destination count on. `version` is the tracer's. False with `fault` filled in.
bool scan_inst_line(const char* p, std::uint32_t version, InstLine& line, BlockFault& fault);

/// Scans `[imm] [imm2]` (a second one only in version 6). Returns the first character behind and the number
/// of values found; nullptr if a number is malformed.
const char* scan_immediates(const char* p, std::uint32_t version, std::int32_t& imm, int& count);

/// Skips what may follow the last number of a line: nothing, register values ("Val", "NoVal", version 6) or
/// stored data ("STORE_DATA"). Returns the start of the next line, or nullptr with `fault`.
const char* skip_line_tail(const char* p, std::uint32_t version, BlockFault& fault);

}  // namespace wg::trace
