// Known answers: inputs and streams written out by hand, sizes and checksums from an independent program.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <optional>

#include "codec/support.hpp"
#include "codec/zvc.hpp"

namespace wg::codec::test {
namespace {

struct Vector {
  std::string name;
  Bytes raw;
  std::size_t element = 4;
  std::size_t zvc_bytes = 0;
  std::string zvc{};  ///< hexadecimal; the beginning when shorter than zvc_bytes
  std::optional<std::size_t> rle16_bytes{};
  std::string rle16{};
  std::optional<std::size_t> rle8_bytes{};
  std::string rle8{};
  std::size_t deflate_bytes = 0;
  std::optional<std::uint32_t> zvc_crc32{};
};

/// `count` floats that are zero but for `values`, given as bits.
Bytes words(std::size_t count, const std::vector<std::pair<std::size_t, std::uint32_t>>& values) {
  std::vector<std::uint32_t> out(count);
  for (const auto& [index, bits] : values) {
    out[index] = bits;
  }
  return bytes_of(out);
}

template <class T>
Bytes one_of(std::size_t count, std::size_t index, T value) {
  std::vector<T> out(count);
  out[index] = value;
  return bytes_of(out);
}

Bytes every_fourth() {
  std::vector<float> out(1024);
  for (std::size_t i = 0; i < out.size(); i += 4) {
    out[i] = 1.0F;
  }
  return bytes_of(out);
}

Bytes counting() {
  std::vector<float> out;
  for (int i = 0; i < 1024; ++i) {
    out.push_back(static_cast<float>(i));
  }
  return bytes_of(out);
}

Bytes xorshift() {
  std::uint32_t x = 0x12345678;
  std::vector<std::uint32_t> out;
  for (int i = 0; i < 1024; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    out.push_back((x & 255) < 100 ? x : 0);
  }
  return bytes_of(out);
}

std::string repeat(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

constexpr std::uint32_t kOne = 0x3F800000;

std::vector<Vector> small_vectors() {
  const std::string ones = repeat("0000803f", 32);
  return {
      {"V1", words(32, {}), 4, 4, "00000000", 2, "2000", 1, "1f", 6},
      {"V2", bytes_of(std::vector<float>(32, 1.0F)), 4, 132, "ffffffff" + ones, 130, "2080" + ones, 129,
       "9f" + ones, 9},
      {"V3", words(32, {{0, kOne}, {5, 0xC0000000}, {31, 0x3F000000}}), 4, 16,
       "21000080 0000803f 000000c0 0000003f", 22, "0180 0000803f 0400 0180 000000c0 1900 0180 0000003f", 17,
       "80 0000803f 03 80 000000c0 18 80 0000003f", 15},
      {"V4", words(32, {{3, 0x80000000}}), 4, 8, "08000000 00000080", 10, "0300 0180 00000080 1c00", 7,
       "02 80 00000080 1b", 9},
      {"V5", words(32, {{7, 0x7FC00001}}), 4, 8, "80000000 0100c07f", 10, "", 7, "", 14},
      {"V6", words(40, {{39, kOne}}), 4, 12, "00000000 80000000 0000803f", 8, "2700 0180 0000803f", 6,
       "26 80 0000803f", 8},
      {"V7", one_of<std::uint16_t>(32, 1, 0x3C00), 2, 6, "02000000 003c", 8, "0100 0180 003c 1e00", 5,
       "00 80 003c 1d", 9},
      {"V10", words(8, {{3, 0x40A00000}, {4, 0x40C00000}, {7, 0x40E00000}}), 4, 16,
       "98000000 0000a040 0000c040 0000e040", 20, "", 16, "", 15},
      {"V13", one_of<std::uint8_t>(32, 0, 1), 1, 5, "01000000 01", {}, "", {}, "", 5},
      {"V14", one_of<std::uint64_t>(32, 31, 1), 8, 12, "00000080 0100000000000000", {}, "", {}, "", 9},
  };
}

std::vector<Vector> large_vectors() {
  return {
      {"V8", every_fourth(), 4, 1152, repeat("11111111" + repeat("0000803f", 8), 32), 2048, "", 1536, "", 31,
       0xE69DC2A3},
      {"V9", words(1024, {}), 4, 128, repeat("00000000", 32), 2, "0004", 8, repeat("7f", 8), 20},
      {"V11", counting(), 4, 4220, "feffffff", 4096, "", 4101, "", 1287, 0xE85CECA0},
      {"V12", xorshift(), 4, 1776, "e022e002 4de2a829", 2670, "", 2159, "", 2161, 0x46DF62C6},
  };
}

std::vector<Vector> vectors() {
  std::vector<Vector> all = small_vectors();
  for (Vector& vector : large_vectors()) {
    all.push_back(std::move(vector));
  }
  return all;
}

void expect_begins_with(const Bytes& stream, const std::string& hex, const std::string& name) {
  const Bytes expected = from_hex(hex);
  ASSERT_GE(stream.size(), expected.size()) << name;
  EXPECT_EQ(Bytes(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(expected.size())), expected)
      << name;
}

void check(const Vector& v, CodecId id, std::optional<std::size_t> bytes, const std::string& hex, Simd simd) {
  if (!bytes) {
    return;
  }
  const auto codec = make_codec(id, v.element, simd);
  const std::string name = v.name + ' ' + std::string(info(id).name) + ' ' + std::string(name_of(simd));
  const Bytes stream = encode(*codec, v.raw);
  EXPECT_EQ(stream.size(), *bytes) << name;
  expect_begins_with(stream, hex, name);
  Bytes back(v.raw.size());
  const Outcome outcome = codec->decode(stream, stream.size(), back);
  EXPECT_EQ(outcome, (Outcome{Status::ok, stream.size()})) << name;
  EXPECT_EQ(back, v.raw) << name;
}

TEST(Vectors, HaveTheKnownStreams) {
  for (const Vector& v : vectors()) {
    for (const Simd simd : available_simd()) {
      check(v, CodecId::zvc, v.zvc_bytes, v.zvc, simd);
      check(v, CodecId::rle16, v.rle16_bytes, v.rle16, simd);
      check(v, CodecId::rle8, v.rle8_bytes, v.rle8, simd);
      check(v, CodecId::deflate, v.deflate_bytes, "", simd);
    }
  }
}

TEST(Vectors, HaveTheKnownChecksums) {
  for (const Vector& v : vectors()) {
    if (v.zvc_crc32) {
      const Bytes stream = encode(*make_codec(CodecId::zvc, v.element), v.raw);
      EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>(stream.data()), static_cast<uInt>(stream.size())),
                *v.zvc_crc32)
          << v.name;
    }
  }
}

// The two variants without vectors in the specification, by hand.
TEST(Vectors, RunsOfEqualValues) {
  const Bytes raw = bytes_of(std::vector<std::uint16_t>{7, 7, 7, 0, 0, 0x1234});
  EXPECT_EQ(encode(*make_codec(CodecId::rle_val, 2), raw), from_hex("03 0700 02 0000 01 3412"));
}

TEST(Vectors, ZeroRunsInBits) {
  // 0 000010 | 1 00000101 | 0 000000: three zeros, the value 5, one zero.
  const Bytes raw = bytes_of(std::vector<std::uint8_t>{0, 0, 0, 5, 0});
  EXPECT_EQ(encode(*make_codec(CodecId::rle_zero, 1), raw), from_hex("05 05 00"));
}

}  // namespace
}  // namespace wg::codec::test
