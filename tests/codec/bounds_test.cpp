// Nothing is written beyond the given room, and sizes are known beforehand.
#include <gtest/gtest.h>

#include "codec/cdma.h"
#include "codec/support.hpp"
#include "codec/zvc.hpp"

namespace wg::codec::test {
namespace {

TEST(ZvcSize, IsTheFormula) {
  for (const std::size_t element : kElements) {
    for (const Bytes& raw : hard_cases(element)) {
      const std::size_t n = raw.size() / element;
      std::size_t nonzeros = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const auto* at = raw.data() + i * element;
        nonzeros += std::any_of(at, at + element, [](std::byte b) { return b != std::byte{0}; }) ? 1U : 0U;
      }
      const std::size_t size = 4 * ((n + 31) / 32) + element * nonzeros + raw.size() % element;
      for (const Simd simd : available_simd()) {
        EXPECT_EQ(count_nonzero(raw, element, simd), nonzeros);
        EXPECT_EQ(zvc_size(raw, element, simd), size);
        Bytes out(zvc_bound(raw.size(), element));
        EXPECT_EQ(zvc_encode(raw, element, out, simd), (Outcome{Status::ok, size}));
      }
    }
  }
}

TEST(ZvcSize, BoundIsReachedByDenseData) {
  Rng rng(3);
  for (const std::size_t element : kElements) {
    const Bytes dense = sparse(1000, element, 1.0, rng);
    EXPECT_EQ(zvc_size(dense, element), zvc_bound(dense.size(), element));
  }
}

// Ratio 1 / (d + 1 / (8 E)): 2.43 at 38 %, 13.8 at 4.12 %, at most 8 E.
TEST(ZvcSize, RatioFollowsTheDensity) {
  const auto ratio_at = [](std::size_t nonzeros, std::size_t element) {
    const std::size_t count = 320000;
    Bytes raw(count * element);
    for (std::size_t i = 0; i < nonzeros; ++i) {
      raw[i * (count / std::max<std::size_t>(nonzeros, 1)) * element] = std::byte{1};
    }
    return static_cast<double>(raw.size()) / static_cast<double>(zvc_size(raw, element));
  };
  EXPECT_NEAR(ratio_at(121600, 4), 2.432, 0.001);
  EXPECT_NEAR(ratio_at(13184, 4), 13.8, 0.01);
  EXPECT_NEAR(ratio_at(320000, 4), 0.9697, 0.0001);
  EXPECT_NEAR(ratio_at(320000, 2), 0.941, 0.001);
  EXPECT_EQ(ratio_at(0, 8), 64.0);
  EXPECT_EQ(ratio_at(0, 4), 32.0);
  EXPECT_EQ(ratio_at(0, 2), 16.0);
  EXPECT_EQ(ratio_at(0, 1), 8.0);
}

TEST(Capacity, OneByteShortIsRefusedByEveryCodec) {
  for (const std::size_t element : kElements) {
    for (const Bytes& raw : hard_cases(element)) {
      for (const CodecInfo& codec : codecs()) {
        const auto made = make_codec(codec.id, element);
        const std::size_t size = encode(*made, raw).size();
        if (size != 0) {
          ExactBytes out(size - 1);
          const Outcome outcome = made->encode(raw, out.span());
          EXPECT_EQ(outcome.status, Status::no_room) << codec.name << ' ' << raw.size();
          EXPECT_TRUE(outcome.bytes == 0 || outcome.bytes == size) << codec.name << ' ' << outcome.bytes;
        }
      }
    }
  }
}

TEST(Capacity, ZvcSaysWhatItNeedsWhateverThereIs) {
  Rng rng(5);
  const Bytes raw = sparse(1000, 4, 0.5, rng);
  const std::size_t size = zvc_size(raw, 4);
  for (std::size_t room = 0; room < size; ++room) {
    ExactBytes out(room);
    ASSERT_EQ(zvc_encode(raw, 4, out.span()), (Outcome{Status::no_room, size})) << room;
  }
}

TEST(Capacity, ElementsOfOtherSizesAreRefused) {
  Bytes some(30);
  EXPECT_EQ(zvc_encode(some, 3, some).status, Status::element);
  EXPECT_EQ(zvc_decode(some, 0, some).status, Status::element);
}

TEST(MemcpyCompressed, GoesThereAndBack) {
  Rng rng(9);
  for (const std::size_t element : kElements) {
    const Bytes raw = sparse(777, element, 0.3, rng);
    Bytes host(wg_memcpy_compressed_bound(raw.size(), element));
    std::size_t csize = 0;
    ASSERT_EQ(wg_memcpy_compressed_to_host(host.data(), host.size(), raw.data(), raw.size(), element, &csize),
              WG_CDMA_OK);
    EXPECT_EQ(csize, zvc_size(raw, element));
    Bytes back(raw.size());
    ASSERT_EQ(wg_memcpy_compressed_to_device(back.data(), back.size(), host.data(), csize, element),
              WG_CDMA_OK);
    EXPECT_EQ(back, raw);
    EXPECT_EQ(wg_memcpy_compressed_to_device(back.data(), back.size(), host.data(), csize - 1, element),
              WG_CDMA_CORRUPT);
    std::size_t needed = 0;
    EXPECT_EQ(wg_memcpy_compressed_to_host(host.data(), csize - 1, raw.data(), raw.size(), element, &needed),
              WG_CDMA_CAPACITY);
    EXPECT_EQ(needed, csize);
  }
}

TEST(MemcpyCompressed, RefusesWrongArguments) {
  std::size_t csize = 0;
  Bytes some(16);
  EXPECT_EQ(wg_memcpy_compressed_bound(16, 4), 20U);
  EXPECT_EQ(wg_memcpy_compressed_bound(16, 5), 0U);
  EXPECT_EQ(wg_memcpy_compressed_to_host(nullptr, 0, nullptr, 0, 4, &csize), WG_CDMA_OK);
  EXPECT_EQ(csize, 0U);
  EXPECT_EQ(wg_memcpy_compressed_to_host(some.data(), 16, nullptr, 4, 4, &csize), WG_CDMA_ARGUMENT);
  EXPECT_EQ(wg_memcpy_compressed_to_host(some.data(), 16, some.data(), 0, 4, nullptr), WG_CDMA_ARGUMENT);
  EXPECT_EQ(wg_memcpy_compressed_to_device(nullptr, 4, some.data(), 8, 4), WG_CDMA_ARGUMENT);
  EXPECT_EQ(wg_memcpy_compressed_to_device(some.data(), 4, some.data(), 8, 6), WG_CDMA_ARGUMENT);
}

}  // namespace
}  // namespace wg::codec::test
