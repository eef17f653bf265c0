#include "gpu/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace wg::gpu {
namespace {

std::size_t place_of(std::uint32_t threads) {
  const auto& all = SplitEstimate::kThreads;
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), threads) - all.begin());
}

TEST(SplitEstimate, EqualPiecesDivideEvenly) {
  SplitEstimate split(0);
  split.add(std::vector<std::uint32_t>(16, 100), 0, 8);
  for (std::size_t i = 0; i < SplitEstimate::kThreads.size(); ++i) {
    EXPECT_DOUBLE_EQ(split.speedup(i), SplitEstimate::kThreads[i]);
  }
}

TEST(SplitEstimate, TheLongestPieceAndTheSerialPartBound) {
  SplitEstimate split(10);
  std::vector<std::uint32_t> pieces(9, 50);
  pieces[0] = 400;
  split.add(pieces, 100, 8);  // 800 in all, on one thread 900
  EXPECT_DOUBLE_EQ(split.speedup(place_of(2)), 900.0 / (100 + 400 + 10));
  EXPECT_DOUBLE_EQ(split.speedup(place_of(16)), 900.0 / (100 + 400 + 10));
  EXPECT_DOUBLE_EQ(split.serial_share(), 100.0 / 900);
}

TEST(SplitEstimate, FewPiecesStayWithOneThread) {
  SplitEstimate split(1000);
  split.add(std::vector<std::uint32_t>(7, 100), 0, 8);
  EXPECT_DOUBLE_EQ(split.speedup(place_of(16)), 1.0);
}

TEST(SplitEstimate, NothingAddedIsNoGain) { EXPECT_DOUBLE_EQ(SplitEstimate(5).speedup(1), 1.0); }

TEST(SplitEstimate, MeetingTakesTime) { EXPECT_GT(measured_meeting(), 0); }

}  // namespace
}  // namespace wg::gpu
