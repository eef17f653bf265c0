#include "config/suggest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace wg::config {
namespace {

TEST(Suggest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("latnecy", "latency"), 1U);  // a swap is one slip
  EXPECT_EQ(edit_distance("trcd", "tRCD"), 0U);
}

TEST(Suggest, FindsTheNearestName) {
  const std::array<std::string, 3> names{"l2.size", "l2.sector", "l1.sector"};
  EXPECT_EQ(nearest("l2.sise", names), "l2.size");
  EXPECT_EQ(nearest("l1.sectro", names), "l1.sector");
  EXPECT_EQ(nearest("colour", names), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), names), "");
}

TEST(Suggest, TakesTheFirstOfEquals) {
  const std::array<std::string, 2> names{"gto", "gty"};
  EXPECT_EQ(nearest("gt", names), "gto");
}

TEST(Suggest, NeverSuggestsAWhollyDifferentShortName) {
  const std::array<std::string, 1> names{"ab"};
  EXPECT_EQ(nearest("xy", names), "");
}

}  // namespace
}  // namespace wg::config
