// Memory transactions beside hardware counters of a Quadro GV100 (Accel-Sim's), which bench/v100 explains.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "gpu/support.hpp"

namespace wg::gpu::test {
namespace {

using Row = std::vector<std::string>;

Row cells_of(const std::string& line) {
  Row cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    cells.push_back(cell);
  }
  return cells;
}

/// Hardware counters by name; empty when the kernel is not in the table.
std::map<std::string, double> measured(std::string_view kernel) {
  std::ifstream in(fmt::format("{}/truth/v100_hw_perf.csv", std::getenv("WG_DATA_DIR")));
  std::string line;
  std::getline(in, line);
  const Row titles = cells_of(line);
  std::map<std::string, double> values;
  while (std::getline(in, line)) {
    const Row row = cells_of(line);
    if (row.size() == titles.size() && row[1].find(kernel) != std::string::npos) {
      for (std::size_t i = 2; i < row.size(); ++i) {
        values[titles[i]] = std::stod(row[i]);
      }
      return values;
    }
  }
  return values;
}

/// What was reached, in percent of the measured counts.
struct Case {
  const char* kernel;
  const char* uri;
  std::size_t number;  ///< of the kernel in the run
  double l2_reads, dram_writes;
};

constexpr double kExact = 0.1;

class V100 : public testing::TestWithParam<Case> {};

TEST_P(V100, MovesTheSectorsThatTheCardMoved) {
  if (std::getenv("WG_DATA_DIR") == nullptr) {
    GTEST_SKIP() << "WG_DATA_DIR is not set";
  }
  const Case& param = GetParam();
  auto truth = measured(param.kernel);
  ASSERT_FALSE(truth.empty()) << param.kernel;
  const config::Machine gv100 = machine("quadro-gv100");
  RunOptions options;
  options.cold = true;
  const RunResult result = run_uri(gv100, param.uri, options);
  const auto near = [&](const char* name, std::uint64_t divisor, double expected, double percent) {
    const auto found = static_cast<double>(counter(result.kernels.at(param.number).counters, name)) /
                       static_cast<double>(divisor);
    EXPECT_NEAR(found, expected, std::max(expected * percent / 100, 50.0)) << name;
  };
  near("l2_load_sectors", 1, truth["L2_RH"] + truth["L2_RM"], param.l2_reads);
  near("l2_store_sectors", 1, truth["L2_WH"] + truth["L2_WM"], kExact);
  near("dram_read_bytes", 32, truth["DRAM_Rd"], kExact);
  near("dram_write_bytes", 32, truth["DRAM_Wr"], param.dram_writes);
}

INSTANTIATE_TEST_SUITE_P(Kernels, V100,
                         testing::Values(Case{"bpnn_adjust_weights", "kernel:backprop?n=65536", 1, 13, 10},
                                         Case{"calculate_temp", "kernel:hotspot?n=1024", 0, 10, 10},
                                         Case{"inverseCND", "kernel:fill?n=3145728", 0, kExact, kExact},
                                         Case{"CUDAkernel2DCT", "kernel:transpose?n=512&variant=copy", 0,
                                              kExact, kExact}),
                         [](const auto& param) { return std::string(param.param.kernel); });

}  // namespace
}  // namespace wg::gpu::test
