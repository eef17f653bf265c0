#include "codec/zvc.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "codec/bytes.hpp"
#include "codec/zvc_kernels.hpp"
#include "codec/zvc_large.hpp"

namespace wg::codec {
namespace {

using detail::block_bytes;
using detail::block_room;
using detail::Cursor;
using detail::kBlockElements;
using detail::Kernels;
using detail::kMaskBytes;

constexpr std::size_t kMostElement = 8;
std::size_t bytes_between(const std::byte* begin, const std::byte* end) {
  return static_cast<std::size_t>(end - begin);
}

/// Encodes the last block, or one that the kernel had no room to run free in. False: `out` is too small.
bool encode_block_carefully(const Kernels& kernels, std::size_t element, Cursor& at, const std::byte* in_end,
                            std::byte* out_end) {
  std::array<std::byte, block_bytes(kMostElement)> block{};
  std::array<std::byte, block_room(kMostElement)> coded;
  const std::size_t bytes = std::min(block_bytes(element), bytes_between(at.in, in_end));
  std::memcpy(block.data(), at.in, bytes);
  const Cursor done = kernels.encode({block.data(), coded.data()}, block.data() + block_bytes(element),
                                     coded.data() + block_room(element));
  const std::size_t size = bytes_between(coded.data(), done.out);
  if (size > bytes_between(at.out, out_end)) {
    return false;
  }
  std::memcpy(at.out, coded.data(), size);
  at.in += bytes;
  at.out += size;
  return true;
}

/// Decodes the last block, or one too near the end of the input for the kernel.
Status decode_block_carefully(const Kernels& kernels, std::size_t element, Cursor& at,
                              const std::byte* in_end, std::byte* out_end) {
  if (bytes_between(at.in, in_end) < kMaskBytes) {
    return Status::truncated;
  }
  const auto mask = load<std::uint32_t>(at.in);
  const std::size_t bytes = std::min(block_bytes(element), bytes_between(at.out, out_end));
  const std::size_t elements = bytes / element;
  if (elements < kBlockElements && (mask >> elements) != 0) {
    return Status::tail_bits;
  }
  const std::size_t size = kMaskBytes + static_cast<std::size_t>(std::popcount(mask)) * element;
  if (size > bytes_between(at.in, in_end)) {
    return Status::truncated;
  }
  std::array<std::byte, block_room(kMostElement)> coded{};
  std::array<std::byte, block_bytes(kMostElement)> block;
  std::memcpy(coded.data(), at.in, size);
  kernels.decode({coded.data(), block.data()}, coded.data() + block_room(element),
                 block.data() + block_bytes(element));
  std::memcpy(at.out, block.data(), bytes);
  at.in += size;
  at.out += bytes;
  return Status::ok;
}

}  // namespace

std::uint64_t count_nonzero(std::span<const std::byte> raw, std::size_t element, Simd simd) {
  assert(valid_element(element));
  const Kernels& kernels = detail::kernels(simd, element);
  std::array<std::uint32_t, 64> masks;
  std::uint64_t count = 0;
  const auto add = [&](const std::byte* in, std::size_t blocks) {
    kernels.masks(in, blocks, masks.data());
    for (std::size_t i = 0; i < blocks; ++i) {
      count += static_cast<std::uint64_t>(std::popcount(masks[i]));
    }
  };
  const std::size_t block = block_bytes(element);
  const std::size_t whole = raw.size() / block;
  for (std::size_t i = 0; i < whole; i += masks.size()) {
    add(raw.data() + i * block, std::min(masks.size(), whole - i));
  }
  const std::size_t rest = raw.size() % block / element * element;
  if (rest != 0) {
    std::array<std::byte, block_bytes(kMostElement)> last{};
    std::memcpy(last.data(), raw.data() + whole * block, rest);
    add(last.data(), 1);
  }
  return count;
}

std::size_t zvc_size(std::span<const std::byte> raw, std::size_t element, Simd simd) {
  return zvc_bound(raw.size(), element) -
         element * (raw.size() / element - static_cast<std::size_t>(count_nonzero(raw, element, simd)));
}

Outcome zvc_encode(std::span<const std::byte> raw, std::size_t element, std::span<std::byte> out, Simd simd) {
  if (!valid_element(element)) {
    return {Status::element, 0};
  }
  const Kernels& kernels = detail::kernels(simd, element);
  const std::size_t rest = raw.size() % element;
  const std::byte* in_end = raw.data() + (raw.size() - rest);
  std::byte* out_end = out.data() + out.size();
  Cursor at{raw.data(), out.data()};
  if (raw.size() >= detail::kPastCaches) {
    at = detail::encode_past_caches(kernels, at, in_end, out_end);
  }
  at = kernels.encode(at, in_end, out_end);
  while (at.in != in_end) {
    if (!encode_block_carefully(kernels, element, at, in_end, out_end)) {
      return {Status::no_room, zvc_size(raw, element, simd)};
    }
  }
  if (rest > bytes_between(at.out, out_end)) {
    return {Status::no_room, zvc_size(raw, element, simd)};
  }
  if (rest != 0) {
    std::memcpy(at.out, in_end, rest);
  }
  return {Status::ok, bytes_between(out.data(), at.out) + rest};
}

Outcome zvc_decode_within(std::span<const std::byte> readable, std::size_t stream_bytes, std::size_t element,
                          std::span<std::byte> raw, Simd simd) {
  assert(stream_bytes <= readable.size());
  if (!valid_element(element)) {
    return {Status::element, 0};
  }
  const Kernels& kernels = detail::kernels(simd, element);
  const std::size_t rest = raw.size() % element;
  const std::byte* begin = readable.data();
  const std::byte* in_end = begin + stream_bytes;
  std::byte* out_end = raw.data() + (raw.size() - rest);
  Cursor at{begin, raw.data()};
  if (raw.size() >= detail::kPastCaches) {
    at = detail::decode_past_caches(kernels, at, begin + readable.size(), out_end);
  }
  at = kernels.decode(at, begin + readable.size(), out_end);
  if (at.in > in_end) {
    return {Status::truncated, stream_bytes};
  }
  while (at.out != out_end) {
    const Status status = decode_block_carefully(kernels, element, at, in_end, out_end);
    if (status != Status::ok) {
      return {status, bytes_between(begin, at.in)};
    }
  }
  const std::size_t left = bytes_between(at.in, in_end);
  if (left != rest) {
    return {left < rest ? Status::truncated : Status::trailing, bytes_between(begin, at.in)};
  }
  if (rest != 0) {
    std::memcpy(at.out, at.in, rest);
  }
  return {Status::ok, stream_bytes};
}

Outcome zvc_decode(std::span<const std::byte> stream, std::size_t element, std::span<std::byte> raw,
                   Simd simd) {
  return zvc_decode_within(stream, stream.size(), element, raw, simd);
}

}  // namespace wg::codec
