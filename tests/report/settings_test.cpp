#include "report/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "base/rng.hpp"

namespace wg::report {
namespace {

using testing::ElementsAre;

TEST(Selection, TakesNumbersAndRanges) {
  EXPECT_THAT(parse_selection("3"), ElementsAre(3));
  EXPECT_THAT(parse_selection("3,5-9"), ElementsAre(3, 5, 6, 7, 8, 9));
  EXPECT_THAT(parse_selection("9,1-2,2"), ElementsAre(1, 2, 9));
}

TEST(Selection, RefusesEverythingElse) {
  for (const char* text : {"", ",", "1,", "0", "x", "3-", "-3", "5-3", "1-2-3", "1.5", " 1", "0x3",
                           "1-99999999999", "99999999999999999999999"}) {
    try {
      parse_selection(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), testing::StartsWith("--kernels"));
    }
  }
}

TEST(Selection, StaysInsideTheWorkload) {
  EXPECT_NO_THROW(check_selection({}, 0));
  EXPECT_NO_THROW(check_selection({1, 16}, 16));
  EXPECT_THROW(check_selection({1, 17}, 16), Error);
}

TEST(Selection, TextIsTheInverse) {
  EXPECT_EQ(selection_text({}), "all");
  EXPECT_EQ(selection_text({1, 2, 3, 7}), "1-3,7");
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    std::set<std::uint64_t> places;
    for (std::uint64_t n = 1 + rng.below(30); n > 0; --n) {
      places.insert(1 + rng.below(40));
    }
    const std::vector<std::uint64_t> list(places.begin(), places.end());
    EXPECT_EQ(parse_selection(selection_text(list)), list);
  }
}

}  // namespace
}  // namespace wg::report
