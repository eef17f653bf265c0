#include <gtest/gtest.h>

#include "mem/partition_rig.hpp"

namespace wg::mem {
namespace {

using test::Rig;
using test::small_machine;

constexpr std::uint64_t kOut = 60 + 40;

Rig warm(const config::Machine& machine) {
  Rig rig(machine);
  rig.partition().install(0, 1024);
  return rig;
}

TEST(L2Atomics, DifferentAddressesOfASectorTakeOnePass) {
  Rig rig = warm(small_machine());
  const auto replies = rig.answer({rig.atomic(100, 0, 1, 8, 1)});
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(rig.cycle(replies[0]), 100 + 1 + kOut);
  EXPECT_EQ(replies[0].access, Access::atomic);
  EXPECT_EQ(rig.counters().l2_reply_sectors, 1U);
}

TEST(L2Atomics, EverySectorTakesAPass) {
  Rig rig = warm(small_machine());
  const auto replies = rig.answer({rig.atomic(100, 0, 15, 32, 1)});
  EXPECT_EQ(rig.cycle(replies[0]), 100 + 4 + kOut);
}

TEST(L2Atomics, OneAddressSerialises) {
  for (const std::uint32_t interval : {1U, 2U, 4U}) {
    config::Machine machine = small_machine();
    machine.l2.atomic_interval = interval;
    Rig rig = warm(machine);
    const auto replies = rig.answer({rig.atomic(100, 0, 1, 32, 32)});
    EXPECT_EQ(rig.cycle(replies[0]), 100 + 1 + 31 * interval + kOut);
  }
}

TEST(L2Atomics, PacketsForOneLineFollowEachOther) {
  config::Machine machine = small_machine();
  machine.l2.atomic_interval = 3;
  machine.xbar.slice_send = 1024;
  machine.xbar.slice_receive = 1024;
  Rig rig = warm(machine);
  std::vector<Request> requests;
  for (int i = 0; i < 10; ++i) {
    requests.push_back(rig.atomic(100, 0, 1, 1, 1));
  }
  const auto replies = rig.answer(requests);
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(rig.cycle(replies[i]), 100 + 1 + 3 * i + kOut);
  }
}

TEST(L2Atomics, HitsAreNotHeldUpByAtomics) {
  Rig rig = warm(small_machine());
  const auto replies = rig.answer({rig.atomic(100, 0, 1, 32, 32), rig.load(105, 128, 1)});
  EXPECT_EQ(replies[0].access, Access::load);
  EXPECT_EQ(rig.cycle(replies[0]), 105 + kOut);
  EXPECT_EQ(rig.cycle(replies[1]), 100 + 32 + kOut);
}

TEST(L2Atomics, AMissFetchesAndMakesTheSectorDirty) {
  config::Machine machine = small_machine();
  machine.l2.size = Bytes{512};
  Rig rig(machine);
  const auto replies = rig.answer({rig.atomic(100, 0, 0b11, 2, 1)});
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].level, Level::dram);
  EXPECT_EQ(replies[0].sectors, 0b11);
  // The second burst follows tCCD_L = 4 behind the first; then two passes.
  EXPECT_EQ(rig.cycle(replies[0]), 100 + (14 + 14 + 4 + 2 + 40) + 2 + kOut);
  for (std::uint64_t i = 1; i <= 4; ++i) {
    rig.answer({rig.load(i * 10'000, i * 128, 1)});
  }
  EXPECT_EQ(rig.counters().l2_writeback_sectors, 2U);
}

TEST(L2Atomics, AReductionIsAcknowledgedWithoutData) {
  Rig rig = warm(small_machine());
  Request request = rig.atomic(100, 0, 1, 4, 4);
  request.access = Access::reduction;
  const auto replies = rig.answer({request});
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].access, Access::reduction);
  EXPECT_EQ(rig.cycle(replies[0]), 100 + 4 + kOut);
  EXPECT_EQ(rig.counters().l2_reply_sectors, 0U);
  EXPECT_EQ(rig.counters().l2_atomic_sectors, 1U);
}

}  // namespace
}  // namespace wg::mem
