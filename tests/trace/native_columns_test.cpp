// The two forms in which native traces keep many numbers: columns, and planes of offsets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "trace/native_bytes.hpp"
#include "trace/native_offsets.hpp"

namespace wg::trace {
namespace {

using Numbers = std::vector<std::uint64_t>;

ByteReader reader_of(std::string_view bytes) { return {bytes, {"x.wgt", 16, "block"}}; }

/// Bytes that may be loaded behind what is read, and must not be seen.
std::string with_slack(std::string_view bytes) { return std::string(bytes) + std::string(kSlack, '\xA5'); }

TEST(NativeColumns, TheLeastWidthThatHoldsAllNumbers) {
  const std::vector<std::pair<std::uint64_t, unsigned>> cases = {
      {0, 1}, {255, 1}, {256, 2}, {65535, 2}, {65536, 4}, {0xFFFFFFFF, 4}, {0x100000000, 8}, {~0ULL, 8}};
  for (const auto& [most, width] : cases) {
    const Numbers numbers = {0, most, most / 3, 1, most};
    ByteWriter out;
    out.column(numbers);
    EXPECT_EQ(out.size(), 1 + numbers.size() * width) << most;
    const std::string bytes = with_slack(out.view());
    ByteReader in = reader_of(std::string_view(bytes).substr(0, out.size()));
    const Column column = in.column("numbers", numbers.size());
    EXPECT_EQ(in.left(), 0U);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      EXPECT_EQ(column[i], numbers[i]) << most;
    }
    EXPECT_EQ(column.greatest(numbers.size()), std::max<std::uint64_t>(most, 1));
    EXPECT_EQ(column.greatest(1), 0U);
    EXPECT_EQ(column.greatest(0), 0U);
  }
}

TEST(NativeColumns, WrongWidthsAndTooManyNumbersAreErrors) {
  for (const char width : {'\0', '\3', '\5', '\7', '\x10', '\xFF'}) {
    const std::string bytes = width + std::string(100, 'x');
    ByteReader in = reader_of(bytes);
    EXPECT_THROW(in.column("numbers", 2), Error) << int{width};
  }
  const std::string bytes = '\4' + std::string(15, 'x');
  for (const std::size_t count : {std::size_t{4}, std::numeric_limits<std::size_t>::max()}) {
    ByteReader in = reader_of(bytes);
    EXPECT_THROW(in.column("numbers", count), Error) << count;
  }
  ByteReader in = reader_of(bytes);
  EXPECT_NO_THROW(in.column("numbers", 3));
  EXPECT_THROW(in.finish("the columns"), Error);
}

TEST(NativeOffsets, EveryWidthShiftAndCount) {
  std::mt19937_64 random(5);
  for (unsigned width = 0; width <= 8; ++width) {
    for (const unsigned shift : {0U, 1U, 4U, 15U, 20U}) {
      for (std::size_t count = 1; count <= 32; ++count) {
        const std::uint64_t least = random();
        Numbers list;
        std::uint64_t any = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint64_t offset = width == 0 ? 0 : random() >> (64 - 8 * width) << shift;
          any |= offset;
          list.push_back(least + offset);
        }
        const native::OffsetPacking packing = native::packing_for(any);
        EXPECT_LE(packing.width, 8U);
        EXPECT_LE(packing.shift, native::OffsetPacking::kMostShift);
        ByteWriter out;
        native::write_offsets(list, least, packing, out);
        EXPECT_EQ(out.size(), count * packing.width);
        const std::string bytes = with_slack(out.view());
        Numbers back(count + native::kOffsetGroup - 1, 7);
        native::read_offsets(reinterpret_cast<const unsigned char*>(bytes.data()), count, least, packing,
                             back.data());
        back.resize(count);
        ASSERT_EQ(back, list) << width << ' ' << shift << ' ' << count;
      }
    }
  }
}

TEST(NativeOffsets, PlanesAsTheManualHasThem) {
  ByteWriter out;
  const Numbers list = {1000, 1000 + 16 * 0x030201, 1000 + 16 * 0x060504};
  const native::OffsetPacking packing = native::packing_for(16 * (0x030201 | 0x060504));
  EXPECT_EQ(packing.width, 3U);
  EXPECT_EQ(packing.shift, 4U);
  native::write_offsets(list, 1000, packing, out);
  EXPECT_THAT(out.view(), ::testing::ElementsAre(0, 0, 1, 2, 4, 5, 0, 3, 6));
}

}  // namespace
}  // namespace wg::trace
