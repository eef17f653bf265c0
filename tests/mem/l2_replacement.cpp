#include <gtest/gtest.h>

#include <array>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "mem/replacement.hpp"

namespace wg::mem {
namespace {

TEST(Replacement, LruTakesTheLeastRecentCandidate) {
  const auto lru = make_replacement("lru", 2, 4, 0);
  for (const std::uint32_t way : {2U, 0U, 3U, 1U, 2U}) {
    lru->touch(1, way, 0);
  }
  EXPECT_EQ(lru->victim(1, 0b1111, 0), 0U);
  EXPECT_EQ(lru->victim(1, 0b1110, 0), 3U);
  EXPECT_EQ(lru->victim(1, 0b0100, 0), 2U);
}

TEST(Replacement, PlruNeverTakesTheLastUsedAndFollowsTheTree) {
  const auto plru = make_replacement("plru", 1, 4, 0);
  for (const std::uint32_t way : {0U, 1U, 2U, 3U}) {
    plru->touch(0, way, 0);
  }
  EXPECT_EQ(plru->victim(0, 0b1111, 0), 0U);
  plru->touch(0, 0, 0);
  EXPECT_EQ(plru->victim(0, 0b1111, 0), 2U) << "tree PLRU, not LRU: the other half's older";
  EXPECT_EQ(plru->victim(0, 0b0011, 0), 1U);
}

TEST(Replacement, PlruWorksForWaysThatAreNoPowerOfTwo) {
  const auto plru = make_replacement("plru", 1, 6, 0);
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t candidates = 1 + rng.below(63);
    const std::uint32_t way = plru->victim(0, candidates, 0);
    ASSERT_TRUE(candidates >> way & 1);
    plru->touch(0, way, 0);
  }
}

TEST(Replacement, RandomIsFairAndRepeats) {
  const auto a = make_replacement("random", 1, 8, 7);
  const auto b = make_replacement("random", 1, 8, 7);
  std::array<int, 8> taken{};
  for (int i = 0; i < 8000; ++i) {
    const std::uint32_t way = a->victim(0, 0b10111101, 0);
    ASSERT_EQ(way, b->victim(0, 0b10111101, 0));
    ++taken[way];
  }
  EXPECT_EQ(taken[1] + taken[6], 0);
  for (const int way : {0, 2, 3, 4, 5, 7}) {
    EXPECT_NEAR(taken[static_cast<std::size_t>(way)], 8000 / 6, 200);
  }
}

TEST(Replacement, SavedAndLoadedDecidesAsBefore) {
  for (const std::string& name : replacement_names()) {
    const auto original = make_replacement(name, 8, 6, 3);
    Rng rng(2);
    const auto use = [&](Replacement& part, Rng draw) {
      std::vector<std::uint32_t> victims;
      for (int i = 0; i < 500; ++i) {
        const auto set = static_cast<std::uint32_t>(draw.below(8));
        part.touch(set, static_cast<std::uint32_t>(draw.below(6)), 0);
        victims.push_back(part.victim(set, 1 + draw.below(63), 0));
      }
      return victims;
    };
    use(*original, rng);
    std::vector<std::uint8_t> bytes;
    original->save(bytes);
    const auto copy = make_replacement(name, 8, 6, 3);
    ASSERT_EQ(copy->load(bytes), bytes.size()) << name;
    EXPECT_EQ(use(*original, Rng(9)), use(*copy, Rng(9))) << name;
    EXPECT_EQ(copy->load(std::span(bytes).first(bytes.size() - 1)), 0U) << name << ": too short";
  }
}

TEST(Replacement, AnUnknownNameSaysWhatIsKnown) {
  try {
    make_replacement("belady", 1, 4, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problems()[0].found, "belady");
    EXPECT_EQ(error.problems()[0].expected, "one of lru, random, plru");
  }
}

}  // namespace
}  // namespace wg::mem
