// What an SM sees of pages, state as bytes, and timelines of bounded length.
#include <gtest/gtest.h>

#include <map>

#include "base/archive.hpp"
#include "base/rng.hpp"
#include "host/uvm/driver.hpp"
#include "mem/paging.hpp"

namespace wg::host::uvm {
namespace {

using State = mem::PageView::State;

TEST(PageView, ChangesAreSeenFromTheirTimeOn) {
  mem::PageView view;
  view.manage(100, 164);
  view.manage(10, 12);
  EXPECT_EQ(view.state(9, 0), State::unmanaged);
  EXPECT_EQ(view.state(12, 0), State::unmanaged);
  EXPECT_EQ(view.state(11, 0), State::absent);
  view.set(11, 1, true);
  EXPECT_EQ(view.state(11, 0), State::resident);
  EXPECT_EQ(view.state(10, 0), State::absent);
  const std::vector<mem::PageChange> changes = {{50, 100, 64, true}, {60, 120, 4, false}};
  view.add(changes);
  for (const bool settled : {false, true}) {
    EXPECT_EQ(view.state(121, 49), settled ? State::resident : State::absent);
    EXPECT_EQ(view.state(121, 50), State::resident);
    EXPECT_EQ(view.state(121, 60), State::absent);
    EXPECT_EQ(view.state(124, 60), State::resident);
    view.settle(50);
  }
  view.clear();
  EXPECT_EQ(view.state(124, 100), State::absent);
}

TEST(PageView, AgreesWithAMapOfPages) {
  Rng rng(7);
  mem::PageView view;
  view.manage(1000, 1500);
  std::map<std::uint64_t, bool> expected;
  for (std::uint64_t now = 0; now < 3000; ++now) {
    const std::uint64_t first = 1000 + rng.below(480);
    const mem::PageChange change{now + 3, first, 1 + rng.below(20), rng.below(2) == 0};
    view.add({&change, 1});
    view.settle(now);
    for (std::uint64_t page = first; page < first + change.count; ++page) {
      expected[page] = change.resident;
    }
    const std::uint64_t probe = 1000 + rng.below(500);
    EXPECT_EQ(view.state(probe, now + 3) == State::resident, expected[probe]);
  }
}

TEST(Archive, GivesBackWhatItTookAndRefusesWhatIsCutOff) {
  std::vector<std::uint8_t> bytes;
  std::vector<bool> bits = {true, false, true};
  std::map<std::string, std::vector<std::uint32_t>> map = {{"a", {1, 2}}, {"b", {}}};
  std::set<std::uint64_t> set = {5, 9};
  double number = 2.5;
  Archive out(bytes);
  out(bits);
  out(map);
  out(set);
  out(number);
  std::vector<bool> bits_back;
  std::map<std::string, std::vector<std::uint32_t>> map_back;
  std::set<std::uint64_t> set_back;
  double number_back = 0;
  Archive in{std::span<const std::uint8_t>(bytes)};
  in(bits_back);
  in(map_back);
  in(set_back);
  in(number_back);
  EXPECT_EQ(bits_back, bits);
  EXPECT_EQ(map_back, map);
  EXPECT_EQ(set_back, set);
  EXPECT_EQ(number_back, number);
  EXPECT_TRUE(in.rest().empty());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Archive part{std::span<const std::uint8_t>(bytes).first(length)};
    EXPECT_THROW(
        {
          part(bits_back);
          part(map_back);
          part(set_back);
          part(number_back);
        },
        Error)
        << length;
  }
}

TEST(Timeline, KeepsItsSumsWhileStepsGrow) {
  Timeline timeline;
  Rng rng(3);
  std::uint64_t pages = 0;
  Batch batch;
  for (std::uint64_t time = 0; time < 40'000'000'000; time += rng.below(30'000'000)) {
    batch.fault_pages = static_cast<std::uint32_t>(rng.below(100));
    pages += batch.fault_pages;
    timeline.add(batch, time);
  }
  std::uint64_t sum = 0;
  for (const TimelineStep& step : timeline.steps()) {
    sum += step.fault_pages;
  }
  EXPECT_EQ(sum, pages);
  EXPECT_LE(timeline.steps().size(), Timeline::kMost);
  EXPECT_GT(timeline.steps().size(), Timeline::kMost / 4);
  EXPECT_EQ(timeline.step_ps() % 10'000'000, 0U);
}

TEST(PageMask, RunsAreMaximalAndInOrder) {
  Rng rng(11);
  for (int round = 0; round < 300; ++round) {
    PageMask mask;
    for (int i = 0; i < 6; ++i) {
      const auto first = static_cast<std::uint32_t>(rng.below(512));
      const auto length = static_cast<std::uint32_t>(rng.below(160));
      mask |= PageMask::range(first, std::min<std::uint32_t>(512, first + length));
    }
    std::vector<PageRun> expected;
    mask.each([&](std::uint32_t page) {
      if (!expected.empty() && expected.back().first + expected.back().count == page) {
        ++expected.back().count;
      } else {
        expected.push_back({page, 1});
      }
    });
    EXPECT_EQ(runs_of(mask), expected);
  }
}

}  // namespace
}  // namespace wg::host::uvm
