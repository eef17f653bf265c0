#include <gtest/gtest.h>

#include <map>

#include "mem/dram.hpp"
#include "mem/partition_rig.hpp"

namespace wg::mem {
namespace {

using test::Rig;
using test::small_machine;

constexpr std::uint64_t kOut = 60 + 40;                // slice latency and wires
constexpr std::uint64_t kRowHit = 14 + 2 + 40;         // tCL, burst, controller
constexpr std::uint64_t kRowMiss = 14 + kRowHit;       // tRCD before
constexpr std::uint64_t kRowConflict = 14 + kRowMiss;  // tRP before

TEST(L2Misses, AMissCostsTheHitLatencyAndTheTimeInDram) {
  Rig rig(small_machine());
  const auto replies = rig.answer({rig.load(100, 0, 1)});
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(rig.cycle(replies[0]), 100 + kRowMiss + kOut);
  EXPECT_EQ(replies[0].level, Level::dram);
  EXPECT_EQ(rig.counters().dram_read_latency_cycles, kRowMiss);
  EXPECT_EQ(rig.counters().l2_fill_sectors, 1U);
  EXPECT_EQ(rig.counters().dram_read_bytes, 32U);
}

TEST(L2Misses, RowHitMissAndConflictDifferByTheirCommands) {
  const config::Machine machine = small_machine();
  const DramMap map(machine.dram, 128);
  Rig rig(machine);
  const DramPlace first = map.place(0);
  std::uint64_t hit = 128;
  while (map.place(hit).bank != first.bank || map.place(hit).row != first.row) {
    hit += 128;
  }
  std::uint64_t conflict = hit;
  while (map.place(conflict).bank != first.bank || map.place(conflict).row == first.row) {
    conflict += 128;
  }
  const auto replies = rig.answer({rig.load(100, 0, 1), rig.load(1000, hit, 1), rig.load(2000, conflict, 1)});
  EXPECT_EQ(rig.cycle(replies[0]), 100 + kRowMiss + kOut);
  EXPECT_EQ(rig.cycle(replies[1]), 1000 + kRowHit + kOut);
  EXPECT_EQ(rig.cycle(replies[2]), 2000 + kRowConflict + kOut);
  EXPECT_EQ(rig.counters().dram_row_hits, 1U);
  EXPECT_EQ(rig.counters().dram_row_misses, 1U);
  EXPECT_EQ(rig.counters().dram_row_conflicts, 1U);
}

TEST(L2Misses, ASecondRequestForASectorInFlightWaitsForTheSameFill) {
  Rig rig(small_machine());
  const auto replies = rig.answer({rig.load(100, 0, 1), rig.load(110, 0, 1)});
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(rig.cycle(replies[0]), 100 + kRowMiss + kOut);
  EXPECT_LE(rig.cycle(replies[1]), 102 + kRowMiss + kOut) << "behind the first on the egress port";
  EXPECT_EQ(rig.counters().l2_mshr_merges, 1U);
  EXPECT_EQ(rig.counters().dram_reads, 1U);
  EXPECT_EQ(rig.counters().l2_load_sector_hits, 0U);
}

TEST(L2Misses, MissingSectorsOfALineComeInOneReplyAfterTheHits) {
  Rig rig(small_machine());
  rig.answer({rig.load(100, 0, 0b0010)});
  const auto replies = rig.answer({rig.load(1000, 0, 0b1111)});
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].sectors, 0b0010);
  EXPECT_EQ(replies[0].level, Level::l2);
  EXPECT_EQ(rig.cycle(replies[0]), 1000 + kOut);
  EXPECT_EQ(replies[1].sectors, 0b1101);
  EXPECT_EQ(replies[1].level, Level::dram);
  // Three bursts of one bank, tCCD_L = 4 apart.
  EXPECT_EQ(rig.cycle(replies[1]), 1000 + kRowHit + 2 * 4 + kOut);
}

TEST(L2Misses, WithoutAFreeMshrTheQueueWaits) {
  config::Machine machine = small_machine();
  machine.l2.mshrs = 1;
  Rig rig(machine);
  rig.partition().install(1024, 128);
  // Line 0 misses and takes the MSHR; line 128 waits for it; the hit behind it waits too.
  const auto replies = rig.answer({rig.load(100, 0, 1), rig.load(101, 128, 1), rig.load(102, 1024, 1)});
  ASSERT_EQ(replies.size(), 3U);
  const std::uint64_t first = 100 + kRowMiss;
  std::map<std::uint64_t, std::uint64_t> cycle;
  for (const Reply& reply : replies) {
    cycle[reply.line] = rig.cycle(reply);
  }
  EXPECT_EQ(cycle[0], first + kOut);
  EXPECT_GE(cycle[1024], first + 1 + kOut);
  EXPECT_LE(cycle[1024], first + 3 + kOut);
  EXPECT_EQ(cycle[128], first + kRowMiss + kOut);
  EXPECT_EQ(rig.counters().l2_mshr_stall_cycles, first - 101);
}

TEST(L2Misses, LinesOfOtherSizesWork) {
  config::Machine machine = small_machine();
  machine.l2.line = Bytes{64};
  Rig rig(machine);
  const auto replies = rig.answer({rig.load(100, 64, 0b11), rig.load(1000, 64, 0b11)});
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].level, Level::dram);
  EXPECT_EQ(replies[1].level, Level::l2);
  EXPECT_EQ(rig.counters().dram_read_bytes, 64U);
}

TEST(L2Misses, ABurstLargerThanASectorReadsBothAtOnce) {
  config::Machine machine = small_machine();
  machine.dram.burst = Bytes{64};
  Rig rig(machine);
  const auto replies = rig.answer({rig.load(100, 0, 0b1011)});
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(rig.counters().dram_reads, 2U);
  EXPECT_EQ(rig.counters().dram_read_bytes, 128U);
  EXPECT_EQ(rig.counters().l2_fill_sectors, 3U);
}

}  // namespace
}  // namespace wg::mem
