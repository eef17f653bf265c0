// Line sizes, the stream of real bytes, and its way through the reorder buffer.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/npy.hpp"
#include "base/rng.hpp"
#include "codec/zvc.hpp"
#include "host/cdma/engine.hpp"
#include "host/cdma/lines.hpp"
#include "host/cdma/reorder.hpp"

namespace wg::host::cdma {
namespace {

std::vector<std::byte> random_data(std::size_t bytes, std::size_t element, double density, Rng& rng) {
  std::vector<std::byte> data(bytes);
  for (std::size_t at = 0; at + element <= bytes; at += element) {
    if (static_cast<double>(rng.below(1000)) < density * 1000) {
      for (std::size_t i = 0; i < element; ++i) {
        data[at + i] = static_cast<std::byte>(1 + rng.below(255));
      }
    }
  }
  return data;
}

std::vector<std::byte> compressed(std::span<const std::byte> data, std::size_t element) {
  std::vector<std::byte> out(codec::zvc_bound(data.size(), element) + data.size() % element);
  const codec::Outcome done = codec::zvc_encode(data, element, out);
  EXPECT_TRUE(done.ok());
  out.resize(done.bytes);
  return out;
}

std::uint64_t sum_of(LineSource& lines, std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    sum += lines.next().bytes;
  }
  return sum;
}

TEST(CdmaLines, AConstantRatioIsNeverOffByMoreThanAByte) {
  for (const double ratio : {0.5, 0.97, 2.6, 13.8, 32.0, 200.0}) {
    const auto lines = constant_lines(Bytes{128}, ratio);
    double sum = 0;
    for (int i = 1; i <= 1000; ++i) {
      sum += lines->next().bytes;
      EXPECT_NEAR(sum, i * 128 / ratio, 1.0);
    }
  }
}

TEST(CdmaLines, ADensityGivesTheSizeOfTheFormula) {
  for (const std::size_t element : {1U, 2U, 4U, 8U}) {
    for (const double density : {0.0, 0.1, 0.62, 1.0}) {
      const auto lines = density_lines(Bytes{128}, element, density, 1);
      const double expected = 20'000 * 128 / zvc_ratio(density, element);
      EXPECT_NEAR(static_cast<double>(sum_of(*lines, 20'000)), expected, expected * 0.01);
    }
  }
}

TEST(CdmaLines, RatioAndDensityAreInverse) {
  EXPECT_NEAR(zvc_ratio(0.38, 4), 2.432, 0.001);
  EXPECT_NEAR(zvc_ratio(0.0412, 4), 13.8, 0.01);
  EXPECT_EQ(zvc_ratio(0, 4), 32);
  EXPECT_EQ(zvc_ratio(0, 2), 16);
  for (const double density : {0.0, 0.2, 0.9, 1.0}) {
    EXPECT_NEAR(zvc_density(zvc_ratio(density, 4), 4), density, 1e-12);
  }
  EXPECT_EQ(zvc_density(100, 4), 0);
}

TEST(CdmaLines, OtherCodecsSpreadAWindowOverItsLines) {
  Rng rng(4);
  const std::vector<std::byte> data = random_data(10'000, 4, 0.4, rng);
  for (const codec::CodecInfo& codec : codec::codecs()) {
    std::uint64_t expected = 0;
    const auto window = codec.make(4, codec::best_simd());
    std::vector<std::byte> out(window->bound(4096));
    for (std::size_t at = 0; at < data.size(); at += 4096) {
      expected +=
          window->encode(std::span(data).subspan(at, std::min<std::size_t>(4096, data.size() - at)), out)
              .bytes;
    }
    const auto lines = data_lines(data, Bytes{128}, codec.id, 4);
    EXPECT_EQ(sum_of(*lines, (data.size() + 127) / 128), expected) << codec.name;
  }
  EXPECT_THROW(static_cast<void>(data_lines(data, Bytes{128}, codec::CodecId::zvc, 3)), Error);
}

/// The stream that the engine delivers when the controllers are late by random times.
std::vector<std::byte> delivered(std::span<const std::byte> data, std::size_t element, std::uint64_t seed,
                                 std::uint64_t& reordered, std::uint64_t buffer = 70'000) {
  std::vector<std::byte> stream;
  EngineConfig config;
  config.buffer = Bytes{buffer};
  const auto lines = data_lines(data, config.line, codec::CodecId::zvc, element);
  const Transfer done = offload(
      config, Bytes{data.size()}, *lines,
      {.jitter = Picoseconds{2'000'000}, .seed = seed, .sink = [&stream](std::span<const std::byte> piece) {
         stream.insert(stream.end(), piece.begin(), piece.end());
       }});
  EXPECT_EQ(done.compressed.count(), stream.size());
  reordered = done.reordered;
  return stream;
}

TEST(CdmaOrder, RandomDelaysLeaveTheStreamOfTheSoftwareCodec) {
  Rng rng(5);
  for (const std::size_t element : {1U, 2U, 4U}) {
    for (const double density : {0.0, 0.05, 0.5, 1.0}) {
      const std::vector<std::byte> data = random_data(200'000 + rng.below(500), element, density, rng);
      std::uint64_t reordered = 0;
      const std::vector<std::byte> stream =
          delivered(data, element, rng.next(), reordered, 1000 + rng.below(70'000));
      EXPECT_EQ(stream, compressed(data, element)) << element << ' ' << density;
      EXPECT_GT(reordered, 100U);
    }
  }
}

TEST(CdmaOrder, OfARealMapAsWell) {
  const std::string path = WG_SOURCE_DIR "/tests/codec/data/fmnist_conv3_it937_n32.npy";
  std::ifstream file(path, std::ios::binary);
  const std::string npy{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::span<const std::byte> data = read_npy(std::as_bytes(std::span(npy)), path).data;
  std::uint64_t reordered = 0;
  const std::vector<std::byte> stream = delivered(data, 4, 1, reordered);
  EXPECT_EQ(stream.size(), 44'484U);  // as the table of the maps says
  EXPECT_EQ(stream, compressed(data, 4));
  EXPECT_GT(reordered, 0U);
}

TEST(CdmaOrder, TheParserFindsTheLinesAgain) {
  Rng rng(6);
  for (const std::size_t element : {1U, 2U, 4U}) {
    const std::vector<std::byte> data = random_data(20'000 + rng.below(300), element, 0.3, rng);
    const std::vector<std::byte> stream = compressed(data, element);
    ZvcParser parser(stream, Bytes{data.size()}, element, Bytes{128});
    const auto lines = data_lines(data, Bytes{128}, codec::CodecId::zvc, element);
    std::size_t at = 0;
    while (!parser.done()) {
      const std::span<const std::byte> line = parser.next();
      ASSERT_EQ(line.size(), lines->next().bytes);
      ASSERT_EQ(line.data(), stream.data() + at);
      at += line.size();
    }
    EXPECT_EQ(at, stream.size());
  }
}

TEST(CdmaOrder, TheParserStopsWhereTheStreamDoes) {
  Rng rng(8);
  const std::vector<std::byte> data = random_data(1280, 4, 0.5, rng);
  const std::vector<std::byte> stream = compressed(data, 4);
  for (std::size_t cut = 0; cut < stream.size(); ++cut) {
    const std::span<const std::byte> part(stream.data(), cut);
    ZvcParser parser(part, Bytes{data.size()}, 4, Bytes{128});
    bool short_line = false;
    while (!parser.done()) {
      short_line = parser.next().empty();
    }
    EXPECT_TRUE(short_line) << cut;
  }
}

TEST(CdmaOrder, TheBufferGivesLinesInOrder) {
  Rng rng(9);
  Reorder reorder;
  std::vector<std::uint64_t> flying;
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    reorder.request({static_cast<std::uint32_t>(i)});
    flying.push_back(i);
    while (!flying.empty() && (flying.size() > 500 || rng.below(3) == 0)) {
      const std::size_t pick = rng.below(flying.size());
      const bool early = reorder.arrive(flying[pick]);
      EXPECT_EQ(early, flying[pick] != expected);
      flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(pick));
      while (reorder.ready()) {
        ASSERT_EQ(reorder.take().bytes, expected);
        ++expected;
      }
    }
  }
  EXPECT_EQ(reorder.taken(), expected);
  EXPECT_EQ(reorder.requested(), 3000U);
}

}  // namespace
}  // namespace wg::host::cdma
