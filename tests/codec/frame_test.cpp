// The container: sizes, random access, raw windows, damage.
#include "codec/frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "codec/support.hpp"
#include "codec/tensor_file.hpp"

namespace wg::codec::test {
namespace {

using ::testing::HasSubstr;

TEST(Frame, EveryCodecElementAndWindowComesBack) {
  Rng rng(1);
  for (const CodecInfo& codec : codecs()) {
    for (const std::size_t element : kElements) {
      for (const std::size_t window :
           std::initializer_list<std::size_t>{256, 768, 4096, 65536, kMostWindow}) {
        for (const double density : {0.0, 0.4, 1.0}) {
          const Bytes raw = sparse(20011, element, density, rng);
          const Bytes meta = noise(rng.below(50), rng);
          const Bytes file = FrameEncoder({codec.id, element, window}).encode(raw, meta);
          FrameReader reader(file, "file");
          ASSERT_EQ(reader.decode(), raw) << codec.name << ' ' << element << ' ' << window;
          ASSERT_TRUE(std::equal(meta.begin(), meta.end(), reader.meta().begin(), reader.meta().end()));
        }
      }
    }
  }
}

TEST(Frame, HoldsAnyNumberOfBytes) {
  Rng rng(2);
  for (std::size_t bytes = 0; bytes < 1400; bytes += 1 + rng.below(40)) {
    for (const CodecInfo& codec : codecs()) {
      Bytes raw = sparse(bytes / 8 + 1, 8, 0.3, rng);
      raw.resize(bytes);
      const Bytes file = FrameEncoder({codec.id, 8, 512}).encode(raw);
      ASSERT_EQ(FrameReader(file, "file").decode(), raw) << codec.name << ' ' << bytes;
    }
  }
}

TEST(Frame, WindowsAreReadInAnyOrder) {
  Rng rng(3);
  const Bytes raw = sparse(10000, 4, 0.4, rng);
  const Bytes file = FrameEncoder({CodecId::zvc, 4, 4096}).encode(raw);
  FrameReader reader(file, "file");
  ASSERT_EQ(reader.windows(), 10U);
  for (const std::size_t i : std::initializer_list<std::size_t>{9, 0, 5, 5, 1}) {
    Bytes window(reader.window_bytes(i));
    reader.decode_window(i, window);
    EXPECT_TRUE(
        std::equal(window.begin(), window.end(), raw.begin() + static_cast<std::ptrdiff_t>(i * 4096)));
  }
  Bytes wrong(5);
  EXPECT_THROW(reader.decode_window(0, wrong), Error);
  EXPECT_THROW(reader.decode_window(10, wrong), Error);
}

TEST(Frame, DenseDataGrowByTheIndexOnly) {
  Rng rng(4);
  const Bytes raw = sparse(32 * 1024, 4, 1.0, rng);
  for (const CodecInfo& codec : codecs()) {
    FrameEncoder encoder({codec.id, 4, 4096});
    const Bytes file = encoder.encode(raw);
    EXPECT_EQ(file.size(), kFrameHeader + 32 * 2 + raw.size()) << codec.name;
    EXPECT_EQ(encoder.bound(raw.size()), file.size());
    FrameReader reader(file, "file");
    EXPECT_TRUE(reader.stored_raw(31));
  }
}

TEST(Frame, IndexEntriesAreTwoBytesWhereTheyCan) {
  EXPECT_EQ(index_entry({CodecId::zvc, 4, 4096}, 1 << 20), 2U);
  EXPECT_EQ(index_unit({CodecId::zvc, 4, 4096}, 1 << 20), 4U);
  EXPECT_EQ(index_unit({CodecId::zvc, 8, 4096}, 1 << 20), 4U);
  EXPECT_EQ(index_unit({CodecId::zvc, 2, 4096}, 1 << 20), 2U);
  EXPECT_EQ(index_unit({CodecId::zvc, 4, 4096}, (1 << 20) + 1), 1U);
  EXPECT_EQ(index_unit({CodecId::rle8, 4, 4096}, 1 << 20), 1U);
  EXPECT_EQ(index_entry({CodecId::zvc, 4, 128 << 10}, 1 << 20), 2U);
  EXPECT_EQ(index_entry({CodecId::zvc, 4, 129 << 10}, 1 << 20), 4U);
  EXPECT_EQ(index_entry({CodecId::deflate, 4, 64 << 10}, 1 << 20), 4U);
}

TEST(Frame, RefusesWrongSettings) {
  for (const std::size_t window : std::initializer_list<std::size_t>{0, 100, 4097, 2 * kMostWindow}) {
    EXPECT_THROW(FrameEncoder({CodecId::zvc, 4, window}), Error) << window;
  }
  EXPECT_THROW(FrameEncoder({CodecId::zvc, 3, 4096}), Error);
  EXPECT_THROW(codec_named("lzma"), Error);
  EXPECT_EQ(codec_named("rle_zero"), CodecId::rle_zero);
  Bytes raw(5000);
  Bytes small(100);
  EXPECT_THROW(FrameEncoder({}).encode(raw, {}, small), Error);
}

std::string refused(const Bytes& file) {
  try {
    ExactBytes exact(file);
    static_cast<void>(FrameReader(exact.span(), "a.wgz").decode());
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Frame, SaysWhereItIsDamaged) {
  Rng rng(5);
  Bytes file = FrameEncoder({CodecId::zvc, 4, 4096}).encode(sparse(3000, 4, 0.5, rng));
  EXPECT_THAT(refused({}), HasSubstr("a.wgz@0: expected a container"));
  const auto with = [&](std::size_t at, std::uint8_t value) {
    Bytes changed = file;
    changed[at] = std::byte{value};
    return refused(changed);
  };
  EXPECT_THAT(with(0, 'X'), HasSubstr("a.wgz@0"));
  EXPECT_THAT(with(8, 99), HasSubstr("a.wgz@8: expected a codec up to 5, found 99"));
  EXPECT_THAT(with(9, 3), HasSubstr("a.wgz@9"));
  EXPECT_THAT(with(12, 1), HasSubstr("a.wgz@12"));
  EXPECT_THAT(with(48, 1), HasSubstr("a.wgz@44"));
  EXPECT_THAT(with(file.size() - 1, 0x55), HasSubstr("the payload"));  // a value: only the hash can tell
}

TEST(Frame, NamesTheWindowThatIsDamaged) {
  Bytes file = FrameEncoder({CodecId::zvc, 4, 4096}).encode(Bytes(8192));
  ASSERT_EQ(file.size(), 48U + 2 * 2 + 2 * 128);
  file.back() = std::byte{1};
  EXPECT_THAT(refused(file), HasSubstr("a.wgz@304: expected a zvc stream of window 1, found an end before"));
}

TEST(Frame, EveryTruncationIsNoticed) {
  Rng rng(6);
  for (const CodecInfo& codec : codecs()) {
    const Bytes file = FrameEncoder({codec.id, 4, 256}).encode(sparse(150, 4, 0.4, rng), noise(9, rng));
    for (std::size_t size = 0; size < file.size(); ++size) {
      ASSERT_NE(refused({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}), "")
          << codec.name << size;
    }
  }
}

// Deflate has bits that mean nothing: what fills the last byte, lengths of codes that do not occur.
TEST(Frame, EveryFlippedBitIsNoticedOrHarmless) {
  Rng rng(7);
  for (const CodecInfo& codec : codecs()) {
    const Bytes raw = sparse(150, 4, 0.4, rng);
    const Bytes file = FrameEncoder({codec.id, 4, 256}).encode(raw, noise(9, rng));
    std::size_t harmless = 0;
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
      Bytes changed = file;
      changed[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
      if (refused(changed).empty()) {
        ++harmless;
        ASSERT_EQ(FrameReader(changed, "file").decode(), raw) << codec.name << ' ' << bit;
      }
    }
    EXPECT_TRUE(codec.id == CodecId::deflate || harmless == 0) << codec.name << ' ' << harmless;
  }
}

TEST(TensorFile, RefusesContainersWithoutAnArray) {
  const Bytes file = FrameEncoder({}).encode(Bytes(100), from_hex("00"));
  EXPECT_THROW(decompress_npy(file, "file"), Error);
  EXPECT_THROW(compress_npy(Bytes(100), "file", {}), Error);
}

TEST(TensorFile, TakesArraysOfOtherShapesAsStored) {
  const NpyHeader header{"<f2", false, {3, 5}};
  const std::string preamble = npy_preamble(header);
  const auto text = std::as_bytes(std::span(preamble));
  Bytes npy(text.begin(), text.end());
  npy.resize(npy.size() + 30, std::byte{1});
  EXPECT_EQ(decompress_npy(compress_npy(npy, "a", {}), "b"), npy);
  EXPECT_THROW(compress_npy(npy, "a", {.layout = Layout::nhwc}), Error);
}

}  // namespace
}  // namespace wg::codec::test
