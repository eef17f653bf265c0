// Cycles of small kernels on whole machines, as they were when the table was written: a change of any of them
// must be meant. When it is, write the table anew and look at the difference before committing it:
//
//   WG_GOLDEN_UPDATE=1 build/test_gpu --gtest_filter='Golden.*' && git diff tests/gpu/golden.csv
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "gpu/support.hpp"

namespace wg::gpu::test {
namespace {

constexpr std::array kMachines = {"gtx-1080", "v100", "rtx-2070", "h100-pcie"};
constexpr std::array kKernels = {"kernel:chain?op=FFMA",
                                 "kernel:throughput?op=FFMA&warps=16",
                                 "kernel:icache?instructions=1024",
                                 "kernel:chase?footprint=16k",
                                 "kernel:bandwidth?footprint=1M&ctas=64",
                                 "kernel:shared-conflict?stride=4",
                                 "kernel:atomic?op=red&pattern=same&warps=4&ctas=8",
                                 "kernel:empty?grid=2048",
                                 "kernel:vecadd?n=65536&launches=2",
                                 "kernel:gather?n=16384&table=8M",
                                 "kernel:gemm?m=128&n=128&k=64",
                                 "kernel:reduce?n=65536"};

std::string table_path() { return fmt::format("{}/tests/gpu/golden.csv", WG_SOURCE_DIR); }

std::string table_of_today() {
  std::string table = "machine,kernel,cycles,warp_instructions\n";
  for (const char* name : kMachines) {
    const config::Machine m = machine(name);
    for (const char* uri : kKernels) {
      const RunResult result = run_uri(m, uri);
      table += fmt::format("{},{},{},{}\n", name, uri, counter(result.totals, "cycles"),
                           counter(result.totals, "warp_instructions"));
    }
  }
  return table;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string_view line(const std::vector<std::string>& lines, std::size_t i) {
  return i < lines.size() ? std::string_view(lines[i]) : "nothing";
}

TEST(Golden, CyclesAreThoseOfTheTable) {
  const std::string today = table_of_today();
  if (std::getenv("WG_GOLDEN_UPDATE") != nullptr) {
    std::ofstream(table_path()) << today;
    GTEST_SKIP() << "wrote " << table_path();
  }
  std::ifstream file(table_path());
  ASSERT_TRUE(file) << table_path();
  std::stringstream golden;
  golden << file.rdbuf();
  const std::vector<std::string> expected = lines_of(golden.str());
  const std::vector<std::string> found = lines_of(today);
  std::string differences;
  for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
    if (line(expected, i) != line(found, i)) {
      differences += fmt::format("  was {}\n  is  {}\n", line(expected, i), line(found, i));
    }
  }
  EXPECT_EQ(differences, "")
      << "If this is meant:\n  WG_GOLDEN_UPDATE=1 build/test_gpu --gtest_filter='Golden.*' "
         "&& git diff tests/gpu/golden.csv";
}

}  // namespace
}  // namespace wg::gpu::test
