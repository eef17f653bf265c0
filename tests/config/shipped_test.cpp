// Every machine that ships.
#include <fstream>

#include "config/document.hpp"
#include "config/support.hpp"

namespace wg::config::test {
namespace {

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shipped())) {
    if (entry.path().extension() == ".toml") {
      found.push_back(entry.path());
    }
  }
  return found;
}

TEST(Shipped, AllLoad) {
  const auto list = list_machines(directories());
  std::vector<std::string> names;
  for (const MachineEntry& entry : list) {
    EXPECT_EQ(entry.problem, "") << entry.name;
    EXPECT_NE(entry.title, "") << entry.name;
    names.push_back(entry.name);
  }
  EXPECT_THAT(names,
              testing::ElementsAre("a100", "a100-80gb", "a40", "fermi24", "gh200", "gtx-1080", "h100-pcie",
                                   "h200", "l40", "quadro-gv100", "rtx-2070", "rtx-6000-ada", "titan-v",
                                   "titan-x", "titan-xp", "v100", "v100-32gb"));
}

TEST(Shipped, EveryValueLineHasAComment) {
  for (const auto& path : files()) {
    std::ifstream in(path);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      const std::size_t comment = comment_start(line);
      const std::string code = line.substr(0, comment);
      if (code.find('=') == std::string::npos) {
        continue;
      }
      ASSERT_NE(comment, std::string::npos) << path << ":" << number;
      EXPECT_GE(line.size() - comment, 5U) << path << ":" << number << ": say where the figure is from";
    }
  }
}

TEST(Shipped, NoValueIsADefaultWithoutSource) {
  for (const MachineEntry& entry : list_machines(directories())) {
    const LoadedMachine loaded = load(entry.name, {}, directories());
    for (std::size_t i = 0; i < fields().size(); ++i) {
      EXPECT_FALSE(loaded.origins[i].comment.empty()) << entry.name << ": " << fields()[i].key;
    }
  }
}

TEST(Shipped, AllDiffer) {
  std::vector<std::uint64_t> hashes;
  for (const MachineEntry& entry : list_machines(directories())) {
    hashes.push_back(machine_hash(load_machine(entry.name, {}, directories())));
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());
}

/// Figures of public datasheets, kept apart from the files on purpose.
struct Datasheet {
  const char* name;
  std::uint32_t sms;
  double gigabytes_per_second;  ///< DRAM peak
  std::uint64_t l2_kib;
  double teraflops;         ///< FP32, dense, at the boost clock
  double tensor_teraflops;  ///< FP16 with FP32 accumulation, dense; 0 = no tensor cores
};

class Datasheets : public testing::TestWithParam<Datasheet> {};

TEST_P(Datasheets, AgreeWithTheMachine) {
  const Datasheet& sheet = GetParam();
  const Machine machine = load_machine(sheet.name, {}, directories());
  EXPECT_EQ(machine.sm.count, sheet.sms);
  EXPECT_EQ(machine.l2.size.count(), sheet.l2_kib * 1024);
  const double bandwidth = static_cast<double>(machine.dram.channels) *
                           static_cast<double>(machine.dram.bus.count()) *
                           static_cast<double>(machine.clock.dram.count()) / 1e9;
  EXPECT_NEAR(bandwidth, sheet.gigabytes_per_second, 0.005 * sheet.gigabytes_per_second);
  const double subcores = static_cast<double>(machine.sm.count) * machine.sm.subcores;
  const double hertz = static_cast<double>(machine.clock.sm.count());
  const double lanes = 32.0 / machine.timing(isa::InstClass::fp32).interval;
  EXPECT_NEAR(2 * subcores * lanes * hertz / 1e12, sheet.teraflops, 0.01 * sheet.teraflops);
  if (sheet.tensor_teraflops > 0) {
    EXPECT_NEAR(2 * subcores * machine.sm.tensor_fma * hertz / 1e12, sheet.tensor_teraflops,
                0.01 * sheet.tensor_teraflops);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, Datasheets,
    testing::Values(
        Datasheet{"titan-x", 24, 336.5, 3072, 6.6, 0}, Datasheet{"gtx-1080", 20, 320, 2048, 8.87, 0},
        Datasheet{"titan-xp", 30, 547.7, 3072, 12.15, 0}, Datasheet{"titan-v", 80, 653, 4608, 14.9, 119},
        Datasheet{"v100", 80, 898, 6144, 15.7, 125}, Datasheet{"v100-32gb", 80, 898, 6144, 15.7, 125},
        Datasheet{"rtx-2070", 36, 448, 4096, 7.46, 29.9}, Datasheet{"a100", 108, 1555, 40960, 19.5, 312},
        Datasheet{"a100-80gb", 108, 2039, 40960, 19.5, 312}, Datasheet{"a40", 84, 696, 6144, 37.4, 149.7},
        Datasheet{"l40", 142, 864, 98304, 90.5, 181}, Datasheet{"rtx-6000-ada", 142, 960, 98304, 91.1, 364.2},
        Datasheet{"h100-pcie", 114, 2039, 51200, 51.2, 819.6},
        Datasheet{"h200", 132, 4800, 61440, 66.9, 1070}, Datasheet{"gh200", 132, 4023, 61440, 66.9, 1070}));

/// Uncontended latency of an L2 hit and of a DRAM access whose bank has no row open, SM cycles, as the engine
/// adds them up: one cycle each to issue, to send and to receive.
struct Latency {
  double l2 = 0;
  double dram = 0;
};

Latency latency_of(const Machine& m) {
  const double sm = static_cast<double>(m.clock.sm.count());
  const double to_sm = sm / static_cast<double>(m.clock.l2.count());
  const double far = m.l2.partitions > 1 ? m.l2.far_latency * (1.0 - 1.0 / m.l2.partitions) : 0;
  const double l2 =
      3 + (2 * m.xbar.latency + (m.l2.replicate ? 0 : 2 * far) + m.l2.latency) * to_sm + m.l1.fill_latency;
  const double crossing = m.l2.replicate ? 2 * far * to_sm : 0;
  const double burst = static_cast<double>(m.dram.burst.count()) / static_cast<double>(m.dram.bus.count());
  const double clocks = m.dram.tRCD + m.dram.tCL + burst + m.dram.extra_latency;
  return {l2, l2 + crossing + clocks * sm / static_cast<double>(m.clock.dram.count())};
}

TEST(Shipped, LatenciesAddUpToTheMeasuredOnes) {
  struct Truth {
    const char* name;
    double l1, l2, dram;
  };
  // gpu-benches, Accel-Sim microbenchmarks, MT4G, sjfeng1999; an A100 answers from
  // copies in the near half (205), but DRAM is half near, half far.
  for (const Truth& truth :
       {Truth{"v100", 28, 212, 430}, Truth{"rtx-2070", 32, 236, 496}, Truth{"a100", 33, 205, 597},
        Truth{"a40", 33, 250, 551}, Truth{"l40", 34, 274, 613}, Truth{"gh200", 32, 280, 671}}) {
    const Machine machine = load_machine(truth.name, {}, directories());
    const Latency latency = latency_of(machine);
    EXPECT_EQ(machine.l1.latency, truth.l1) << truth.name;
    EXPECT_NEAR(latency.l2, truth.l2, 2) << truth.name;
    EXPECT_NEAR(latency.dram, truth.dram, 3) << truth.name;
  }
}

}  // namespace
}  // namespace wg::config::test
