// rle8 and rle16.
#include "codec/rle_variants.hpp"
#include "codec/runs.hpp"

namespace wg::codec::detail {
namespace {

template <class Token>
struct Shape;
template <>
struct Shape<std::uint8_t> {
  static constexpr std::size_t kMost = 128;
  static constexpr unsigned kLiteral = 0x80;
  static constexpr std::size_t kLess = 1;  ///< the token holds the length less this
};
template <>
struct Shape<std::uint16_t> {
  static constexpr std::size_t kMost = 1024;
  static constexpr unsigned kLiteral = 0x8000;
  static constexpr std::size_t kLess = 0;
};

}  // namespace

template <class Token>
bool TokenRle<Token>::encode(std::span<const std::byte> raw, std::size_t element, const Kernels& kernels,
                             ByteWriter& out) {
  using S = Shape<Token>;
  return for_each_run(
      raw, element, S::kMost, kernels, [&](bool nonzero, std::size_t first, std::size_t length) {
        const unsigned token = static_cast<unsigned>(length - S::kLess) | (nonzero ? S::kLiteral : 0U);
        return out.put_value(static_cast<Token>(token)) &&
               (!nonzero || out.put(raw.subspan(first * element, length * element)));
      });
}

template <class Token>
Status TokenRle<Token>::decode(ByteReader& in, std::size_t element, std::span<std::byte> raw) {
  using S = Shape<Token>;
  ByteWriter out(raw);
  while (out.room() != 0) {
    if (in.left() < sizeof(Token)) {
      return Status::truncated;
    }
    const unsigned token = in.take_value<Token>();
    const std::size_t length = (token & (S::kLiteral - 1)) + S::kLess;
    const std::size_t bytes = length * element;
    if (length == 0 || length > S::kMost || bytes > out.room()) {
      return Status::token;
    }
    if ((token & S::kLiteral) == 0) {
      out.fill_zero(bytes);
    } else if (bytes > in.left()) {
      return Status::truncated;
    } else {
      out.put(in.take(bytes));
    }
  }
  return Status::ok;
}

template struct TokenRle<std::uint8_t>;
template struct TokenRle<std::uint16_t>;

}  // namespace wg::codec::detail
