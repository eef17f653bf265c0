// What goes in comes out, in buffers of exactly the needed size, at any length and alignment.
#include <gtest/gtest.h>

#include <cstring>

#include "codec/support.hpp"
#include "codec/zvc.hpp"

namespace wg::codec::test {
namespace {

std::string label(const CodecInfo& codec, std::size_t element, Simd simd, const Bytes& raw) {
  return std::string(codec.name) + " element " + std::to_string(element) + ' ' + std::string(name_of(simd)) +
         ' ' + std::to_string(raw.size()) + " bytes";
}

void expect_round_trip(WindowCodec& codec, const Bytes& raw, std::size_t shift, const std::string& name) {
  ExactBytes in(raw, shift);
  const Bytes stream = encode(codec, in.span());
  ExactBytes exact(stream.size(), shift);
  ASSERT_EQ(codec.encode(in.span(), exact.span()), (Outcome{Status::ok, stream.size()})) << name;
  ASSERT_TRUE(std::equal(stream.begin(), stream.end(), exact.span().begin())) << name;
  ExactBytes back(raw.size(), shift);
  ASSERT_EQ(codec.decode(exact.span(), stream.size(), back.span()), (Outcome{Status::ok, stream.size()}))
      << name;
  ASSERT_TRUE(std::equal(raw.begin(), raw.end(), back.span().begin())) << name;
}

TEST(RoundTrip, HardCasesOfEveryCodecElementAndInstructionSet) {
  for (const std::size_t element : kElements) {
    const std::vector<Bytes> cases = hard_cases(element);
    for (const CodecInfo& codec : codecs()) {
      for (const Simd simd : available_simd()) {
        const auto made = make_codec(codec.id, element, simd);
        for (std::size_t i = 0; i < cases.size(); ++i) {
          expect_round_trip(*made, cases[i], i % 9, label(codec, element, simd, cases[i]));
        }
      }
    }
  }
}

TEST(RoundTrip, EveryInstructionSetWritesTheSameBytes) {
  for (const std::size_t element : kElements) {
    for (const Bytes& raw : hard_cases(element)) {
      for (const CodecInfo& codec : codecs()) {
        const Bytes expected = encode(*make_codec(codec.id, element, Simd::scalar), raw);
        for (const Simd simd : available_simd()) {
          EXPECT_EQ(encode(*make_codec(codec.id, element, simd), raw), expected)
              << label(codec, element, simd, raw);
        }
      }
    }
  }
}

TEST(RoundTrip, EveryLengthAndShiftOfZvc) {
  Rng rng(7);
  for (const std::size_t element : kElements) {
    for (const Simd simd : available_simd()) {
      const auto codec = make_codec(CodecId::zvc, element, simd);
      for (std::size_t bytes = 0; bytes < 600; bytes += 1 + rng.below(3)) {
        Bytes raw = sparse(bytes / element + 1, element, 0.4, rng);
        raw.resize(bytes);
        expect_round_trip(*codec, raw, rng.below(17), "bytes " + std::to_string(bytes));
      }
    }
  }
}

// Large enough to be written past the caches, with a shift that forbids it and one that does not.
// Streams of small elements are decoded half a kilobyte at a time: ends of data and stream fall anywhere in
// it.
TEST(RoundTrip, SmallElementsAtEveryPlaceOfATile) {
  Rng rng(17);
  for (const std::size_t element : {1U, 2U}) {
    for (const double density : {0.0, 0.03, 0.5, 0.97, 1.0}) {
      for (int round = 0; round < 40; ++round) {
        const std::size_t count = 32 * (8 + rng.below(400)) + rng.below(64);
        const Bytes raw = sparse(count, element, density, rng);
        for (const Simd simd : available_simd()) {
          const auto codec = make_codec(CodecId::zvc, element, simd);
          expect_round_trip(*codec, raw, rng.below(9), label(info(CodecId::zvc), element, simd, raw));
        }
      }
    }
  }
}

TEST(RoundTrip, LargeOutputs) {
  Rng rng(11);
  const Bytes raw = sparse((4 << 20) + 99, 8, 0.3, rng);
  Bytes stream(zvc_bound(raw.size(), 1));
  Bytes back(raw.size() + 3);
  for (const std::size_t element : kElements) {
    for (const Simd simd : available_simd()) {
      const Outcome encoded = zvc_encode(raw, element, stream, simd);
      ASSERT_TRUE(encoded.ok());
      for (const std::size_t shift : std::initializer_list<std::size_t>{0, 3}) {
        const auto out = std::span(back).subspan(shift, raw.size());
        ASSERT_TRUE(zvc_decode(std::span(stream).first(encoded.bytes), element, out, simd).ok());
        ASSERT_EQ(std::memcmp(out.data(), raw.data(), raw.size()), 0) << element << ' ' << name_of(simd);
        std::memset(out.data(), 0x55, out.size());
      }
    }
  }
}

TEST(RoundTrip, LargeOutputsStayInTheirRoom) {
  Rng rng(12);
  const Bytes raw = sparse((4 << 20) + 5, 8, 0.1, rng);
  const std::size_t size = zvc_size(raw, 4);
  constexpr std::size_t kShift = 5;
  Bytes memory(kShift + size + 128, std::byte{0xAA});
  const auto untouched = [&](std::size_t from) {
    return std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(from), memory.end(),
                       [](std::byte b) { return b == std::byte{0xAA}; });
  };
  const auto out = std::span(memory).subspan(kShift);
  EXPECT_EQ(zvc_encode(raw, 4, out.first(size - 1)), (Outcome{Status::no_room, size}));
  EXPECT_TRUE(untouched(kShift + size - 1));
  EXPECT_EQ(zvc_encode(raw, 4, out.first(size)), (Outcome{Status::ok, size}));
  EXPECT_TRUE(untouched(kShift + size));
  Bytes back(raw.size() + 128, std::byte{0xAA});
  EXPECT_EQ(zvc_decode(out.first(size), 4, std::span(back).first(raw.size())).status, Status::ok);
  EXPECT_EQ(std::memcmp(back.data(), raw.data(), raw.size()), 0);
  EXPECT_TRUE(std::all_of(back.begin() + static_cast<std::ptrdiff_t>(raw.size()), back.end(),
                          [](std::byte b) { return b == std::byte{0xAA}; }));
  EXPECT_EQ(zvc_decode(out.first(size - 4), 4, std::span(back).first(raw.size())).status, Status::truncated);
}

TEST(RoundTrip, LargerWindowsOfDeflateCompressBetter) {
  const Bytes npy = read_file(data_path("fmnist_conv3_it937_n32.npy"));
  const auto codec = make_codec(CodecId::deflate, 4);
  std::size_t before = npy.size();
  for (const std::size_t window : std::initializer_list<std::size_t>{4096, 65536, npy.size()}) {
    std::size_t total = 0;
    for (std::size_t at = 0; at < npy.size(); at += window) {
      const auto part = std::span(npy).subspan(at, std::min(window, npy.size() - at));
      expect_round_trip(*codec, {part.begin(), part.end()}, 0, "window");
      total += encode(*codec, part).size();
    }
    EXPECT_LT(total, before);
    before = total;
  }
}

}  // namespace
}  // namespace wg::codec::test
