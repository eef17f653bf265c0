// Run-length codes. The cDMA paper names an RLE without its token format; these are the named variants.
// Multi-byte tokens and elements are little endian.
//   rle16     u16 tokens: bit 15 set = so many elements follow, clear = so many zeros; bits 14..0 = 1..1024
//   rle8      u8 tokens: bit 7 as above; bits 6..0 = length - 1, 1..128
//   rle_val   u8 length 1..255, then the element that repeats so often
//   rle_zero  a bit string, most significant bit first: 0 and 6 bits of length - 1 for 1..64 zeros, 1 and the
//             element's bits for a value; filled up with 0 bits to a byte. After Cavigelli's zero-RLE (EBPC,
//             JETCAS 2019), whose published script writes the length itself, so that 64 takes 7 bits.
// A run never crosses the end of the given data, which is one window. Bytes that fill no whole element follow
// at the end as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/outcome.hpp"
#include "codec/simd.hpp"

namespace wg::codec {

enum class Rle : std::uint8_t { rle16, rle8, rle_val, rle_zero };

/// The most that rle_encode writes. `element` is valid (see valid_element).
std::size_t rle_bound(Rle variant, std::size_t bytes, std::size_t element);

/// Writes nothing outside `out`. no_room comes without the needed size. `raw` and `out` do not overlap.
Outcome rle_encode(Rle variant, std::span<const std::byte> raw, std::size_t element, std::span<std::byte> out,
                   Simd simd = best_simd());

/// Fills `raw` from `stream`, which must end where the data does. May have written a part when it fails.
Outcome rle_decode(Rle variant, std::span<const std::byte> stream, std::size_t element,
                   std::span<std::byte> raw);

}  // namespace wg::codec
