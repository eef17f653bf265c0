// Copies to the host that run beside the next kernel.
#include <gtest/gtest.h>

#include "gpu/support.hpp"

namespace wg::gpu::test {
namespace {

config::Machine overlapping(bool overlap) {
  config::Machine m = small_machine();
  m.cdma.overlap = overlap;
  m.link.to_host = 100'000'000'000;  // fast enough to be felt
  return m;
}

/// A copy of 4 MB to the host, then a kernel that streams.
trace::Workload copy_then_kernel(const config::Machine& m, bool copy, const char* elements = "400000") {
  trace::Workload workload = builder(m, std::string("kernel:vecadd?n=") + elements);
  std::erase_if(workload.commands,
                [](const trace::Command& c) { return std::holds_alternative<trace::Copy>(c); });
  if (copy) {
    workload.commands.insert(
        workload.commands.begin(),
        trace::Copy{trace::CopyKind::device_to_host, std::uint64_t{1} << 40, Bytes{4'000'000}});
  }
  return workload;
}

TEST(Beside, ACopyTakesBandwidthFromTheNextKernel) {
  const config::Machine m = overlapping(true);
  const RunResult alone = run(m, copy_then_kernel(m, false), {});
  const RunResult both = run(m, copy_then_kernel(m, true), {});
  const config::Machine in_turn = overlapping(false);
  const RunResult apart = run(in_turn, copy_then_kernel(in_turn, true), {});
  EXPECT_GT(both.kernels.at(0).cycles, alone.kernels.at(0).cycles * 103 / 100);
  EXPECT_EQ(apart.kernels.at(0).cycles, alone.kernels.at(0).cycles);
  ASSERT_EQ(both.copies.size(), 1U);
  EXPECT_EQ(both.copies[0].dram_read_bytes, 4'000'000U);
  EXPECT_EQ(apart.copies[0].dram_read_bytes, 4'000'000U);
  EXPECT_GE(both.copies[0].time_ps, apart.copies[0].time_ps);
  EXPECT_EQ(counter(both.totals, "dram_read_bytes"), counter(alone.totals, "dram_read_bytes"));
}

TEST(Beside, CompressionReadsFasterAndIsFeltMore) {
  config::Machine m = overlapping(true);
  m.link.to_host = 16'000'000'000;
  const trace::Workload workload = copy_then_kernel(m, true);
  const RunResult plain = run(m, workload, {});
  m.cdma.codec = "zvc";
  m.cdma.ratio = 8'000;
  const RunResult zvc = run(m, workload, {});
  EXPECT_LT(zvc.copies[0].time_ps, plain.copies[0].time_ps / 2);
  EXPECT_GT(zvc.kernels.at(0).cycles, plain.kernels.at(0).cycles);
}

TEST(Beside, AnyNumberOfThreadsAndAnyEpochGiveTheSame) {
  const config::Machine m = overlapping(true);
  const trace::Workload workload = copy_then_kernel(m, true, "20000");
  const std::string one = text_of(run(m, workload, {}));
  RunOptions options;
  options.threads = 3;
  EXPECT_EQ(text_of(run(m, workload, options)), one);
  options.epoch_ps = 1000;
  EXPECT_EQ(text_of(run(m, workload, options)), one);
}

TEST(Beside, ACopyWithoutAKernelBehindItReadsAlone) {
  const config::Machine m = overlapping(true);
  trace::Workload workload = copy_then_kernel(m, true);
  std::swap(workload.commands[0], workload.commands[1]);
  const RunResult last = run(m, workload, {});
  const RunResult alone = run(m, copy_then_kernel(m, false), {});
  EXPECT_EQ(last.kernels.at(0).cycles, alone.kernels.at(0).cycles);
  EXPECT_EQ(last.copies.at(0).dram_read_bytes, 4'000'000U);
}

}  // namespace
}  // namespace wg::gpu::test
