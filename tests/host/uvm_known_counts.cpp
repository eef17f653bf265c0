// Fault counts, pages and times that others published or measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/rng.hpp"
#include "host/uvm/cost.hpp"
#include "uvm_support.hpp"

namespace wg::host::uvm {
namespace {

using Json = nlohmann::json;
const std::string kData = WG_SOURCE_DIR "/tests/host/data/uvm/";

/// UVMSmart's own figures, exactly.
TEST(UvmCounts, HotspotAsUvmSmart) {
  const EventList hotspot = generated("hotspot");
  struct Row {
    const char* prefetcher;
    std::uint64_t faults;
    std::uint64_t transfers;
  };
  for (const Row& row : {Row{"tbn", 36, 72}, Row{"sequential", 192, 384}, Row{"none", 3072, 3072}}) {
    const UvmReport report = replayed(serial(row.prefetcher), hotspot);
    EXPECT_EQ(report.total.unique_faults, row.faults) << row.prefetcher;
    EXPECT_EQ(report.transfers_in, row.transfers) << row.prefetcher;
    EXPECT_EQ(report.total.arrived() * kPageBytes, 12'582'912U) << row.prefetcher;
    EXPECT_EQ(report.total.raw_faults, row.faults) << row.prefetcher;
    EXPECT_EQ(report.total.left(), 0U);
  }
}

TEST(UvmCounts, DriverRuleOnASweepFaultsSixTimesABlock) {
  const UvmReport report = replayed(serial("tbn-driver"), generated("seq", {.bytes = 64 * kMi}));
  EXPECT_EQ(report.total.unique_faults, 6U * 32);
  EXPECT_EQ(report.total.arrived(), 64 * kMi / kPageBytes);
}

TEST(UvmCounts, FaultsEqualPagesOnDemand) {
  for (const char* name : {"fdtd", "backprop"}) {
    const UvmReport report = replayed(serial("none"), generated(name));
    EXPECT_EQ(report.total.unique_faults, name == std::string("fdtd") ? 4224U : 6785U) << name;
  }
}

/// The shortest history on which the two rules part.
TEST(UvmCounts, RulesPartOnLeaves0142) {
  const EventList list = reads(2 * kMi, {0, 16, 64, 32, 33, 95});
  const UvmReport driver = replayed(serial("tbn-driver"), list);
  const UvmReport leaf = replayed(serial("tbn"), list);
  EXPECT_EQ(driver.total.arrived(), 8U * 16);  // 0, 1, 4, 2+3, then 5+6+7
  EXPECT_EQ(driver.total.unique_faults, 5U);
  EXPECT_EQ(leaf.total.arrived(), 8U * 16);  // 0, 1, 4, 2+3+5+6+7
  EXPECT_EQ(leaf.total.unique_faults, 4U);
}

struct Step {
  bool first;
  double measured;
  double modelled;
};

/// Replays the measured faults of each block and compares pages, copies and times step by step. The costs of
/// the default machine were fitted to these very steps: a calibration, no prediction.
TEST(UvmCounts, Gtx1080TiSteps) {
  std::ifstream file(kData + "hw_gtx1080ti_nvprof_steps.jsonl");
  std::vector<Json> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(Json::parse(line));
  }
  ASSERT_EQ(rows.size(), 46U);
  for (const char* rule : {"tbn-driver", "tbn"}) {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < rows.size();) {
      std::size_t end = i;
      std::vector<std::uint64_t> pages;
      while (end < rows.size() && rows[end]["bench"] == rows[i]["bench"] &&
             rows[end]["block"] == rows[i]["block"]) {
        pages.push_back(rows[end++]["fault_page"]);
      }
      std::vector<Batch> batches;
      replayed(serial(rule), reads(rows[i]["block_pages"].get<std::uint64_t>() * kPageBytes, pages),
               1024 * kMi, &batches);
      ASSERT_EQ(batches.size(), pages.size());
      for (std::size_t step = 0; step < pages.size(); ++step) {
        std::uint64_t moved = 0;
        for (const Json& run : rows[i + step]["hw_runs"]) {
          moved += run[1].get<std::uint64_t>();
        }
        EXPECT_EQ(batches[step].fault_pages + batches[step].prefetch_pages, moved) << rows[i + step];
        EXPECT_EQ(batches[step].transfers_in, rows[i + step]["hw_runs"].size()) << rows[i + step];
        const double us = static_cast<double>(batches[step].end_ps - batches[step].start_ps) * 1e-6;
        steps.push_back({step == 0, rows[i + step]["gpu_fault_us"], us});
      }
      i = end;
    }
    double error = 0;
    double worst = 0;
    int warm = 0;
    for (const Step& step : steps) {
      if (!step.first) {
        const double off = std::abs(step.modelled - step.measured) / step.measured;
        error += off;
        worst = std::max(worst, off);
        ++warm;
      }
    }
    EXPECT_EQ(warm, 38);
    EXPECT_LE(error / warm, 0.05);
    EXPECT_LE(worst, 0.32);
    RecordProperty(std::string(rule) + "_mean_error", std::to_string(error / warm));
    std::printf("%s: mean error of %d warm steps %.2f %%, worst %.1f %%\n", rule, warm, 100 * error / warm,
                100 * worst);
  }
}

TEST(UvmCounts, TransferTimesAsPublished) {
  config::UvmConfig curve;
  curve.transfer = "curve";
  const std::vector<std::pair<std::uint64_t, double>> published{
      {1, 1.758947}, {15, 5.563808}, {31, 10.597569}, {63, 20.744766}, {127, 41.077652}, {255, 81.761650}};
  for (const auto& [pages, us] : published) {
    EXPECT_NEAR(static_cast<double>(copy_ps(curve, pages, true)) * 1e-6, us, us * 5e-4) << pages;
  }
  const std::vector<std::pair<std::uint64_t, double>> measured{{1, 1.76},   {15, 5.82},   {31, 11.23},
                                                               {63, 21.82}, {127, 43.26}, {255, 86.4}};
  for (const auto& [pages, us] : measured) {
    EXPECT_NEAR(static_cast<double>(copy_ps({}, pages, true)) * 1e-6, us, us * 0.30) << pages;
    if (pages > 1) {
      EXPECT_NEAR(static_cast<double>(copy_ps({}, pages, true)) * 1e-6, us, us * 0.03) << pages;
    }
  }
}

std::vector<std::uint64_t> shuffled(Rng& rng, std::uint64_t count) {
  std::vector<std::uint64_t> pages(count);
  std::iota(pages.begin(), pages.end(), 0);
  for (std::size_t i = pages.size(); i > 1; --i) {
    std::swap(pages[i - 1], pages[rng.below(i)]);
  }
  return pages;
}

struct Mean {
  double faults = 0;
  double pages = 0;
  /// Pages of sparse orders scatter so much that the reference, a mean of 400 orders, is itself off by up to
  /// 6 %.
  double pages_slack = 0;
};

/// Three standard errors of a mean over 400 orders.
double slack(double sum, double squares, int count) {
  const double variance = std::max(squares / count - sum * sum / count / count, 0.0);
  return 3 * std::sqrt(variance / 400);
}

/// Over random orders of the first `touched` pages of a block, `batch` of them waiting together.
Mean mean(const config::UvmConfig& config, std::uint64_t touched, std::uint32_t batch, int orders) {
  Rng rng(20 + touched + batch);
  Mean out;
  for (int i = 0; i < orders; ++i) {
    std::vector<std::uint64_t> pages = shuffled(rng, kBlockPages);
    pages.resize(touched);
    config::UvmConfig one = config;
    one.outstanding = batch;
    const UvmReport report = replayed(one, reads(2 * kMi, pages));
    const auto faults = static_cast<double>(report.total.unique_faults);
    const auto moved = static_cast<double>(report.total.arrived());
    out.faults += faults;
    out.pages += moved;
    out.pages_slack += moved * moved;
  }
  out.pages_slack = slack(out.pages, out.pages_slack, orders);
  out.faults /= orders;
  out.pages /= orders;
  return out;
}

/// Batches form from what faults before anything is served: no time passes between accesses.
TEST(UvmCounts, RandomOrdersMatchTheStatistics) {
  Json statistics;
  std::ifstream(kData + "tbnp_statistics.json") >> statistics;
  for (const Json& row : statistics["all_512_pages_random_order"]) {
    const auto batch = row["batch"].get<std::uint32_t>();
    for (const char* rule : {"driver", "leaf"}) {
      config::UvmConfig config = serial(rule == std::string("driver") ? "tbn-driver" : "tbn");
      config.batch = 1024;
      const Mean found = mean(config, 512, batch, 800);
      const double faults = row[std::string(rule) + "_faults"];
      EXPECT_NEAR(found.faults, faults, faults * 0.02) << rule << " batch " << batch;
    }
  }
}

TEST(UvmCounts, SparseTouchesMatchTheStatistics) {
  Json statistics;
  std::ifstream(kData + "tbnp_statistics.json") >> statistics;
  for (const Json& row : statistics["m_random_pages_one_by_one"]) {
    const auto touched = row["touched"].get<std::uint64_t>();
    const int orders = touched <= 32 ? 2000 : 500;
    const Mean driver = mean(serial("tbn-driver"), touched, 1, orders);
    EXPECT_NEAR(driver.faults, row["driver_faults"], row["driver_faults"].get<double>() * 0.02) << touched;
    EXPECT_NEAR(driver.pages, row["driver_migrated"],
                row["driver_migrated"].get<double>() * 0.02 + driver.pages_slack)
        << touched;
    const Mean leaf = mean(serial("tbn"), touched, 1, orders);
    EXPECT_NEAR(leaf.pages, row["seed_leaf_migrated"],
                row["seed_leaf_migrated"].get<double>() * 0.02 + leaf.pages_slack)
        << touched;
    config::UvmConfig geometry = serial("tbn");
    geometry.tree = Bytes{512 * 1024};
    for (const auto& [name, leaf_bytes] :
         {std::pair<std::string, std::uint64_t>{"HCHI", 64 * 1024}, {"HCLI", 16 * 1024}}) {
      geometry.leaf = Bytes{leaf_bytes};
      const Mean found = mean(geometry, touched, 1, orders);
      const double faults = row[name + "_faults"];
      const double pages = row[name + "_migrated"];
      EXPECT_NEAR(found.faults, faults, faults * 0.02) << name << ' ' << touched;
      EXPECT_NEAR(found.pages, pages, pages * 0.02 + found.pages_slack) << name << ' ' << touched;
    }
  }
}

TEST(UvmCounts, StridesMatchTheStatistics) {
  Json statistics;
  std::ifstream(kData + "tbnp_statistics.json") >> statistics;
  for (const Json& row : statistics["stride_one_by_one"]) {
    for (const char* rule : {"driver", "leaf"}) {
      const UvmReport report =
          replayed(serial(rule == std::string("driver") ? "tbn-driver" : "tbn"),
                   generated("stride", {.bytes = 2 * kMi, .stride = row["stride_pages"]}));
      EXPECT_EQ(report.total.unique_faults, row[std::string(rule) + "_faults"]) << rule << row;
      EXPECT_EQ(report.total.arrived(), row[std::string(rule) + "_migrated"]) << rule << row;
    }
  }
}

}  // namespace
}  // namespace wg::host::uvm
