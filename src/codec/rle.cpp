#include "codec/rle.hpp"

#include <algorithm>

#include "codec/rle_variants.hpp"
#include "codec/zvc.hpp"

namespace wg::codec {
namespace {

using detail::ByteReader;
using detail::ByteWriter;
using detail::TokenRle;

bool encode_elements(Rle variant, std::span<const std::byte> raw, std::size_t element, Simd simd,
                     ByteWriter& out) {
  const detail::Kernels& kernels = detail::kernels(simd, element);
  switch (variant) {
    case Rle::rle16:
      return TokenRle<std::uint16_t>::encode(raw, element, kernels, out);
    case Rle::rle8:
      return TokenRle<std::uint8_t>::encode(raw, element, kernels, out);
    case Rle::rle_val:
      return detail::encode_rle_val(raw, element, out);
    case Rle::rle_zero:
      return detail::encode_rle_zero(raw, element, kernels, out);
  }
  return false;
}

Status decode_elements(Rle variant, ByteReader& in, std::size_t element, std::span<std::byte> raw) {
  switch (variant) {
    case Rle::rle16:
      return TokenRle<std::uint16_t>::decode(in, element, raw);
    case Rle::rle8:
      return TokenRle<std::uint8_t>::decode(in, element, raw);
    case Rle::rle_val:
      return detail::decode_rle_val(in, element, raw);
    case Rle::rle_zero:
      return detail::decode_rle_zero(in, element, raw);
  }
  return Status::token;
}

}  // namespace

std::size_t rle_bound(Rle variant, std::size_t bytes, std::size_t element) {
  const std::size_t n = bytes / element;
  const std::size_t rest = bytes % element;
  // A run of zeros with the literals behind it takes two tokens; elements larger than that hide them.
  // Literals before and zeros behind all pairs, and runs that are cut, add the rest.
  const auto tokens = [&](std::size_t token, std::size_t most) {
    return rest + std::max(n * element, (n * (element + 2 * token) + 1) / 2) + 2 * token + token * (n / most);
  };
  switch (variant) {
    case Rle::rle16:
      return tokens(2, 1024);
    case Rle::rle8:
      return tokens(1, 128);
    case Rle::rle_val:
      return rest + n * (1 + element);
    case Rle::rle_zero:
      return rest + (n * (1 + 8 * element) + 7) / 8;
  }
  return 0;
}

Outcome rle_encode(Rle variant, std::span<const std::byte> raw, std::size_t element, std::span<std::byte> out,
                   Simd simd) {
  if (!valid_element(element)) {
    return {Status::element, 0};
  }
  ByteWriter writer(out);
  const std::size_t whole = raw.size() - raw.size() % element;
  const bool fits =
      encode_elements(variant, raw.first(whole), element, simd, writer) && writer.put(raw.subspan(whole));
  return fits ? Outcome{Status::ok, writer.written()} : Outcome{Status::no_room, 0};
}

Outcome rle_decode(Rle variant, std::span<const std::byte> stream, std::size_t element,
                   std::span<std::byte> raw) {
  if (!valid_element(element)) {
    return {Status::element, 0};
  }
  ByteReader reader(stream);
  const std::size_t rest = raw.size() % element;
  const Status status = decode_elements(variant, reader, element, raw.first(raw.size() - rest));
  if (status != Status::ok) {
    return {status, reader.at()};
  }
  if (reader.left() != rest) {
    return {reader.left() < rest ? Status::truncated : Status::trailing, reader.at()};
  }
  if (rest != 0) {
    std::memcpy(raw.data() + (raw.size() - rest), reader.take(rest).data(), rest);
  }
  return {Status::ok, stream.size()};
}

}  // namespace wg::codec
