#include <gtest/gtest.h>

#include "mem/partition_rig.hpp"

namespace wg::mem {
namespace {

using test::Rig;
using test::small_machine;

constexpr std::uint64_t kOut = 60 + 40;
constexpr std::uint64_t kRowMiss = 14 + 14 + 2 + 40;

/// Fills the whole cache with loads of other lines, in order, one at a time.
void flush_with_loads(Rig& rig, std::uint64_t lines) {
  for (std::uint64_t i = 0; i < lines; ++i) {
    rig.send({rig.load(100'000 + i * 1000, (1 << 20) + i * 128, 1)});
  }
  rig.run();
}

TEST(L2Stores, AWholeSectorNeedsNoFetch) {
  Rig rig(small_machine());
  const auto replies = rig.answer({rig.store(100, 0, 0b0011, 0b0011)});
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(rig.cycle(replies[0]), 100 + kOut);
  EXPECT_EQ(replies[0].access, Access::store);
  EXPECT_EQ(replies[0].sectors, 0b0011);
  EXPECT_EQ(rig.counters().dram_reads, 0U);
  EXPECT_EQ(rig.counters().l2_store_sectors, 2U);
  EXPECT_EQ(rig.counters().l2_store_sector_hits, 2U);
  EXPECT_EQ(rig.counters().l2_reply_sectors, 0U);
  // And can be read back without DRAM, the rest of the line not.
  const auto loads = rig.answer({rig.load(1000, 0, 0b0111)});
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[0].sectors, 0b0011);
  EXPECT_EQ(loads[1].sectors, 0b0100);
}

TEST(L2Stores, APartOfAnAbsentSectorIsFetchedWhenItIsRead) {
  Rig rig(small_machine());
  const auto replies = rig.answer({rig.store(100, 0, 0b0011, 0b0010)});
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(rig.cycle(replies[0]), 100 + kOut);
  EXPECT_EQ(rig.counters().l2_fill_sectors, 0U);
  EXPECT_EQ(rig.counters().l2_store_sector_hits, 2U);
  const auto loads = rig.answer({rig.load(1000, 0, 0b0011)});
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[0].sectors, 0b0010) << "written in full";
  EXPECT_EQ(rig.cycle(loads[1]), 1000 + kRowMiss + kOut);
  EXPECT_EQ(rig.counters().l2_fill_sectors, 1U);
}

TEST(L2Stores, APartlyWrittenSectorIsWrittenBack) {
  Rig rig(small_machine());
  rig.answer({rig.store(100, 0, 1, 0)});
  flush_with_loads(rig, 1024);
  EXPECT_EQ(rig.counters().l2_writeback_sectors, 1U);
}

TEST(L2Stores, LinesBeyondTheDirtyShareAreWrittenBackAtOnceAndStay) {
  config::Machine machine = small_machine();
  machine.l2.size = Bytes{std::uint64_t{128} * machine.l2.ways};  // one set
  machine.l2.dirty_percent = 50;
  Rig rig(machine);
  std::vector<Request> stores;
  for (std::uint64_t i = 0; i < machine.l2.ways; ++i) {
    stores.push_back(rig.store(100 + 100 * i, i * 128, 0b0110, 0b0110));
  }
  rig.answer(stores);
  EXPECT_EQ(rig.counters().l2_writeback_sectors, machine.l2.ways / 2 * 2);
  rig.answer({rig.load(100'000, 0, 0b0110)});
  EXPECT_EQ(rig.counters().l2_fill_sectors, 0U) << "clean, not gone";
}

TEST(L2Stores, APartOfAPresentSectorIsAHit) {
  Rig rig(small_machine());
  rig.answer({rig.load(100, 0, 1)});
  const auto replies = rig.answer({rig.store(1000, 0, 1, 0)});
  EXPECT_EQ(rig.cycle(replies[0]), 1000 + kOut);
  EXPECT_EQ(rig.counters().l2_fill_sectors, 1U);
}

TEST(L2Stores, DirtySectorsAreWrittenBackWhenTheLineIsEvicted) {
  Rig rig(small_machine());
  rig.answer({rig.store(100, 0, 0b1101, 0b1101), rig.load(200, 256, 15)});
  EXPECT_EQ(rig.counters().dram_write_bytes, 0U);
  flush_with_loads(rig, 1024);
  EXPECT_EQ(rig.counters().l2_writeback_sectors, 3U) << "only the dirty ones, once";
  EXPECT_EQ(rig.counters().dram_write_bytes, 96U);
  const std::uint64_t fills = rig.counters().l2_fill_sectors;
  rig.answer({rig.load(100'000'000, 0, 1)});
  EXPECT_EQ(rig.counters().l2_fill_sectors, fills + 1) << "it is gone";
}

TEST(L2Stores, AMergedPartialWriteMakesTheSectorDirty) {
  Rig rig(small_machine());
  rig.answer({rig.load(100, 0, 1), rig.store(101, 0, 1, 0)});
  EXPECT_EQ(rig.counters().l2_fill_sectors, 1U);
  flush_with_loads(rig, 1024);
  EXPECT_EQ(rig.counters().l2_writeback_sectors, 1U);
}

TEST(L2Stores, AFullWriteQueueHoldsBackEvictions) {
  config::Machine machine = small_machine();
  machine.l2.size = Bytes{512};  // one set of four lines
  machine.dram.write_queue = 4;
  machine.dram.write_high = 3;
  machine.dram.write_low = 1;
  Rig rig(machine);
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 64; ++i) {
    requests.push_back(rig.store(100, i * 128, 15, 15));
  }
  const auto replies = rig.answer(requests);
  EXPECT_EQ(replies.size(), 64U);
  EXPECT_GT(rig.counters().l2_dram_stall_cycles, 100U);
  EXPECT_EQ(rig.counters().l2_writeback_sectors, 60U * 4);
  EXPECT_EQ(rig.counters().dram_write_bytes, 60U * 128);
}

}  // namespace
}  // namespace wg::mem
