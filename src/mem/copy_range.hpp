// Which sectors of a line a memory copy touches. Private to this room.
#pragma once

#include <algorithm>
#include <cstdint>

namespace wg::mem {

/// Bytes of a copy.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] bool empty() const { return begin >= end; }
  [[nodiscard]] Range cut(std::uint64_t from, std::uint64_t to) const {
    return {std::max(begin, from), std::min(end, to)};
  }
};

/// The sectors of a line at `address` that the range touches.
inline std::uint32_t sectors_in(const Range& range, std::uint64_t address, std::uint64_t line_bytes,
                                std::uint64_t sector_bytes) {
  const Range part = range.cut(address, address + line_bytes);
  if (part.empty()) {
    return 0;
  }
  const std::uint64_t first = (part.begin - address) / sector_bytes;
  const std::uint64_t last = (part.end - 1 - address) / sector_bytes;
  return static_cast<std::uint32_t>((2ULL << last) - (1ULL << first));
}

}  // namespace wg::mem
