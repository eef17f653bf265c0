// Recorded traces of others, read in place. The counts were made with a separate script (token by token, in
// Python) from the same files.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "trace/sample.hpp"
#include "trace/summary.hpp"

namespace wg::trace::test {
namespace {

const char* data_folder() { return std::getenv("WG_DATA_DIR"); }

std::string trace_path(const std::string& name) { return fmt::format("{}/traces/{}", data_folder(), name); }

struct Expected {
  const char* path;
  std::size_t kernels;
  std::size_t copies;
  std::uint64_t ctas;
  std::uint64_t warp_instructions;
  std::uint64_t thread_instructions;
  std::uint64_t memory_instructions;
  std::uint64_t predicated_off;
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.path; }

class RealTraces : public ::testing::TestWithParam<Expected> {
 protected:
  void SetUp() override {
    if (data_folder() == nullptr) {
      GTEST_SKIP() << "WG_DATA_DIR is not set: no recorded traces";
    }
  }
};

TEST_P(RealTraces, CountsOfASeparateScript) {
  const Expected& expected = GetParam();
  const Workload workload = open_trace(trace_path(expected.path));
  KernelSummary total;
  std::size_t kernels = 0;
  for (const Command& command : workload.commands) {
    if (const auto* const kernel = std::get_if<std::shared_ptr<const Kernel>>(&command)) {
      ++kernels;
      const KernelSummary summary = summarize(**kernel);
      EXPECT_EQ(summary.ctas, (*kernel)->header().grid.count());
      EXPECT_TRUE(summary.footprint_exact);
      merge(total, summary);
    }
  }
  EXPECT_EQ(kernels, expected.kernels);
  EXPECT_EQ(workload.commands.size() - kernels, expected.copies);
  EXPECT_EQ(total.ctas, expected.ctas);
  EXPECT_EQ(total.warp_instructions, expected.warp_instructions);
  EXPECT_EQ(total.thread_instructions, expected.thread_instructions);
  EXPECT_EQ(total.memory_instructions, expected.memory_instructions);
  EXPECT_EQ(total.predicated_off, expected.predicated_off);
}

TEST_P(RealTraces, AreSound) {
  const CheckReport report = check_trace(trace_path(GetParam().path));
  for (const Problem& problem : report.problems) {
    ADD_FAILURE() << problem.text();
  }
  EXPECT_EQ(report.summary.warp_instructions, GetParam().warp_instructions);
}

INSTANTIATE_TEST_SUITE_P(
    Lists, RealTraces,
    ::testing::Values(Expected{"volta_bfs/bfs-rodinia-3.1", 16, 14, 128, 154839, 1207402, 38584, 20466},
                      Expected{"volta_bfs/kernelslist", 1, 3, 98, 50077, 1402112, 9375, 6261},
                      Expected{"ampere_bfs/bfs-rodinia-2.0-ft", 16, 14, 128, 159509, 1280630, 38584, 19945},
                      Expected{"flashinfer/nn-onestep", 114, 0, 295, 65767, 1360092, 6705, 14935},
                      Expected{"flashinfer/singledecode", 1, 0, 32, 204416, 6418432, 17536, 3840},
                      Expected{"h100/dataset_debug", 33, 5, 1169, 79040, 2318848, 9745, 3651},
                      Expected{"h100/simple-trace-example", 1, 2, 196, 26601, 801056, 4689, 1562},
                      Expected{"h100/simtune-ffmakernel-1-32-10", 1, 0, 1, 1328, 42432, 0, 2},
                      Expected{"h100/simtune-ffmakernel-1-32-20", 1, 0, 1, 2648, 84672, 0, 2},
                      Expected{"h100/simtune-ffmakernel-1-32-30", 1, 0, 1, 3968, 126912, 0, 2},
                      Expected{"h100/simtune-ffmakernel-4096-16", 1, 0, 4096, 102400, 1638400, 0, 0},
                      Expected{"pascal/matrixmul-32", 1, 2, 1, 4416, 139264, 1440, 64},
                      Expected{"pascal/vectoradd-100", 1, 3, 1, 344, 10516, 12, 3},
                      Expected{"turing_vectoradd/processed", 2, 0, 8192, 983040, 29360128, 196608, 65536},
                      Expected{"turing_vectoradd/raw", 1, 0, 4096, 491520, 14680064, 98304, 32768}));

TEST(RealTraceForms, TheTuringRawFileEqualsItsProcessedTwin) {
  if (data_folder() == nullptr) {
    GTEST_SKIP() << "WG_DATA_DIR is not set: no recorded traces";
  }
  const auto raw = open_kernel_file(trace_path("turing_vectoradd/raw/kernel-1-ctx_0x2356c30.trace.xz"));
  const auto processed =
      open_kernel_file(trace_path("turing_vectoradd/processed/kernel-1-ctx_0x2356c30.traceg.xz"));
  const auto raw_source = raw->open();
  const auto processed_source = processed->open();
  const auto raw_decoder = raw->decoder();
  const auto processed_decoder = processed->decoder();
  CtaBlob a;
  CtaBlob b;
  CtaTrace x;
  CtaTrace y;
  std::size_t blocks = 0;
  while (raw_source->next(a)) {
    ASSERT_TRUE(processed_source->next(b));
    raw_decoder->decode(a, x);
    processed_decoder->decode(b, y);
    ASSERT_EQ(x.index, y.index);
    ASSERT_EQ(x.insts.size(), y.insts.size());
    for (std::size_t i = 0; i < x.insts.size(); ++i) {
      ASSERT_EQ(describe(x, x.insts[i], *raw_decoder), describe(y, y.insts[i], *processed_decoder));
    }
    ++blocks;
  }
  EXPECT_FALSE(processed_source->next(b));
  EXPECT_EQ(blocks, 4096U);
}

}  // namespace
}  // namespace wg::trace::test
