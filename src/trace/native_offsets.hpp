// Offsets of an address list as planes of bytes: the low words of all offsets, then what is above. Each plane
// has words of 1, 2, 4 or 8 bytes, so that it is widened by loops without a branch.
#pragma once

#include <cstdint>
#include <span>

#include "trace/native_bytes.hpp"

namespace wg::trace::native {

/// Addresses are written in groups of so many; fewer than that behind the last are overwritten.
inline constexpr std::size_t kOffsetGroup = 8;

/// How the offsets of one list are told.
struct OffsetPacking {
  static constexpr std::uint32_t kMostShift = 15;
  unsigned width = 0;  ///< bytes, 0 to 8
  unsigned shift = 0;  ///< low bits that all offsets lack
};

/// The least packing for offsets whose bits together are `any`.
OffsetPacking packing_for(std::uint64_t any);

/// Adds `width` bytes for each address; `least` is the least of them.
void write_offsets(std::span<const std::uint64_t> list, std::uint64_t least, const OffsetPacking& packing,
                   ByteWriter& out);

/// Sets `count` addresses. Up to kOffsetGroup - 1 more are overwritten, and kSlack bytes behind the offsets
/// may be loaded.
void read_offsets(const unsigned char* from, std::size_t count, std::uint64_t least,
                  const OffsetPacking& packing, std::uint64_t* to);

}  // namespace wg::trace::native
