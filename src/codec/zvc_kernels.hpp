// The inner loops of zero-value compression, one set per instruction set and element size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/simd.hpp"

namespace wg::codec::detail {

inline constexpr std::size_t kBlockElements = 32;
inline constexpr std::size_t kMaskBytes = 4;
/// Kernels load and store whole vectors: up to this many bytes behind what they use.
inline constexpr std::size_t kSlack = 64;

constexpr std::size_t block_bytes(std::size_t element) { return kBlockElements * element; }
/// Compressed bytes a kernel must be able to touch to take one more block.
constexpr std::size_t block_room(std::size_t element) { return kMaskBytes + block_bytes(element) + kSlack; }

struct Cursor {
  const std::byte* in;
  std::byte* out;
};

/// encode: while a whole block is left in [in, in_end) and block_room() is left in [out, out_end).
/// decode: while block_room() is left in [in, in_end) and a whole block is left in [out, out_end).
/// Nothing outside these ranges is touched. The return value says how far it came.
using BlockLoop = Cursor (*)(Cursor at, const std::byte* in_end, std::byte* out_end);
/// One mask for each of `blocks` whole blocks at `in`.
using MaskLoop = void (*)(const std::byte* in, std::size_t blocks, std::uint32_t* masks);

struct Kernels {
  BlockLoop encode;
  BlockLoop decode;
  MaskLoop masks;
};

/// `element` is 1, 2, 4 or 8.
const Kernels& scalar_kernels(std::size_t element);
const Kernels& avx2_kernels(std::size_t element);
const Kernels& avx512_kernels(std::size_t element);

/// The set for `simd`, or the widest below it that this build has.
const Kernels& kernels(Simd simd, std::size_t element);

}  // namespace wg::codec::detail
