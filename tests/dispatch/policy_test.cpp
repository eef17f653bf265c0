// Which SM gets the next CTA.
#include "dispatch/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/rng.hpp"

namespace wg::dispatch {
namespace {

/// The SMs picked until there is no room left.
std::vector<std::uint32_t> order(std::string_view name, std::vector<std::uint32_t> room) {
  const auto policy = make_policy(name);
  std::vector<std::uint32_t> picked;
  for (std::uint32_t sm = policy->pick(room); sm != CtaPolicy::kNone; sm = policy->pick(room)) {
    picked.push_back(sm);
    --room[sm];
  }
  return picked;
}

using Order = std::vector<std::uint32_t>;

TEST(Policy, RoundRobinGoesBreadthFirst) {
  EXPECT_EQ(order("round-robin", {2, 0, 1, 3}), (Order{0, 2, 3, 0, 3, 3}));
}

TEST(Policy, LeastLoadedTakesTheMostRoom) {
  EXPECT_EQ(order("least-loaded", {1, 3, 2}), (Order{1, 1, 2, 0, 1, 2}));
}

TEST(Policy, FillTakesOneAfterTheOther) { EXPECT_EQ(order("fill", {2, 0, 1}), (Order{0, 0, 2})); }

TEST(Policy, NoneWhenThereIsNoRoom) {
  for (const std::string_view name : policy_names()) {
    EXPECT_TRUE(order(name, {0, 0, 0}).empty()) << name;
    EXPECT_TRUE(order(name, {}).empty()) << name;
  }
}

TEST(Policy, EveryPlaceIsUsedOnce) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint32_t> room(1 + rng.below(20));
    std::generate(room.begin(), room.end(), [&rng] { return static_cast<std::uint32_t>(rng.below(5)); });
    for (const std::string_view name : policy_names()) {
      const Order picked = order(name, room);
      for (std::uint32_t sm = 0; sm < room.size(); ++sm) {
        EXPECT_EQ(std::count(picked.begin(), picked.end(), sm), room[sm]) << name;
      }
    }
  }
}

TEST(Policy, RefusesNamesItDoesNotKnow) { EXPECT_THROW(make_policy("random"), Error); }

}  // namespace
}  // namespace wg::dispatch
