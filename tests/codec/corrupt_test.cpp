// Damaged streams are refused or decode to something; they never read or write where they must not, which the
// address sanitizer sees in buffers of exact size.
#include <gtest/gtest.h>

#include "codec/support.hpp"
#include "codec/zvc.hpp"

namespace wg::codec::test {
namespace {

Outcome decode_exact(WindowCodec& codec, std::span<const std::byte> stream, std::size_t raw_bytes) {
  ExactBytes in(stream);
  ExactBytes out(raw_bytes);
  return codec.decode(in.span(), stream.size(), out.span());
}

TEST(Corrupt, EveryTruncationIsNoticed) {
  Rng rng(1);
  for (const std::size_t element : kElements) {
    const Bytes raw = sparse(200, element, 0.4, rng);
    for (const CodecInfo& codec : codecs()) {
      for (const Simd simd : available_simd()) {
        const auto made = make_codec(codec.id, element, simd);
        const Bytes stream = encode(*made, raw);
        for (std::size_t size = 0; size < stream.size(); ++size) {
          const Outcome outcome = decode_exact(*made, std::span(stream).first(size), raw.size());
          ASSERT_EQ(outcome.status, Status::truncated)
              << codec.name << ' ' << size << " of " << stream.size();
          ASSERT_LE(outcome.bytes, size);
        }
      }
    }
  }
}

TEST(Corrupt, BytesBehindTheStreamAreNoticed) {
  Rng rng(2);
  for (const std::size_t element : kElements) {
    const Bytes raw = sparse(200, element, 0.4, rng);
    for (const CodecInfo& codec : codecs()) {
      const auto made = make_codec(codec.id, element);
      Bytes stream = encode(*made, raw);
      stream.resize(stream.size() + 1);
      EXPECT_EQ(decode_exact(*made, stream, raw.size()).status, Status::trailing) << codec.name;
    }
  }
}

TEST(Corrupt, RandomStreamsAndFlippedBitsAreSurvived) {
  Rng rng(3);
  for (const std::size_t element : kElements) {
    for (const CodecInfo& codec : codecs()) {
      const auto made = make_codec(codec.id, element);
      for (int i = 0; i < 300; ++i) {
        const Bytes raw = sparse(1 + rng.below(300), element, 0.3, rng);
        Bytes stream = encode(*made, raw);
        for (std::size_t flips = 1 + rng.below(4); flips > 0; --flips) {
          stream[rng.below(stream.size())] ^= std::byte{1} << static_cast<int>(rng.below(8));
        }
        static_cast<void>(decode_exact(*made, stream, raw.size()));
        static_cast<void>(decode_exact(*made, noise(rng.below(400), rng), raw.size()));
      }
    }
  }
}

// A stream among others may be read past its end, but takes nothing from its neighbour.
TEST(Corrupt, AStreamDoesNotBorrowFromTheNext) {
  Rng rng(4);
  const Bytes raw = sparse(1024, 4, 0.5, rng);
  for (const Simd simd : available_simd()) {
    Bytes both(zvc_bound(raw.size(), 4));
    const std::size_t size = zvc_encode(raw, 4, both, simd).bytes;
    Bytes back(raw.size());
    EXPECT_EQ(zvc_decode_within(both, size, 4, back, simd), (Outcome{Status::ok, size}));
    EXPECT_EQ(back, raw);
    EXPECT_EQ(zvc_decode_within(both, size - 4, 4, back, simd).status, Status::truncated);
    EXPECT_EQ(zvc_decode_within(both, size + 4, 4, back, simd).status, Status::trailing);
  }
}

Status status_of(CodecId id, const std::string& hex, std::size_t element, std::size_t raw_bytes) {
  return decode_exact(*make_codec(id, element), from_hex(hex), raw_bytes).status;
}

TEST(Corrupt, BitsForElementsPastTheEnd) {
  EXPECT_EQ(status_of(CodecId::zvc, "00010000 01000000", 4, 32), Status::tail_bits);
  EXPECT_EQ(status_of(CodecId::zvc, "80000000 01000000", 4, 32), Status::ok);
  EXPECT_EQ(status_of(CodecId::rle_zero, "01", 1, 1), Status::tail_bits);
  EXPECT_EQ(status_of(CodecId::rle_zero, "00", 1, 1), Status::ok);
}

TEST(Corrupt, RunsThatCannotBe) {
  EXPECT_EQ(status_of(CodecId::rle16, "0000 0100", 1, 1), Status::token);     // no length
  EXPECT_EQ(status_of(CodecId::rle16, "0500", 1, 4), Status::token);          // beyond the end
  EXPECT_EQ(status_of(CodecId::rle16, "0104 ff03", 1, 2048), Status::token);  // longer than 1024
  EXPECT_EQ(status_of(CodecId::rle8, "04", 1, 4), Status::token);
  EXPECT_EQ(status_of(CodecId::rle_val, "00 07", 1, 4), Status::token);
  EXPECT_EQ(status_of(CodecId::rle_val, "05 07", 1, 4), Status::token);
  EXPECT_EQ(status_of(CodecId::rle_zero, "08", 1, 4), Status::token);
}

TEST(Corrupt, DeflateStreamsOfAnotherLength) {
  const auto codec = make_codec(CodecId::deflate, 4);
  const Bytes raw(1000, std::byte{42});
  const Bytes stream = encode(*codec, raw);
  EXPECT_EQ(decode_exact(*codec, stream, 1000).status, Status::ok);
  EXPECT_EQ(decode_exact(*codec, stream, 999).status, Status::no_room);
  EXPECT_EQ(decode_exact(*codec, stream, 1001).status, Status::truncated);
  EXPECT_EQ(decode_exact(*codec, from_hex("07"), 10).status, Status::deflate);
}

}  // namespace
}  // namespace wg::codec::test
