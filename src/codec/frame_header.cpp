#include "codec/frame_header.hpp"

#include <xxhash.h>

#include "codec/bytes.hpp"

namespace wg::codec::detail {
namespace {

constexpr std::size_t kCheckAt = 44;

}  // namespace

std::uint64_t hash(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint32_t header_check(std::span<const std::byte> front) {
  const std::uint64_t first = hash(front.first(kCheckAt));
  const auto rest = front.subspan(kFrameHeader);
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(rest.data(), rest.size(), first));
}

void store_header(std::span<std::byte> front, const FrameSpec& spec, const FrameHeader& header) {
  std::byte* at = front.data();
  std::memcpy(at, "WGFRAME1", 8);
  store(at + 8, static_cast<std::uint8_t>(spec.codec));
  store(at + 9, static_cast<std::uint8_t>(spec.element));
  store(at + 10, static_cast<std::uint8_t>(header.entry));
  store(at + 11, static_cast<std::uint8_t>(header.unit));
  store(at + 12, static_cast<std::uint32_t>(spec.window));
  store(at + 16, header.raw);
  store(at + 24, header.payload);
  store(at + 32, header.hash);
  store(at + 40, static_cast<std::uint32_t>(header.meta));
  store(at + kCheckAt, header_check(front));
}

void store_entry(std::span<std::byte> index, std::size_t i, std::size_t entry, std::size_t units, bool raw) {
  if (entry == 2) {
    store(index.data() + 2 * i, static_cast<std::uint16_t>(units | (raw ? 0x8000U : 0U)));
  } else {
    store(index.data() + 4 * i, static_cast<std::uint32_t>(units | (raw ? 0x80000000U : 0U)));
  }
}

}  // namespace wg::codec::detail
