// Which warp issues: each policy on hand-made sets of candidates.
#include "sm/scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/rng.hpp"

namespace wg::sm {
namespace {

constexpr std::uint64_t bits(std::initializer_list<std::uint32_t> slots) {
  std::uint64_t mask = 0;
  for (const std::uint32_t slot : slots) {
    mask |= std::uint64_t{1} << slot;
  }
  return mask;
}

std::array<std::uint64_t, 64> ages(std::initializer_list<std::uint64_t> values) {
  std::array<std::uint64_t, 64> age{};
  std::copy(values.begin(), values.end(), age.begin());
  return age;
}

TEST(Scheduler, GreedyStaysWithTheWarpThatIssuedLast) {
  const auto age = ages({0, 1, 2, 3});
  for (const char* name : {"gto", "gty"}) {
    EXPECT_EQ(make_scheduler(name)->pick(bits({0, 2, 3}), 2, age), 2U) << name;
  }
}

TEST(Scheduler, GreedyFallsBackToTheOldestOrYoungest) {
  const auto age = ages({7, 2, 9, 5});
  EXPECT_EQ(make_scheduler("gto")->pick(bits({0, 1, 2, 3}), 20, age), 1U);
  EXPECT_EQ(make_scheduler("gty")->pick(bits({0, 1, 2, 3}), 20, age), 2U);
  EXPECT_EQ(make_scheduler("gto")->pick(bits({0, 3}), 1, age), 3U);
  EXPECT_EQ(make_scheduler("gty")->pick(bits({1, 3}), 2, age), 3U);
}

TEST(Scheduler, RoundRobinGoesOnBehindTheLast) {
  const auto scheduler = make_scheduler("lrr");
  const auto age = ages({});
  EXPECT_EQ(scheduler->pick(bits({0, 2, 5}), 0, age), 2U);
  EXPECT_EQ(scheduler->pick(bits({0, 2, 5}), 2, age), 5U);
  EXPECT_EQ(scheduler->pick(bits({0, 2, 5}), 5, age), 0U);
  EXPECT_EQ(scheduler->pick(bits({4, 63}), 62, age), 63U);
  EXPECT_EQ(scheduler->pick(bits({4, 63}), 63, age), 4U);
  EXPECT_EQ(scheduler->pick(bits({7}), 7, age), 7U);
}

TEST(Scheduler, PicksACandidateAndNothingElse) {
  Rng rng(2);
  std::array<std::uint64_t, 64> age{};
  for (int i = 0; i < 20'000; ++i) {
    std::generate(age.begin(), age.end(), [&rng] { return rng.next(); });
    const std::uint64_t candidates = rng.next() & rng.next() & rng.next();
    const auto last = static_cast<std::uint32_t>(rng.below(64));
    for (const std::string_view name :
         candidates == 0 ? std::span<const std::string_view>{} : scheduler_names()) {
      const std::uint32_t slot = make_scheduler(name)->pick(candidates, last, age);
      ASSERT_LT(slot, 64U);
      ASSERT_NE(candidates >> slot & 1, 0U) << name;
    }
  }
}

TEST(Scheduler, RefusesNamesItDoesNotKnow) {
  EXPECT_THROW(make_scheduler("fifo"), Error);
  for (const std::string_view name : scheduler_names()) {
    EXPECT_NE(make_scheduler(name), nullptr);
  }
}

}  // namespace
}  // namespace wg::sm
