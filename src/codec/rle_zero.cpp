#include "codec/rle_variants.hpp"
#include "codec/runs.hpp"

namespace wg::codec::detail {
namespace {

constexpr std::size_t kMost = 64;
constexpr unsigned kLengthBits = 6;

/// Bits, most significant first.
class BitWriter {
 public:
  explicit BitWriter(ByteWriter& out) : out_(out) {}
  /// The low `bits` (1..64) bits of `value`.
  bool put(std::uint64_t value, unsigned bits) {
    if (bits > 32) {
      return put(value >> 32, bits - 32) && put(value & 0xFFFFFFFF, 32);
    }
    pending_ = (pending_ << bits) | value;
    used_ += bits;
    for (; used_ >= 8; used_ -= 8) {
      if (!out_.put_value(static_cast<std::uint8_t>(pending_ >> (used_ - 8)))) {
        return false;
      }
    }
    return true;
  }
  bool finish() { return used_ == 0 || put(0, 8 - used_); }

 private:
  ByteWriter& out_;
  std::uint64_t pending_ = 0;
  unsigned used_ = 0;  ///< bits of pending_ that are not written yet, below 8 between calls
};

class BitReader {
 public:
  explicit BitReader(ByteReader& in) : in_(in) {}
  [[nodiscard]] bool has(unsigned bits) const { return left_ + 8 * in_.left() >= bits; }
  /// The next `bits` (1..64) bits, which are there.
  std::uint64_t take(unsigned bits) {
    if (bits > 32) {
      const std::uint64_t high = take(bits - 32);
      return (high << 32) | take(32);
    }
    for (; left_ < bits; left_ += 8) {
      pending_ = (pending_ << 8) | in_.take_value<std::uint8_t>();
    }
    left_ -= bits;
    return (pending_ >> left_) & ((std::uint64_t{1} << bits) - 1);
  }
  /// The bits up to the next byte's begin; to be 0.
  std::uint64_t padding() { return left_ == 0 ? 0 : take(left_); }

 private:
  ByteReader& in_;
  std::uint64_t pending_ = 0;
  unsigned left_ = 0;
};

std::uint64_t value_at(std::span<const std::byte> raw, std::size_t element, std::size_t index) {
  std::uint64_t value = 0;
  std::memcpy(&value, raw.data() + index * element, element);
  return value;
}

}  // namespace

bool encode_rle_zero(std::span<const std::byte> raw, std::size_t element, const Kernels& kernels,
                     ByteWriter& out) {
  BitWriter bits(out);
  const auto run = [&](bool nonzero, std::size_t first, std::size_t length) {
    if (!nonzero) {
      return bits.put(length - 1, 1 + kLengthBits);
    }
    for (std::size_t i = first; i < first + length; ++i) {
      if (!bits.put(1, 1) || !bits.put(value_at(raw, element, i), static_cast<unsigned>(8 * element))) {
        return false;
      }
    }
    return true;
  };
  return for_each_run(raw, element, kMost, kernels, run) && bits.finish();
}

Status decode_rle_zero(ByteReader& in, std::size_t element, std::span<std::byte> raw) {
  BitReader bits(in);
  ByteWriter out(raw);
  const auto value_bits = static_cast<unsigned>(8 * element);
  while (out.room() != 0) {
    if (!bits.has(1)) {
      return Status::truncated;
    }
    const bool literal = bits.take(1) != 0;
    if (!bits.has(literal ? value_bits : kLengthBits)) {
      return Status::truncated;
    }
    if (literal) {
      const std::uint64_t value = bits.take(value_bits);
      out.put(std::as_bytes(std::span(&value, 1)).first(element));
    } else if (!out.fill_zero((static_cast<std::size_t>(bits.take(kLengthBits)) + 1) * element)) {
      return Status::token;
    }
  }
  return bits.padding() == 0 ? Status::ok : Status::tail_bits;
}

}  // namespace wg::codec::detail
