// Lines of a raw trace: the block and warp that ran an instruction, then the instruction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/block_header.hpp"
#include "trace/kernel_file.hpp"

namespace wg::trace {

struct RawLine {
  std::uint64_t cta = 0;  ///< linear index in the grid
  std::uint32_t warp = 0;
  std::string_view inst;  ///< the line as a grouped trace of the same version has it, without '\n'
};

/// Reads the ids in front of `line` (followed by '\n', '\r' or '\0') and checks them against the launch:
/// block x, y, z and warp; version 6 adds seven numbers for clusters, which are not kept.
/// False with `fault` filled in.
bool scan_raw_line(std::string_view line, const KernelHeader& header, RawLine& out, BlockFault& fault);

/// A raw trace has two consecutive lines for an LDGSTS: first its shared, then its global addresses. Grouped
/// traces keep the second. Fed the lines of one warp in order, tells the second of a pair.
class PairFinder {
 public:
  bool is_second(std::string_view line);

 private:
  std::string first_;  ///< up to the opcode's end; empty if the line before is no first half
};

/// Leaves out of the lines of a warp the first half of every LDGSTS; returns how many are left.
std::uint64_t drop_first_halves(std::string& lines, std::uint64_t count);

/// The file's line number of the `ordinal`-th instruction (from 0; a pair is one) of a warp, found by reading
/// the file again: only error messages need it.
std::uint64_t find_raw_line(const KernelFile& file, std::uint64_t cta, std::uint32_t warp,
                            std::uint64_t ordinal);

}  // namespace wg::trace
