// The run-length codes on whole elements; rle.cpp adds what they share.
#pragma once

#include <cstddef>

#include "codec/byte_writer.hpp"
#include "codec/outcome.hpp"
#include "codec/zvc_kernels.hpp"

namespace wg::codec::detail {

/// Encoders: false when `out` is full. Decoders fill `raw` and leave what follows in `in`.
template <class Token>
struct TokenRle {
  static bool encode(std::span<const std::byte> raw, std::size_t element, const Kernels& kernels,
                     ByteWriter& out);
  static Status decode(ByteReader& in, std::size_t element, std::span<std::byte> raw);
};
extern template struct TokenRle<std::uint8_t>;
extern template struct TokenRle<std::uint16_t>;

bool encode_rle_val(std::span<const std::byte> raw, std::size_t element, ByteWriter& out);
Status decode_rle_val(ByteReader& in, std::size_t element, std::span<std::byte> raw);

bool encode_rle_zero(std::span<const std::byte> raw, std::size_t element, const Kernels& kernels,
                     ByteWriter& out);
Status decode_rle_zero(ByteReader& in, std::size_t element, std::span<std::byte> raw);

}  // namespace wg::codec::detail
