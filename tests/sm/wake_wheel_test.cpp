// The calendar of warps against a plain list of appointments.
#include "sm/wake_wheel.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.hpp"
#include "base/units.hpp"

namespace wg::sm {
namespace {

TEST(WakeWheel, ForgetsWhatItHandsOut) {
  WakeWheel wheel;
  wheel.add(3, 10, 0);
  wheel.add(5, 10, 0);
  EXPECT_EQ(wheel.next(0), 10U);
  EXPECT_EQ(wheel.take(9), 0U);
  EXPECT_EQ(wheel.take(10), (std::uint64_t{1} << 3) | (std::uint64_t{1} << 5));
  EXPECT_EQ(wheel.take(10), 0U);
  EXPECT_EQ(wheel.next(10), kNever);
}

TEST(WakeWheel, ParksWhatIsFartherAwayThanItsSpan) {
  WakeWheel wheel;
  wheel.add(0, 1'000, 7);
  EXPECT_EQ(wheel.next(7), 7 + WakeWheel::kSpan - 1);
}

TEST(WakeWheel, KeepsEveryAppointment) {
  Rng rng(1);
  WakeWheel wheel;
  std::map<std::uint64_t, std::uint64_t> expected;  // cycle -> warps
  std::uint64_t now = 0;
  for (int round = 0; round < 200'000; ++round) {
    for (std::uint64_t n = rng.below(3); n > 0; --n) {
      const auto warp = static_cast<std::uint32_t>(rng.below(64));
      const std::uint64_t at = now + 1 + rng.below(255);
      wheel.add(warp, at, now);
      expected[at] |= std::uint64_t{1} << warp;
    }
    ASSERT_EQ(wheel.next(now), expected.empty() ? kNever : expected.begin()->first) << "cycle " << now;
    if (expected.empty()) {
      now += 1 + rng.below(1'000);
      continue;
    }
    now = rng.below(4) == 0 ? now + 1 : expected.begin()->first;
    const auto found = expected.find(now);
    ASSERT_EQ(wheel.take(now), found == expected.end() ? 0 : found->second) << "cycle " << now;
    expected.erase(now);
  }
}

}  // namespace
}  // namespace wg::sm
