// Real activation maps against sizes from an independent program.
#include <gtest/gtest.h>
#include <zlib.h>

#include "codec/measure.hpp"
#include "codec/support.hpp"

namespace wg::codec::test {
namespace {

const CodecFigures& figures(const MapFigures& map, CodecId codec, Layout layout) {
  for (const CodecFigures& one : map.codecs) {
    if (one.codec == codec && one.layout == layout) {
      return one;
    }
  }
  throw std::runtime_error("not measured");
}

std::vector<MapFigures> measured() {
  std::vector<MapFigures> maps;
  const MeasureSpec spec{.codecs = {CodecId::zvc, CodecId::rle16, CodecId::rle8, CodecId::deflate},
                         .layouts = {}};
  for (const GoldenMap& golden : golden_maps()) {
    maps.push_back(measure_npy(read_file(data_path(golden.file)), golden.file, spec));
  }
  return maps;
}

class Golden : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { maps() = measured(); }
  static std::vector<MapFigures>& maps() {
    static std::vector<MapFigures> kept;
    return kept;
  }
};

TEST_F(Golden, SizesEqualTheManifest) {
  const std::vector<GoldenMap> golden = golden_maps();
  ASSERT_EQ(golden.size(), 16U);
  ASSERT_EQ(maps().size(), golden.size());
  const bool same_zlib = std::string_view(zlibVersion()).starts_with("1.2.1");
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const MapFigures& map = maps()[i];
    EXPECT_EQ(map.raw_bytes, golden[i].bytes) << map.name;
    EXPECT_EQ(map.nonzeros, golden[i].nonzeros) << map.name;
    EXPECT_EQ(figures(map, CodecId::zvc, Layout::nchw).payload_bytes, golden[i].zvc) << map.name;
    EXPECT_EQ(figures(map, CodecId::rle16, Layout::nchw).payload_bytes, golden[i].rle16) << map.name;
    const std::uint64_t deflated = figures(map, CodecId::deflate, Layout::nchw).payload_bytes;
    const double tolerance = same_zlib ? 0 : 0.01 * static_cast<double>(golden[i].deflate);
    EXPECT_NEAR(static_cast<double>(deflated), static_cast<double>(golden[i].deflate), tolerance) << map.name;
  }
}

TEST_F(Golden, ZvcIsBlindToTheLayoutAndTheOthersAreNot) {
  for (const MapFigures& map : maps()) {
    const std::uint64_t zvc = figures(map, CodecId::zvc, Layout::nchw).payload_bytes;
    for (const Layout layout : kLayouts) {
      EXPECT_EQ(figures(map, CodecId::zvc, layout).payload_bytes, zvc) << map.name;
    }
    for (const CodecId codec : {CodecId::rle16, CodecId::rle8, CodecId::deflate}) {
      EXPECT_NE(figures(map, codec, Layout::nhwc).payload_bytes,
                figures(map, codec, Layout::nchw).payload_bytes)
          << map.name << ' ' << info(codec).name;
    }
  }
}

/// Ratio over all SqueezeNet maps together.
double squeezenet(const std::vector<MapFigures>& maps, CodecId codec, Layout layout) {
  std::uint64_t raw = 0;
  std::uint64_t compressed = 0;
  for (const MapFigures& map : maps) {
    if (map.name.starts_with("squeezenet")) {
      raw += map.raw_bytes;
      compressed += figures(map, codec, layout).payload_bytes;
    }
  }
  return ratio(raw, compressed);
}

// The paper's findings: run lengths suffer most when channels are innermost, where ZVC beats deflate.
TEST_F(Golden, CodecsRankAsInThePaper) {
  const auto at = [&](CodecId codec, Layout layout) { return squeezenet(maps(), codec, layout); };
  EXPECT_GT(at(CodecId::deflate, Layout::nchw), at(CodecId::zvc, Layout::nchw));
  EXPECT_GT(at(CodecId::zvc, Layout::nchw), at(CodecId::rle8, Layout::nchw));
  EXPECT_GT(at(CodecId::rle8, Layout::nchw), at(CodecId::rle16, Layout::nchw));
  EXPECT_GT(at(CodecId::rle8, Layout::nchw), at(CodecId::rle8, Layout::nhwc));
  EXPECT_GT(at(CodecId::rle16, Layout::nchw), at(CodecId::rle16, Layout::nhwc));
  EXPECT_GT(at(CodecId::zvc, Layout::nhwc), at(CodecId::rle8, Layout::nhwc));
}

TEST_F(Golden, TheFirstLayerIsHalfZeroAndPoolingIsDense) {
  const auto density = [&](const char* file) {
    for (const MapFigures& map : maps()) {
      if (map.name == file) {
        return map.density();
      }
    }
    return -1.0;
  };
  EXPECT_NEAR(density("squeezenet_conv1relu_n1c32.npy"), 0.5, 0.05);
  EXPECT_GT(density("squeezenet_pool1_n1c48.npy"), density("squeezenet_conv1relu_n1c32.npy"));
  EXPECT_LT(density("fmnist_conv3_it937_n32.npy"), density("fmnist_conv3_it0_n32.npy"));
  EXPECT_GT(density("fmnist_conv3_it1874_n32.npy"), density("fmnist_conv3_it937_n32.npy"));
}

TEST_F(Golden, HistogramsCountEveryWindow) {
  for (const MapFigures& map : maps()) {
    for (const CodecFigures& one : map.codecs) {
      std::uint64_t windows = 0;
      for (const std::uint64_t bin : one.histogram) {
        windows += bin;
      }
      EXPECT_EQ(windows, map.windows) << map.name;
      EXPECT_EQ(one.histogram.back(), one.raw_windows) << map.name;
    }
  }
}

TEST_F(Golden, FilesComeBackByteForByte) {
  for (const GoldenMap& golden : golden_maps()) {
    const Bytes npy = read_file(data_path(golden.file));
    for (const Layout layout : kLayouts) {
      const CodecId codec = layout == Layout::nhwc ? CodecId::rle16 : CodecId::zvc;
      const Bytes file = compress_npy(npy, golden.file, {codec, layout, kDefaultWindow});
      EXPECT_LT(file.size(), npy.size() + npy.size() / 1000) << golden.file;
      EXPECT_EQ(decompress_npy(file, "file"), npy) << golden.file;
    }
  }
}

}  // namespace
}  // namespace wg::codec::test
