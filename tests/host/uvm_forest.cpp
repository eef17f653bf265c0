// Forest: pattern detection, geometries, and its reported gains beside ours.
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.hpp"
#include "uvm_support.hpp"

namespace wg::host::uvm {
namespace {

Pattern pattern_of(std::uint64_t object_pages, const std::vector<std::uint64_t>& pages) {
  ForestTracker tracker({});
  Object object;
  object.pages = object_pages;
  tracker.add_object(object);
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

/// Time over `tbn` with its own tree evictor at this oversubscription.
double gain(const EventList& list, std::uint64_t memory, const config::UvmConfig& base, bool speculate) {
  config::UvmConfig config = base;
  const auto baseline = static_cast<double>(replayed(config, list, memory).time_ps);
  config.prefetcher = config.evictor = "forest";
  config.forest_speculation = speculate;
  return baseline / static_cast<double>(replayed(config, list, memory).time_ps);
}

/// The paper's geometric means over TBNp (second-hand) are printed beside ours, which stay near 1.
/// `bench/uvm` shows more workloads. What is known of the gap: streams that sweep gain up to twofold at 125
/// %, as Forest promises; graphs and wavefronts lose, because the least recent *object* is no hint where all
/// objects are touched in turn, and because a wavefront looks linear to the fit and then gets 256 KiB leaves.
/// Neither the order inside an object nor the costs of faults change that. Held here: that it does not lose
/// much, and that sweeps gain at 125 %. Evicting fresh leaves first costs a factor of four; evicting single
/// leaves, which the tree then brings back, about a tenth.
TEST(UvmForest, GainsBesideThePublishedOnes) {
  const std::vector<std::string> names{"fdtd", "hotspot", "atax", "bfs", "nw", "pathfinder", "ra", "srad"};
  config::UvmConfig base = serial("tbn", "tbne");
  base.outstanding = 64;
  base.accounting = "page";
  base.transfer =
      "curve";  // the costs of the paper's simulator: 45 us that waiting faults share, and the link
  base.batch_ns = 45'000;
  base.block_ns = base.page_ps = base.new_block_ns = base.first_fault_ns = base.evict_ns = 0;
  struct Published {
    double over;
    const char* forest;
    const char* speculation;
  };
  for (const Published& row : {Published{1.25, "not known", "1.57"}, Published{1.5, "1.72", "1.86"},
                               Published{2.0, "not known", "1.95"}}) {
    double forest = 0;
    double speculation = 0;
    for (const std::string& name : names) {
      const EventList list = generated(name);
      std::uint64_t footprint = 0;
      for (const Event& event : list.events()) {
        footprint += event.kind == EventKind::object ? event.count : 0;
      }
      const auto memory = static_cast<std::uint64_t>(static_cast<double>(footprint) / row.over);
      const double plain = gain(list, memory, base, false);
      const double known = gain(list, memory, base, true);
      std::printf("%-11s %.0f %%: forest %.2f, with speculation %.2f\n", name.c_str(), 100 * row.over, plain,
                  known);
      if (row.over == 1.25 && (name == "fdtd" || name == "srad")) {
        EXPECT_GT(plain, 1.2) << name;
        EXPECT_GT(known, plain) << name;
      }
      forest += std::log(plain) / static_cast<double>(names.size());
      speculation += std::log(known) / static_cast<double>(names.size());
    }
    std::printf("geomean at %.0f %%: forest %.2f (published %s), with speculation %.2f (published %s)\n",
                100 * row.over, std::exp(forest), row.forest, std::exp(speculation), row.speculation);
    EXPECT_GT(std::exp(forest), 0.85);
    EXPECT_GT(std::exp(speculation), 0.85);
  }
}

}  // namespace
}  // namespace wg::host::uvm
