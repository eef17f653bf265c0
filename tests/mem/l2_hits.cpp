#include <gtest/gtest.h>

#include "mem/partition_rig.hpp"

namespace wg::mem {
namespace {

using test::Rig;
using test::small_machine;

constexpr std::uint64_t kWire = 40;
constexpr std::uint64_t kLatency = 60;

/// A rig whose lines 0..lines-1 are in the L2.
Rig warm(const config::Machine& machine, std::uint64_t lines = 8) {
  Rig rig(machine);
  rig.partition().install(0, lines * 128);
  return rig;
}

TEST(L2Hits, ALoneHitTakesLatencyAndOneCrossing) {
  Rig rig = warm(small_machine());
  const auto replies = rig.answer({rig.load(100, 128, 0b0110)});
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(rig.cycle(replies[0]), 100 + kLatency + kWire);
  EXPECT_EQ(replies[0].sectors, 0b0110);
  EXPECT_EQ(replies[0].level, Level::l2);
  EXPECT_EQ(replies[0].line, 128U);
  EXPECT_EQ(rig.counters().l2_load_sectors, 2U);
  EXPECT_EQ(rig.counters().l2_load_sector_hits, 2U);
}

TEST(L2Hits, ATimeBetweenTwoCyclesCountsFromTheNext) {
  Rig rig = warm(small_machine());
  Request request = rig.load(100, 0, 1);
  request.arrival -= 1;
  Request late = rig.load(200, 0, 1);
  late.arrival += 1;
  const auto replies = rig.answer({request, late});
  EXPECT_EQ(replies[0].arrival, (100 + kLatency + kWire) * 1000);
  EXPECT_EQ(replies[1].arrival, (201 + kLatency + kWire) * 1000);
}

TEST(L2Hits, OneTagLookupACycle) {
  config::Machine machine = small_machine();
  machine.xbar.slice_receive = 1024;
  machine.xbar.slice_send = 1024;
  machine.l2.sectors_per_cycle = 64;
  Rig rig = warm(machine);
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 5; ++i) {
    requests.push_back(rig.load(100, i * 128, 1));
  }
  const auto replies = rig.answer(requests);
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(rig.cycle(replies[i]), 100 + i + kLatency + kWire);
    EXPECT_EQ(replies[i].line, i * 128) << "in the order of arrival, source, sequence";
  }
}

TEST(L2Hits, TheDataPortLimitsSectors) {
  config::Machine machine = small_machine();
  machine.xbar.slice_send = 1024;
  machine.l2.sectors_per_cycle = 1;
  Rig rig = warm(machine);
  const auto replies = rig.answer({rig.load(100, 0, 15), rig.load(100, 128, 15), rig.load(100, 256, 15)});
  EXPECT_EQ(rig.cycle(replies[0]), 100 + kLatency + kWire);
  EXPECT_EQ(rig.cycle(replies[1]), 104 + kLatency + kWire);
  EXPECT_EQ(rig.cycle(replies[2]), 108 + kLatency + kWire);
  EXPECT_EQ(rig.counters().l2_busy_cycles, 12U);
}

TEST(L2Hits, TheEgressPortLimitsBytes) {
  config::Machine machine = small_machine();
  machine.xbar.slice_send = 17;  // 8 + 4 * 32 = 136 bytes = 8 cycles
  machine.l2.sectors_per_cycle = 64;
  Rig rig = warm(machine);
  const auto replies = rig.answer({rig.load(100, 0, 15), rig.load(100, 128, 15)});
  EXPECT_EQ(rig.cycle(replies[0]), 100 + kLatency + kWire);
  EXPECT_EQ(rig.cycle(replies[1]), 108 + kLatency + kWire);
}

TEST(L2Hits, TheIngressPortLimitsPayload) {
  config::Machine machine = small_machine();
  machine.xbar.slice_receive = 10;  // 8 + 32 bytes = 4 cycles
  machine.xbar.slice_send = 1024;
  Rig rig = warm(machine);
  const auto replies =
      rig.answer({rig.store(100, 0, 1, 1), rig.store(100, 128, 1, 1), rig.load(100, 256, 1)});
  EXPECT_EQ(rig.cycle(replies[0]), 100 + kLatency + kWire);
  EXPECT_EQ(rig.cycle(replies[1]), 104 + kLatency + kWire);
  EXPECT_EQ(rig.cycle(replies[2]), 105 + kLatency + kWire) << "8 bytes take 0.8 of a cycle";
}

TEST(L2Hits, TheOtherHalfIsFartherEachWay) {
  config::Machine machine = small_machine();
  machine.dram.channels = 2;
  machine.l2.partitions = 2;
  machine.l2.far_latency = 25;
  const AddressMap map(machine);
  for (const std::uint32_t channel : {0U, 1U}) {
    Rig rig(machine, channel);
    const std::uint64_t line = map.address({channel, 0, 0});
    rig.partition().install(line, 128);
    Request near = rig.load(100, line, 1);
    near.source = channel == 0 ? 1 : 2;
    Request far = rig.load(200, line, 1);
    far.source = channel == 0 ? 2 : 1;
    const auto replies = rig.answer({near, far});
    EXPECT_EQ(rig.cycle(replies[0]), 100 + kLatency + kWire);
    EXPECT_EQ(rig.cycle(replies[1]), 200 + 25 + kLatency + kWire + 25);
    EXPECT_EQ(rig.counters().l2_far_requests, 1U);
  }
}

TEST(L2Hits, InstructionReadsCountApart) {
  Rig rig = warm(small_machine());
  rig.answer(
      {rig.request(100, 0, 3, Access::instruction), rig.request(101, 1 << 20, 1, Access::instruction)});
  EXPECT_EQ(rig.counters().l2_instruction_sectors, 3U);
  EXPECT_EQ(rig.counters().l2_instruction_sector_hits, 3U);  // code never waits for DRAM
  EXPECT_EQ(rig.counters().l2_load_sectors, 0U);
}

}  // namespace
}  // namespace wg::mem
