// Forest: pattern detection, geometries, and its reported gains beside ours.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "base/rng.hpp"
#include "host/uvm/evictor.hpp"
#include "uvm_support.hpp"

namespace wg::host::uvm {
namespace {

Object of_pages(std::uint64_t pages) {
  Object object;
  object.pages = pages;
  return object;
}

Pattern pattern_of(std::uint64_t object_pages, const std::vector<std::uint64_t>& pages) {
  ForestTracker tracker({});
  tracker.add_object(of_pages(object_pages));
  for (const std::uint64_t page : pages) {
    tracker.accessed(0, page);
  }
  EXPECT_GT(tracker.fits(), 0U);
  return tracker.pattern(0);
}

TEST(UvmForest, DetectsPatterns) {
  Rng rng(1);
  std::vector<std::uint64_t> up;
  std::vector<std::uint64_t> down;
  std::vector<std::uint64_t> hot;
  std::vector<std::uint64_t> cold;
  std::vector<std::uint64_t> few;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    up.push_back(i);
    down.push_back(9'999 - i);
    hot.push_back(rng.below(2'500));
    cold.push_back((i * 7'919) % 12'000);  // no page twice
    few.push_back(rng.below(1'000));
  }
  EXPECT_EQ(pattern_of(10'000, up), Pattern::linear_up);
  EXPECT_EQ(pattern_of(10'000, down), Pattern::linear_down);
  EXPECT_EQ(pattern_of(2'500, hot), Pattern::dense_hot);
  EXPECT_EQ(pattern_of(12'000, cold), Pattern::dense_cold);
  EXPECT_EQ(pattern_of(20'000, few), Pattern::sparse);
}

TEST(UvmForest, GeometriesFaultAsPublishedInASweep) {
  struct Row {
    Pattern pattern;
    std::uint64_t bytes;
    std::uint64_t faults;
  };
  for (const Row& row : {Row{Pattern::linear_up, 4 * kMi, 5}, Row{Pattern::dense_hot, kMi / 2, 4},
                         Row{Pattern::dense_cold, kMi / 2, 6}, Row{Pattern::sparse, 2 * kMi, 6}}) {
    const TreeGeometry geometry = geometry_of(row.pattern);
    config::UvmConfig config = serial("tbn");
    config.tree = Bytes{geometry.tree_pages * kPageBytes};
    config.leaf = Bytes{geometry.leaf_pages * kPageBytes};
    const UvmReport report = replayed(config, generated("seq", {.bytes = row.bytes}));
    EXPECT_EQ(report.total.unique_faults, row.faults) << name_of(row.pattern);
  }
}

TEST(UvmForest, AVisitCountsForItsAccesses) {
  config::UvmConfig config;
  config.forest_interval = 100;
  ForestTracker tracker(config);
  tracker.add_object(of_pages(50));
  for (std::uint64_t page = 0; page < 3; ++page) {
    tracker.accessed(0, page, 33);
  }
  EXPECT_EQ(tracker.fits(), 0U);
  EXPECT_EQ(tracker.accesses(0), 99U);
  tracker.accessed(0, 3);
  EXPECT_EQ(tracker.fits(), 1U);
  EXPECT_EQ(tracker.pattern(0), Pattern::linear_up);
}

/// Half a sweep a launch, and a fit due after a whole one: only what goes on over launches sees it.
TEST(UvmForest, TracksALaunchAloneUnlessItSpeculates) {
  for (const bool speculation : {false, true}) {
    config::UvmConfig config;
    config.forest_interval = 100;
    config.forest_speculation = speculation;
    ForestTracker tracker(config);
    tracker.add_object(of_pages(100));
    for (std::uint64_t launch = 0; launch < 2; ++launch) {
      tracker.kernel("sweep");
      for (std::uint64_t page = 50 * launch; page < 50 * (launch + 1); ++page) {
        tracker.accessed(0, page);
      }
      tracker.kernel("other");
      for (std::uint64_t visit = 0; visit < 60; ++visit) {
        tracker.accessed(0, visit * 37 % 100);  // is not mixed up with the sweep
      }
    }
    EXPECT_EQ(tracker.fits(), speculation ? 2U : 0U);
    tracker.kernel("sweep");
    EXPECT_EQ(tracker.pattern(0), speculation ? Pattern::linear_up : Pattern::sparse);
    tracker.kernel("new");
    EXPECT_EQ(tracker.pattern(0), speculation ? Pattern::linear_up : Pattern::sparse);
    EXPECT_EQ(tracker.metadata_bytes(), (speculation ? 3U : 1U) * 147U);
  }
}

/// The evictor's choice by looking at every page: ages of leaves as sums of nothing but last uses.
struct NaiveForest {
  const Memory& memory;
  const ForestTracker& tracker;
  std::uint64_t idle;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> used;  ///< by block and unit of four pages

  void use(std::uint32_t block, std::uint32_t page) {
    used[{block, page / 4}] = tracker.accesses(memory.space().shape(block).object);
  }
  /// Block and first page of the leaf that goes; block ~0 without one.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> choose() const {
    std::pair<std::uint32_t, std::uint32_t> best{~0U, 0};
    std::pair<bool, std::uint64_t> most{false, 0};
    for (std::uint32_t object = 0; object < memory.space().objects().size(); ++object) {
      std::uint64_t oldest = ~std::uint64_t{0};
      std::pair<std::uint32_t, std::uint32_t> leaf{~0U, 0};
      const std::uint32_t pages = geometry_of(tracker.pattern(object)).leaf_pages;
      const Object& all = memory.space().objects()[object];
      for (std::uint32_t block = all.first_block; block < all.first_block + all.blocks; ++block) {
        for (std::uint32_t first = 0; first < kBlockPages; first += pages) {
          std::uint64_t last = 0;
          for (std::uint32_t page = first; page < first + pages; ++page) {
            if (memory.resident(block).test(page)) {
              last = std::max(last, used.at({block, page / 4}) + 1);
            }
          }
          if (last != 0 && last < oldest) {
            oldest = last;
            leaf = {block, first};
          }
        }
      }
      if (leaf.first == ~0U) {
        continue;
      }
      const std::uint64_t unused = tracker.clock() - tracker.recency(object);
      const bool out = idle == 0 || unused > idle;
      const std::pair<bool, std::uint64_t> rank{out, out ? unused : tracker.accesses(object) + 1 - oldest};
      if (best.first == ~0U || rank > most) {
        most = rank;
        best = leaf;
      }
    }
    return best;
  }
};

TEST(UvmForest, EvictsAsANaiveTwinDoes) {
  Rng rng(7);
  for (int round = 0; round < 60; ++round) {
    config::UvmConfig config;
    config.forest_interval = static_cast<std::uint32_t>(1 + rng.below(200));
    config.forest_idle = rng.below(3) * rng.below(100);
    ForestTracker tracker(config);
    Memory memory(1'000'000, false);
    for (int object = 0; object < 3; ++object) {
      memory.add_object("o", (1 + rng.below(700)) * kPageBytes, rng.below(2) * 8 * kPageBytes, false);
      tracker.add_object(memory.space().objects().back());
    }
    const auto evictor = make_evictor("forest", {config, &tracker, nullptr});
    NaiveForest twin{memory, tracker, config.forest_idle, {}};
    for (int step = 0; step < 300; ++step) {
      const auto object = static_cast<std::uint32_t>(rng.below(3));
      const Object& all = memory.space().objects()[object];
      const BlockPage at = memory.space().locate(all, rng.below(1 + rng.below(all.pages)));
      if (!memory.resident(at.block).test(at.page)) {
        const PageMask one = PageMask::range(at.page, at.page + 1);
        memory.arrive(at.block, one, Cause::fault, 0, 0);
        evictor->serviced(memory, at.block, one);
        twin.use(at.block, at.page);
      }
      tracker.accessed(object, memory.space().shape(at.block).first + at.page, 1 + rng.below(3));
      evictor->accessed(memory, at, 0);
      twin.use(at.block, at.page);
      if (rng.below(6) != 0) {
        continue;
      }
      const Victim victim = evictor->choose(memory, {});
      const auto [block, first] = twin.choose();
      const std::uint32_t leaf = geometry_of(tracker.pattern(memory.space().shape(block).object)).leaf_pages;
      ASSERT_EQ(victim.block, block) << round << ' ' << step;
      const PageMask whole = memory.resident(block) & PageMask::range(first, first + leaf);
      ASSERT_TRUE((whole - victim.pages).none()) << round << ' ' << step;
      memory.leave(block, victim.pages, Cause::eviction, 0, true);
      evictor->left(memory, block, victim.pages);
    }
  }
}

TEST(UvmForest, SpeculationKnowsThePatternOfALaterLaunch) {
  config::UvmConfig config = serial("forest", "forest");
  config.forest_speculation = true;
  const GenerateOptions twice{.bytes = 48 * kMi, .iterations = 4};
  const UvmReport report = replayed(config, generated("seq", twice), 32 * kMi);
  EXPECT_EQ(report.objects[0].pattern, "LS+");
  config.forest_speculation = false;
  EXPECT_LE(report.total.unique_faults,
            replayed(config, generated("seq", twice), 32 * kMi).total.unique_faults);
}

/// Gains over `tbn` with blocks evicted by last use, as in the paper as far as we can tell; `bench/uvm` shows
/// more workloads and the tree evictor. The paper's means (second-hand) are 1.57, 1.86 and 1.95 with
/// speculation. Held here is the order: with speculation before without, that before `tbn` (at 125 % it is
/// even), and more of a gain with less memory.
TEST(UvmForest, GainsInTheOrderOfThePublishedOnes) {
  const std::vector<std::string> names{"fdtd", "hotspot", "atax",   "bfs",  "nw",       "pathfinder",
                                       "ra",   "srad",    "2dconv", "sssp", "backprop", "stencil"};
  config::UvmConfig config = serial("tbn", "lru");
  config.outstanding = 64;
  config.accounting = "page";
  config.transfer = "curve";  // costs of the paper's simulator: 45 us that waiting faults share, and the link
  config.batch_ns = 45'000;
  config.block_ns = config.page_ps = config.new_block_ns = config.first_fault_ns = config.evict_ns = 0;
  double before = 0;
  constexpr std::uint64_t kBytes = 19'500'000;  // where the paper's benchmarks begin
  for (const std::uint64_t percent : {125U, 150U, 200U}) {
    double alone = 0;
    double speculated = 0;
    for (const std::string& name : names) {
      const EventList list = generated(name, {.bytes = kBytes});
      const std::uint64_t memory = kBytes * 100 / percent;
      const auto time = [&](const char* prefetcher, const char* evictor, bool speculation) {
        config.prefetcher = prefetcher;
        config.evictor = evictor;
        config.forest_speculation = speculation;
        return std::log(static_cast<double>(replayed(config, list, memory).time_ps));
      };
      const double base = time("tbn", "lru", false);
      alone += (base - time("forest", "forest", false)) / static_cast<double>(names.size());
      speculated += (base - time("forest", "forest", true)) / static_cast<double>(names.size());
    }
    std::printf("forest over tbn at %d %%: %.2f, with speculation %.2f\n", static_cast<int>(percent),
                std::exp(alone), std::exp(speculated));
    EXPECT_GT(alone, percent == 125 ? -0.02 : 0.05);
    EXPECT_GT(speculated, alone);
    EXPECT_GT(speculated, before);
    before = speculated;
  }
}

}  // namespace
}  // namespace wg::host::uvm
