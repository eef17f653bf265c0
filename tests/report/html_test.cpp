#include "report/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "report/charts.hpp"
#include "report/files.hpp"
#include "sample.hpp"

namespace wg::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Every element that is opened is closed, in order; void elements and self-closed ones apart.
std::string unbalanced(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    const std::string tag = page.substr(at + 1, end - at - 1);
    const std::string name =
        tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '!' || tag.back() == '/' || name == "meta" || name == "br") {
      continue;
    }
    if (tag[0] != '/') {
      open.push_back(name);
    } else if (open.empty() || open.back() != tag.substr(1)) {
      return tag;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

TEST(Html, IsWellFormedForAnyResult) {
  for (std::uint64_t seed = 1; seed < 12; ++seed) {
    EXPECT_EQ(unbalanced(html(sample::random_result(seed, seed * seed % 60))), "") << seed;
  }
  EXPECT_EQ(unbalanced(html(sample::random_result(1, 0))), "");
}

TEST(Html, LoadsNothingAndRunsNothing) {
  const std::string page = html(sample::tidy_result());
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
}

TEST(Html, ShowsSlotsLimitsHotInstructionsAndTimeline) {
  const std::string page = html(sample::tidy_result());
  for (const char* part :
       {"Where the issue slots went", "dram bandwidth is at 89.0 % of its peak", "LDG.E.128.CONSTANT",
        "Over time", "aria-label=\"share of each limit\"", "1,207,616"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(Html, EscapesNames) {
  gpu::RunResult result = sample::tidy_result();
  result.kernels[0].name = "<img src=x>";
  result.workload = "a&b";
  EXPECT_THAT(html(result), testing::AllOf(Not(HasSubstr("<img")), HasSubstr("a&amp;b")));
}

TEST(Charts, BarsOfARowFillIt) {
  const gpu::KernelResult k = sample::random_result(6, 1).kernels[0];
  const std::string chart = stacked_chart({{"k", "", k.slots, k.issued_slots, k.issue_slots}});
  double sum = 0;
  for (std::size_t at = chart.find(" width=\""); at != std::string::npos;
       at = chart.find(" width=\"", at + 1)) {
    sum += std::strtod(chart.c_str() + at + 8, nullptr);
  }
  EXPECT_NEAR(sum, 1040 - 250 - 130, 0.2);
}

TEST(Html, CanBeKeptForLooking) {
  const char* folder = std::getenv("WG_KEEP_HTML");
  if (folder == nullptr) {
    GTEST_SKIP() << "set WG_KEEP_HTML to a folder to keep the pages";
  }
  write_file(std::string(folder) + "/tidy.html", html(sample::tidy_result()));
  write_file(std::string(folder) + "/random.html", html(sample::random_result(3, 20)));
}

}  // namespace
}  // namespace wg::report
