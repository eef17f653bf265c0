// Tags of the first-level cache: hits, sectors, replacement, places kept for lines under way; then random use
// against a list in order of use.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <set>

#include "base/rng.hpp"
#include "mem/l1_cache.hpp"

namespace wg::mem {
namespace {

TEST(L1Tags, SectorsOfALineBecomeValidOneByOne) {
  SectorTags tags(16, 4, 128);
  EXPECT_EQ(tags.lookup(0, 0xF), 0);
  tags.fill(0, 0b0101);
  EXPECT_EQ(tags.lookup(0, 0xF), 0b0101);
  EXPECT_EQ(tags.lookup(0, 0b0010), 0);
  tags.fill(0, 0b0010);
  EXPECT_EQ(tags.lookup(0, 0xF), 0b0111);
  tags.clear();
  EXPECT_EQ(tags.lookup(0, 0xF), 0);
}

TEST(L1Tags, ACacheOfNoLinesNeverHits) {
  SectorTags tags(3, 4, 128);
  EXPECT_EQ(tags.lines(), 0U);
  tags.fill(0, 0xF);
  EXPECT_EQ(tags.lookup(0, 0xF), 0);
  EXPECT_TRUE(tags.reserve(0, 0xF));
}

TEST(L1Tags, TheLeastRecentlyUsedLineGoes) {
  SectorTags tags(2, 2, 128);  // one set
  tags.fill(0, 1);
  tags.fill(128, 1);
  EXPECT_EQ(tags.lookup(0, 1), 1);
  tags.fill(256, 1);
  EXPECT_EQ(tags.lookup(0, 1), 1);
  EXPECT_EQ(tags.lookup(128, 1), 0);
  EXPECT_EQ(tags.lookup(256, 1), 1);
}

TEST(L1Tags, AKeptPlaceIsNotTakenByOthers) {
  SectorTags tags(2, 2, 128);
  ASSERT_TRUE(tags.reserve(0, 0b11));
  ASSERT_TRUE(tags.reserve(128, 0b01));
  EXPECT_EQ(tags.lookup(0, 0b11), 0);
  EXPECT_FALSE(tags.reserve(256, 1));
  tags.fill(256, 1);  // passes by
  EXPECT_EQ(tags.lookup(256, 1), 0);
  tags.fill(0, 0b01);
  EXPECT_FALSE(tags.reserve(256, 1));  // its other sector is still to come
  tags.fill(0, 0b10);
  EXPECT_EQ(tags.lookup(0, 0b11), 0b11);
  EXPECT_TRUE(tags.reserve(256, 1));
  EXPECT_EQ(tags.lookup(0, 0b11), 0);
}

TEST(L1Tags, PowerOfTwoStridesUseManySets) {
  for (const std::uint64_t stride : {128U, 1024U, 4096U, 32'768U}) {
    SectorTags tags(256, 4, 128);
    for (std::uint64_t i = 0; i < 256; ++i) {
      tags.fill(i * stride, 1);
    }
    std::uint64_t kept = 0;
    for (std::uint64_t i = 0; i < 256; ++i) {
      kept += tags.lookup(i * stride, 1);
    }
    EXPECT_GE(kept, 64U) << stride;
  }
}

TEST(L1Tags, AgreesWithAListInOrderOfUse) {
  struct Line {
    std::uint64_t address = 0;
    std::uint8_t sectors = 0;
  };
  for (const std::uint32_t ways : {1U, 2U, 5U}) {
    SectorTags tags(ways, ways, 128);
    std::list<Line> model;  // least recently used first
    Rng rng(ways);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t address = rng.below(8) * 128;
      const auto sectors = static_cast<std::uint8_t>(1 + rng.below(15));
      const auto line =
          std::find_if(model.begin(), model.end(), [address](const Line& l) { return l.address == address; });
      if (line != model.end()) {
        model.splice(model.end(), model, line);
      }
      if (rng.below(2) == 0) {
        ASSERT_EQ(tags.lookup(address, sectors), line == model.end() ? 0 : model.back().sectors & sectors);
        continue;
      }
      tags.fill(address, sectors);
      if (line == model.end()) {
        if (model.size() == ways) {
          model.pop_front();
        }
        model.push_back({address, 0});
      }
      model.back().sectors |= sectors;
    }
  }
}

}  // namespace
}  // namespace wg::mem
