// Zero-value compression: for every 32 elements a mask of those that are not zero, then these.
//
// Format (Rhu et al., "Compressing DMA Engine", HPCA 2018, section V): u32 mask, little endian, bit i for
// element i; then the non-zero elements in order; the next block follows at once. Zero means all bits zero,
// so -0.0 and NaNs survive. Bits beyond the last element are 0. Bytes that fill no whole element follow the
// last block as they are (ours; the paper has whole elements only).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/outcome.hpp"
#include "codec/simd.hpp"

namespace wg::codec {

/// Sizes in bytes of the elements that ZVC and the run-length codes know: 1, 2, 4, 8.
constexpr bool valid_element(std::size_t element) {
  return element == 1 || element == 2 || element == 4 || element == 8;
}

/// The most that zvc_encode writes for `bytes` bytes: a mask for every 32 elements, begun or whole.
constexpr std::size_t zvc_bound(std::size_t bytes, std::size_t element) {
  return bytes + 4 * ((bytes / element + 31) / 32);
}

/// Elements whose bits are not all zero; a rest smaller than an element is not counted. `element` is valid.
std::uint64_t count_nonzero(std::span<const std::byte> raw, std::size_t element, Simd simd = best_simd());

/// Exactly what zvc_encode writes: 4 * ceil(n / 32) + element * non-zeros + rest.
std::size_t zvc_size(std::span<const std::byte> raw, std::size_t element, Simd simd = best_simd());

/// Writes nothing outside `out`, which need not be larger than the result (it is fastest with 64 bytes more).
/// no_room says how many bytes are needed; `out` then holds a part. `raw` and `out` do not overlap.
Outcome zvc_encode(std::span<const std::byte> raw, std::size_t element, std::span<std::byte> out,
                   Simd simd = best_simd());

/// Fills `raw` from `stream`, which must end where the data does. Reads nothing outside `stream`; may have
/// written a part of `raw` when it fails.
Outcome zvc_decode(std::span<const std::byte> stream, std::size_t element, std::span<std::byte> raw,
                   Simd simd = best_simd());

/// The same for a stream at the front of a larger buffer: `readable`, from the same address, may be read but
/// is no part of the stream. Faster for short streams, such as one window among others.
Outcome zvc_decode_within(std::span<const std::byte> readable, std::size_t stream_bytes, std::size_t element,
                          std::span<std::byte> raw, Simd simd = best_simd());

}  // namespace wg::codec
