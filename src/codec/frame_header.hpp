// The fixed part of a container, field by field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/frame.hpp"

namespace wg::codec::detail {

/// Room beyond the bound of a window that lets the vector loops run to its end.
inline constexpr std::size_t kFrameSlack = 64;

struct FrameHeader {
  std::size_t entry = 2;
  std::size_t unit = 1;
  std::uint64_t raw = 0;
  std::uint64_t payload = 0;
  std::uint64_t hash = 0;
  std::size_t meta = 0;
};

constexpr std::size_t window_count(std::size_t raw_bytes, std::size_t window) {
  return raw_bytes / window + (raw_bytes % window != 0 ? 1 : 0);
}

/// XXH3-64.
std::uint64_t hash(std::span<const std::byte> bytes);
/// The check of a header: over `front` (header, meta data and index) but for the check itself.
std::uint32_t header_check(std::span<const std::byte> front);

/// Writes the first 48 bytes of `front`, which holds meta data and index already.
void store_header(std::span<std::byte> front, const FrameSpec& spec, const FrameHeader& header);

void store_entry(std::span<std::byte> index, std::size_t i, std::size_t entry, std::size_t units, bool raw);

}  // namespace wg::codec::detail
