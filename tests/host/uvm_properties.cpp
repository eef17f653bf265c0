// What must hold for every part and every stream.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "host/uvm/evictor.hpp"
#include "uvm_support.hpp"

namespace wg::host::uvm {
namespace {

/// Sweeps, hot spots and random pages of two objects, one of them unaligned.
EventList mixed(std::uint64_t seed, std::uint64_t pages, std::uint64_t accesses) {
  Rng rng(seed);
  EventList list;
  Event event;
  event.kind = EventKind::object;
  event.name = "a";
  event.count = pages * kPageBytes * 2 / 3;
  list.put(event);
  event.object = 1;
  event.name = "b";
  event.count = pages * kPageBytes / 3;
  event.base = 5 * kPageBytes;
  list.put(event);
  event = Event{};
  std::uint64_t at = 0;
  for (std::uint64_t n = 0; n < accesses; ++n) {
    const std::uint64_t kind = rng.below(8);
    event.object = rng.below(3) == 0 ? 1 : 0;
    const std::uint64_t limit = event.object == 0 ? pages * 2 / 3 : pages / 3;
    at = kind < 5 ? at + 1 : kind == 5 ? rng.below(8) : rng.below(limit);
    event.page = at % limit;
    event.write = rng.below(3) == 0;
    event.time_ns += rng.below(40);
    list.put(event);
  }
  return list;
}

/// Every page that came was used, left unused, or is there unused; every one that came left or is there.
void expect_balance(const UvmReport& report, const std::string& what) {
  for (const ObjectReport& object : report.objects) {
    const PageCounters& c = object.pages;
    EXPECT_EQ(c.arrived(), c.used + c.left_unused + c.end_unused) << what << ' ' << object.name;
    EXPECT_EQ(c.raw_faults, c.coalesced + c.duplicates + c.unique_faults + c.flushed)
        << what << ' ' << object.name;
  }
  const PageCounters& c = report.total;
  EXPECT_EQ(c.arrived(), c.left() + c.dropped + report.end_pages) << what;
  EXPECT_LE(report.peak_pages, report.memory_pages) << what;
  EXPECT_LE(c.of(Cause::fault), c.unique_faults) << what;
}

TEST(UvmProperties, PagesBalanceForAllPartsAndPolicies) {
  Rng rng(11);
  int runs = 0;
  for (const std::string& prefetcher : prefetcher_names()) {
    for (const std::string& evictor : evictor_names()) {
      config::UvmConfig config = serial(prefetcher, evictor);
      const std::uint64_t draw = rng.next();
      config.outstanding = draw % 2 == 0 ? 1 : 40;
      config.replay = std::vector<std::string>{"block", "batch", "batch-flush", "once"}[draw / 2 % 4];
      config.accounting = std::vector<std::string>{"auto", "chunk", "page"}[draw / 8 % 3];
      config.write_back_clean = draw / 32 % 2 == 0;
      config.free_percent = draw / 64 % 2 == 0 ? 0 : 20;
      config.duplex = draw / 128 % 2 == 0;
      config.forest_interval = 300;
      const EventList list = mixed(draw, 4000, 4000);
      const UvmReport report = replayed(config, list, 4 * kMi);
      expect_balance(report, prefetcher + " " + evictor + " " + config.replay + " " + config.accounting);
      EXPECT_EQ(report.total.accesses, 4000U) << prefetcher << ' ' << evictor;
      EXPECT_GT(report.evictions, 0U) << prefetcher << ' ' << evictor;
      ++runs;
    }
  }
  EXPECT_EQ(runs, 72);
}

TEST(UvmProperties, NoEvictorBeatsBelady) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const EventList list = mixed(seed, 300, 3000);
    const std::uint64_t memory = (20 + 10 * seed) * kPageBytes;
    config::UvmConfig config = serial("none", "belady");
    config.accounting = "page";
    const std::uint64_t best = replayed(config, list, memory).total.unique_faults;
    for (const std::string& evictor : evictor_names()) {
      config.evictor = evictor;
      EXPECT_LE(best, replayed(config, list, memory).total.unique_faults) << evictor << " seed " << seed;
    }
  }
}

TEST(UvmProperties, NoPrefetcherBeatsTheOracle) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const EventList list = mixed(seed + 100, 1000, 2000);
    const std::uint64_t memory = (100 + 100 * seed) * kPageBytes;
    config::UvmConfig config = serial("oracle", "belady");
    config.accounting = "page";
    const UvmReport oracle = replayed(config, list, memory);
    EXPECT_EQ(oracle.total.left_unused + oracle.total.end_unused, 0U);
    for (const std::string& prefetcher : prefetcher_names()) {
      for (const char* evictor : {"belady", "lru-4k", "tbne"}) {
        config.prefetcher = prefetcher;
        config.evictor = evictor;
        EXPECT_LE(oracle.total.unique_faults, replayed(config, list, memory).total.unique_faults)
            << prefetcher << ' ' << evictor << " seed " << seed;
      }
    }
  }
}

/// Belady's misses, counted the plain way: on a miss the page used farthest ahead goes.
std::uint64_t naive_belady(const std::vector<std::uint64_t>& pages, std::size_t room) {
  std::vector<std::uint64_t> here;
  std::uint64_t misses = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (std::find(here.begin(), here.end(), pages[i]) != here.end()) {
      continue;
    }
    ++misses;
    if (here.size() == room) {
      const auto next = [&](std::uint64_t page) {
        return std::find(pages.begin() + static_cast<std::ptrdiff_t>(i), pages.end(), page) - pages.begin();
      };
      here.erase(std::max_element(here.begin(), here.end(),
                                  [&](std::uint64_t a, std::uint64_t b) { return next(a) < next(b); }));
    }
    here.push_back(pages[i]);
  }
  return misses;
}

std::uint64_t naive_lru(const std::vector<std::uint64_t>& pages, std::size_t room) {
  std::vector<std::uint64_t> here;
  std::uint64_t misses = 0;
  for (const std::uint64_t page : pages) {
    const auto at = std::find(here.begin(), here.end(), page);
    if (at != here.end()) {
      here.erase(at);
    } else {
      ++misses;
      if (here.size() == room) {
        here.erase(here.begin());
      }
    }
    here.push_back(page);
  }
  return misses;
}

TEST(UvmProperties, PageEvictorsAgreeWithPlainOnes) {
  Rng rng(3);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::uint64_t> pages;
    const std::uint64_t span = 10 + rng.below(60);
    for (int i = 0; i < 500; ++i) {
      pages.push_back(rng.below(2) == 0 ? rng.below(span) : rng.below(span / 4 + 1));
    }
    const std::size_t room = 2 + rng.below(span);
    const EventList list = reads(span * kPageBytes, pages);
    config::UvmConfig config = serial("none", "belady");
    EXPECT_EQ(replayed(config, list, room * kPageBytes).total.unique_faults, naive_belady(pages, room));
    config.evictor = "lru-4k";
    EXPECT_EQ(replayed(config, list, room * kPageBytes).total.unique_faults, naive_lru(pages, room));
  }
}

TEST(UvmProperties, SameStreamSameReport) {
  config::UvmConfig config = serial("tbn-driver", "random");
  config.outstanding = 20;
  const EventList list = mixed(5, 4000, 5000);
  EXPECT_EQ(report_json(replayed(config, list, 8 * kMi)), report_json(replayed(config, list, 8 * kMi)));
}

TEST(UvmProperties, StreamsThatFitNeverEvict) {
  for (const std::string& prefetcher : prefetcher_names()) {
    const UvmReport report = replayed(serial(prefetcher), mixed(9, 4000, 4000), 64 * kMi);
    EXPECT_EQ(report.evictions, 0U) << prefetcher;
    EXPECT_EQ(report.total.again, 0U) << prefetcher;
    EXPECT_LE(report.total.arrived(), report.footprint_pages) << prefetcher;
  }
}

}  // namespace
}  // namespace wg::host::uvm
