// Random kernels on random machines of several SMs: whatever the threads and epochs, the same bytes; and
// sound.
#include <gtest/gtest.h>

#include "gpu/support.hpp"
#include "sm/random_case.hpp"

namespace wg::gpu::test {
namespace {

/// A machine with random SMs and crossbar, and a small L2 in front of the default DRAM.
config::Machine random_machine(Rng& rng) {
  config::Machine m = sm::test::random_machine(rng);
  m.sm.count = static_cast<std::uint32_t>(8 + rng.below(8));
  m.dram.channels = static_cast<std::uint32_t>(1 + rng.below(4));
  m.l2.slices_per_channel = static_cast<std::uint32_t>(1 + rng.below(2));
  m.l2.ways = static_cast<std::uint32_t>(1 + rng.below(8));
  m.l2.size = Bytes{std::uint64_t{128} * m.l2.ways * m.slices() * (1 + rng.below(16))};
  m.l2.mshrs = static_cast<std::uint32_t>(1 + rng.below(16));
  m.l2.latency = static_cast<std::uint32_t>(1 + rng.below(60));
  m.l1.unified = Bytes{m.shared.per_sm.count() + 128 * rng.below(64)};
  m.launch.cta_latency = 200;
  m.launch.cta_interval_milli = static_cast<std::uint32_t>(rng.below(5'000));
  return m;
}

/// More CTAs of a random kernel, so that every SM gets some.
sm::test::Code random_code(Rng& rng, const config::Machine& m) {
  sm::test::Code code = sm::test::random_code(rng, m, false);
  const std::vector<sm::test::CtaCode> some = code.ctas;
  while (code.ctas.size() < 3 * m.sm.count) {
    code.ctas.push_back(some[rng.below(some.size())]);
  }
  return code;
}

TEST(RandomKernels, AreSoundAndTheSameWithAnyThreadsAndEpochs) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    const config::Machine m = random_machine(rng);
    const trace::Workload workload = workload_of(random_code(rng, m));
    RunOptions options;
    options.timeline_cycles = 1 + rng.below(5'000);
    options.profile_size = 1'000;
    const RunResult plain = run(m, workload, options);
    expect_sound(m, workload, plain);
    const std::string expected = text_of(plain);
    const std::uint64_t look_ahead = m.xbar.latency * Clock(m.clock.l2).period_ps();
    options.epoch_ps = 1 + rng.below(look_ahead);
    ASSERT_EQ(text_of(run(m, workload, options)), expected)
        << "seed " << seed << " epoch " << options.epoch_ps;
    options.epoch_ps = 0;
    options.threads = static_cast<std::uint32_t>(2 + rng.below(3));
    ASSERT_EQ(text_of(run(m, workload, options)), expected)
        << "seed " << seed << " threads " << options.threads;
  }
}

}  // namespace
}  // namespace wg::gpu::test
