// Same machine, same workload: same bytes, whatever the number of threads, the length of the epochs and the
// run.
#include <gtest/gtest.h>

#include "gpu/support.hpp"

namespace wg::gpu::test {
namespace {

std::uint64_t look_ahead(const config::Machine& machine) {
  return machine.xbar.latency * Clock(machine.clock.l2).period_ps();
}

class Determinism : public testing::TestWithParam<const char*> {};

TEST_P(Determinism, ThreadsAndEpochsChangeNothing) {
  const config::Machine m = small_machine();
  const std::string uri = GetParam();
  RunOptions options;
  options.timeline_cycles = 777;
  options.profile_size = 50;
  const std::string expected = text_of(run_uri(m, uri, options));
  EXPECT_GT(expected.size(), 1'000U);
  for (const std::uint64_t epoch : {look_ahead(m), look_ahead(m) / 2, Clock(m.clock.sm).period_ps()}) {
    for (const std::uint32_t threads : {1U, 2U, 3U, 7U}) {
      options.threads = threads;
      options.epoch_ps = epoch;
      ASSERT_EQ(text_of(run_uri(m, uri, options)), expected)
          << threads << " threads, epochs of " << epoch << " ps";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Determinism,
                         testing::Values("kernel:vecadd?n=16384&launches=2", "kernel:gemm?m=128&n=128&k=32",
                                         "kernel:gather?n=2048&table=1M", "kernel:reduce?n=8192",
                                         "kernel:atomic?op=atom&pattern=same&lanes=8&warps=4&ctas=16",
                                         "kernel:barrier?warps=8&ctas=40", "kernel:icache?instructions=600"),
                         [](const auto& kernel) {
                           const std::string uri = kernel.param;
                           return uri.substr(7, uri.find('?') - 7);
                         });

TEST(SameResults, TwoMachinesInOneProcess) {
  const config::Machine a = small_machine();
  config::Machine b = small_machine();
  b.l1.mshrs = 2;
  const std::string uri = "kernel:gather?n=2048&table=1M";
  const std::string first_a = text_of(run_uri(a, uri));
  const std::string first_b = text_of(run_uri(b, uri));
  EXPECT_NE(first_a, first_b);
  EXPECT_EQ(text_of(run_uri(a, uri)), first_a);
  EXPECT_EQ(text_of(run_uri(b, uri)), first_b);
}

TEST(SameResults, ALongerEpochThanTheLookAheadIsCut) {
  const config::Machine m = small_machine();
  RunOptions options;
  options.epoch_ps = look_ahead(m) * 1'000;
  EXPECT_EQ(text_of(run_uri(m, "kernel:vecadd?n=4096", options)),
            text_of(run_uri(m, "kernel:vecadd?n=4096")));
}

TEST(SameResults, WholeMachinesWithTwoHalvesOfTheL2) {
  const config::Machine m = machine("h100-pcie");
  RunOptions options;
  const std::string expected = text_of(run_uri(m, "kernel:vecadd?n=65536", options));
  options.threads = 3;
  EXPECT_EQ(text_of(run_uri(m, "kernel:vecadd?n=65536", options)), expected);
}

}  // namespace
}  // namespace wg::gpu::test
