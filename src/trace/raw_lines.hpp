// Lines of a raw trace: the block and warp that ran an instruction, then the instruction.
#pragma once

#include <cstdint>
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

/// The file's line number of the `ordinal`-th instruction (from 0) of a warp, found by reading the file
/// again: only error messages need it.
std::uint64_t find_raw_line(const KernelFile& file, std::uint64_t cta, std::uint32_t warp,
                            std::uint64_t ordinal);

}  // namespace wg::trace
