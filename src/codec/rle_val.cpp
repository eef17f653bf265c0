#include "codec/rle_variants.hpp"

namespace wg::codec::detail {
namespace {

constexpr std::size_t kMost = 255;

}  // namespace

bool encode_rle_val(std::span<const std::byte> raw, std::size_t element, ByteWriter& out) {
  const std::size_t elements = raw.size() / element;
  const auto value = [&](std::size_t i) { return raw.subspan(i * element, element); };
  for (std::size_t i = 0; i < elements;) {
    std::size_t length = 1;
    while (i + length < elements && length < kMost &&
           std::memcmp(value(i).data(), value(i + length).data(), element) == 0) {
      ++length;
    }
    if (!out.put_value(static_cast<std::uint8_t>(length)) || !out.put(value(i))) {
      return false;
    }
    i += length;
  }
  return true;
}

Status decode_rle_val(ByteReader& in, std::size_t element, std::span<std::byte> raw) {
  ByteWriter out(raw);
  while (out.room() != 0) {
    if (in.left() < 1 + element) {
      return Status::truncated;
    }
    const auto length = static_cast<std::size_t>(in.take_value<std::uint8_t>());
    if (length == 0 || length * element > out.room()) {
      return Status::token;
    }
    const auto value = in.take(element);
    for (std::size_t i = 0; i < length; ++i) {
      out.put(value);
    }
  }
  return Status::ok;
}

}  // namespace wg::codec::detail
