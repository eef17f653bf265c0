// A key is said to have no effect only where points were compared.
#include "study/effect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wg::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<Axis> kAxes{{"a", {"1", "2"}}, {"b", {"1", "2", "3"}}};

std::vector<Outcome> outcomes(const std::vector<std::uint64_t>& cycles) {
  std::vector<Outcome> all;
  for (const std::uint64_t count : cycles) {
    Outcome& one = all.emplace_back();
    one.state = State::done;
    one.figures.cycles = count;
    one.figures.time_ps = 700 * count;
  }
  return all;
}

std::vector<std::string> keys(const std::vector<Outcome>& all) {
  return without_effect(kAxes, plan(kAxes, false), all);
}

TEST(Effect, IsOfOneKeyWithAllOthersAlike) {
  EXPECT_THAT(keys(outcomes({100, 200, 300, 100, 200, 300})), ElementsAre("a"));
  EXPECT_THAT(keys(outcomes({100, 100, 100, 200, 200, 200})), ElementsAre("b"));
  EXPECT_THAT(keys(outcomes({100, 100, 100, 100, 100, 100})), ElementsAre("a", "b"));
  EXPECT_THAT(keys(outcomes({100, 100, 100, 100, 100, 101})), IsEmpty());
  EXPECT_THAT(keys(outcomes({100'000, 100'100, 100'050, 100'000, 100'000, 100'000})), ElementsAre("a", "b"));
  EXPECT_THAT(keys(outcomes({100'000, 100'101, 100'050, 100'000, 100'000, 100'000})), IsEmpty());
}

TEST(Effect, MayBeOnTimeAlone) {
  std::vector<Outcome> all = outcomes({100, 100, 100, 100, 100, 100});
  for (std::size_t i = 3; i < 6; ++i) {
    all[i].figures.time_ps *= 2;  // another clock
  }
  EXPECT_THAT(keys(all), ElementsAre("b"));
}

TEST(Effect, NeedsPointsToCompare) {
  std::vector<Outcome> all = outcomes({100, 100, 100, 100, 100, 100});
  all[3].state = all[4].state = all[5].state = State::failed;
  EXPECT_THAT(keys(all), ElementsAre("b"));
  all[5].state = State::waiting;
  EXPECT_THAT(keys(all), IsEmpty());
  const std::vector<Axis> zipped{{"a", {"1", "2"}}, {"b", {"1", "2"}}};
  EXPECT_THAT(without_effect(zipped, plan(zipped, true), outcomes({100, 100})), IsEmpty());
  EXPECT_THAT(without_effect(std::vector<Axis>{{"a", {"1"}}}, std::vector<Point>{{"a=1"}}, outcomes({100})),
              IsEmpty());
}

}  // namespace
}  // namespace wg::study
