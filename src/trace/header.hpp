// The header of a kernel file: "-key = value" lines up to the first line of the body.
#pragma once

#include <cstdint>

#include "trace/block_reader.hpp"
#include "trace/workload.hpp"

namespace wg::trace {

/// How the body is laid out.
enum class Layout {
  grouped,  ///< #BEGIN_TB blocks, warps one after the other (.traceg)
  raw,      ///< one instruction a line with its CTA and warp, interleaved as they ran (.trace)
};

struct ParsedHeader {
  KernelHeader header;
  Layout layout = Layout::grouped;
  std::uint64_t body_offset = 0;  ///< of the first line of the body in the uncompressed text
  std::uint64_t body_line = 1;    ///< number of that line
};

/// Reads and checks a header: grid and block within CUDA's limits, a known binary version, a tracer version
/// from 1 to 6. Throws wg::Error with file:line; all wrong values of one header together.
ParsedHeader parse_header(BlockReader& reader);

/// The header as a tracer writes it, with the format line.
std::string header_text(const KernelHeader& header);

}  // namespace wg::trace
