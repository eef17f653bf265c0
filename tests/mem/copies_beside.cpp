// Copies that read DRAM while a kernel runs: what they read, when, and whom they hold up.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "mem/partition_rig.hpp"

namespace wg::mem::test {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

void expect_idle(Rig& rig) { EXPECT_EQ(rig.partition().next_event(), kNever); }

TEST(CopiesBeside, ReadEveryByteOfTheirChannelOverTheirDuration) {
  const config::Machine machine = hbm2_machine();
  const CopyRead copy{.address = 0x10000000, .bytes = kMiB, .begin_ps = 5'000'000, .duration_ps = 50'000'000};
  std::uint64_t read = 0;
  for (std::uint32_t channel = 0; channel < machine.dram.channels; ++channel) {
    Rig rig(machine, channel);
    rig.partition().begin_kernel(true);
    rig.partition().read_beside(std::span(&copy, 1));
    EXPECT_GE(rig.partition().next_event(), copy.begin_ps);
    rig.run();
    expect_idle(rig);
    const CopyReadEnd end = rig.partition().read_beside_ends()[0];
    read += end.read_bytes;
    EXPECT_GT(end.end_ps, copy.begin_ps + copy.duration_ps * 9 / 10);
    EXPECT_LT(end.end_ps, copy.begin_ps + copy.duration_ps * 12 / 10);
    EXPECT_EQ(rig.counters().dram_read_bytes, 0U);  // not the kernel's
    EXPECT_EQ(rig.counters().dram_busy_cycles, 0U);
  }
  EXPECT_EQ(read, kMiB);
}

TEST(CopiesBeside, LeaveOutWhatTheL2Holds) {
  const config::Machine machine = small_machine();  // 16 KiB of L2, one channel
  Rig rig(machine);
  rig.partition().install(0, 8192);
  rig.partition().begin_kernel(false);
  const CopyRead copy{.address = 4096, .bytes = 8192, .begin_ps = 0, .duration_ps = 1'000'000};
  rig.partition().read_beside(std::span(&copy, 1));
  rig.run();
  EXPECT_EQ(rig.partition().read_beside_ends()[0].read_bytes, 4096U);
}

TEST(CopiesBeside, AnyRangesAreReadToTheEnd) {
  Rng rng(3);
  const config::Machine machine = small_machine();
  for (int round = 0; round < 50; ++round) {
    Rig rig(machine);
    rig.partition().begin_kernel(true);
    std::vector<CopyRead> copies;
    for (std::uint64_t i = 0; i <= rng.below(3); ++i) {
      copies.push_back({rng.below(100'000), rng.below(20'000), rng.below(1'000'000), rng.below(2'000'000)});
    }
    rig.partition().read_beside(copies);
    rig.run();
    expect_idle(rig);
    for (std::size_t i = 0; i < copies.size(); ++i) {
      const std::uint64_t begin = copies[i].address / 32 * 32;
      const std::uint64_t end = (copies[i].address + copies[i].bytes + 31) / 32 * 32;
      EXPECT_EQ(rig.partition().read_beside_ends()[i].read_bytes, copies[i].bytes == 0 ? 0 : end - begin);
    }
  }
}

/// Cycles until 2,000 loads of different lines, all sent at once, are answered.
std::uint64_t last_answer(std::span<const CopyRead> copies) {
  Rig rig(small_machine());
  rig.partition().begin_kernel(true);
  if (!copies.empty()) {
    rig.partition().read_beside(copies);
  }
  std::vector<Request> loads;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    loads.push_back(rig.load(i, i * 128, 0xF));
  }
  const std::vector<Reply> replies = rig.answer(std::move(loads));
  EXPECT_EQ(rig.counters().dram_read_bytes, 2000U * 128);
  return rig.cycle(replies.back());
}

TEST(CopiesBeside, AreFeltByAKernelThatNeedsTheBandwidth) {
  const std::uint64_t alone = last_answer({});
  const std::uint64_t time = alone * 1000;
  const CopyRead none{};
  EXPECT_EQ(last_answer(std::span(&none, 1)), alone);
  // A quarter of what the loads read, over the same time: at least that share of the bus is gone.
  const CopyRead quarter{.address = 64 * kMiB, .bytes = 64'000, .begin_ps = 0, .duration_ps = time};
  const std::uint64_t shared = last_answer(std::span(&quarter, 1));
  EXPECT_GT(shared, alone * 110 / 100);
  EXPECT_LT(shared, alone * 160 / 100);
  const CopyRead later{.address = 64 * kMiB, .bytes = 64'000, .begin_ps = 2 * time, .duration_ps = time};
  EXPECT_EQ(last_answer(std::span(&later, 1)), alone);
}

}  // namespace
}  // namespace wg::mem::test
