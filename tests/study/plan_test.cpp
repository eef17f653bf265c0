// Which points a sweep has, and in which order.
#include "study/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"

namespace wg::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Axis> axes_of(const std::vector<std::string>& texts) {
  std::vector<Axis> axes;
  for (const std::string& text : texts) {
    axes.push_back(parse_axis(text));
  }
  return axes;
}

std::string refused(const std::vector<std::string>& texts, bool zip = false) {
  try {
    plan(axes_of(texts), zip);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "no error";
}

TEST(Plan, CombinesAllWithTheLastAxisFastest) {
  const auto points = plan(axes_of({"l2.size = 1MiB, 2MiB", "sm.count=4,5,6"}), false);
  ASSERT_EQ(points.size(), 6U);
  EXPECT_THAT(points[0], ElementsAre("l2.size=1MiB", "sm.count=4"));
  EXPECT_THAT(points[1], ElementsAre("l2.size=1MiB", "sm.count=5"));
  EXPECT_THAT(points[3], ElementsAre("l2.size=2MiB", "sm.count=4"));
  EXPECT_THAT(points[5], ElementsAre("l2.size=2MiB", "sm.count=6"));
}

TEST(Plan, GoesSideBySideWhenAsked) {
  const auto points = plan(axes_of({"a=1,2,3", "b=x,y,z"}), true);
  EXPECT_THAT(points, ElementsAre(Point{"a=1", "b=x"}, Point{"a=2", "b=y"}, Point{"a=3", "b=z"}));
}

TEST(Plan, PointsDifferAndAreTheProduct) {
  std::vector<Axis> axes;
  std::size_t product = 1;
  for (std::size_t n = 1; n < 6; ++n) {
    Axis axis{std::string(n, 'k'), {}};
    for (std::size_t i = 0; i < n; ++i) {
      axis.values.push_back(std::to_string(i));
    }
    axes.push_back(axis);
    product *= n;
    const auto points = plan(axes, false);
    EXPECT_EQ(points.size(), product);
    EXPECT_EQ(std::set<Point>(points.begin(), points.end()).size(), product);
  }
}

TEST(Plan, RefusesWhatIsNoPlan) {
  for (const char* text : {"", "l2.size", "l2.size=", "=1", "l2.size=1,,2", "l2.size=1,"}) {
    EXPECT_THAT(refused({text}), HasSubstr("KEY=VALUE,VALUE")) << text;
  }
  EXPECT_THAT(refused({"a=1,2", "a=3"}), HasSubstr("found \"a\" again"));
  EXPECT_THAT(refused({"a=1,2", "b=3"}, true), HasSubstr("as many values of b as of a"));
  std::string many = "=0";
  for (int i = 1; i < 50; ++i) {
    many += ',' + std::to_string(i);
  }
  EXPECT_THAT(refused({"a" + many, "b" + many, "c" + many}), HasSubstr("at most 100000 points"));
}

}  // namespace
}  // namespace wg::study
