// The lines that open a thread block: "#BEGIN_TB", "thread block = x,y,z" and, in version 6, cluster lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/workload.hpp"

namespace wg::trace {

/// Numbers a CTA of the grid, x fastest.
inline std::uint64_t linear_index(const Dim3& cta, const Dim3& grid) {
  return cta.x + grid.x * (cta.y + std::uint64_t{grid.y} * cta.z);
}

/// "(x,y,z)"
std::string text_of(const Dim3& dim);

/// Why a block's opening lines are wrong; `at` points into the text.
struct BlockFault {
  const char* at = nullptr;
  std::string expected;
  std::string found;
};

/// Reads the opening of `text` (which ends in '\n' and begins with "#BEGIN_TB") and checks the index against
/// the grid. Returns the first character behind it, or nullptr with `fault` filled in.
const char* scan_block_header(std::string_view text, const Dim3& grid, Dim3& index, BlockFault& fault);

/// The rest of the line at `p`, for messages.
std::string_view line_at(const char* p);

/// The same in words.
std::string shown_line(const char* p);

/// Skips blank lines and leading blanks.
const char* skip_empty_lines(const char* p);

/// If the line at `p` is "`key` = ...", returns its value's first character, else nullptr.
const char* match_key(const char* p, std::string_view key);

}  // namespace wg::trace
