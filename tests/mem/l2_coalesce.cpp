// Reads of one line by several SMs at once: one lookup, one access to the data, one multicast.
#include <gtest/gtest.h>

#include "mem/partition_rig.hpp"

namespace wg::mem {
namespace {

using test::Rig;
using test::small_machine;

config::Machine machine(bool coalesce) {
  config::Machine m = small_machine();
  m.l2.coalesce = coalesce;
  return m;
}

/// Cycle at which the last of `sms` SMs has the whole line that all asked for in cycle 1,000.
std::uint64_t last_of(const config::Machine& m, std::uint16_t sms, PartitionCounters& counters) {
  Rig rig(m);
  rig.answer({rig.load(100, 0, 15)});
  std::vector<Request> requests;
  for (std::uint16_t sm = 0; sm < sms; ++sm) {
    requests.push_back(rig.load(1000, 0, 15));
    requests.back().source = sm;
  }
  std::uint64_t last = 0;
  const auto replies = rig.answer(requests);
  EXPECT_EQ(replies.size(), sms);
  for (const Reply& reply : replies) {
    EXPECT_EQ(reply.sectors, 15);
    last = std::max(last, rig.cycle(reply));
  }
  counters = rig.counters();
  return last;
}

TEST(L2Coalesce, ReadsThatWaitTogetherShareOneReply) {
  PartitionCounters apart;
  PartitionCounters together;
  const std::uint64_t slow = last_of(machine(false), 4, apart);
  const std::uint64_t fast = last_of(machine(true), 4, together);
  EXPECT_EQ(apart.l2_coalesced, 0U);
  EXPECT_EQ(together.l2_coalesced, 2U) << "the first finds the port idle and is through at once";
  EXPECT_EQ(apart.l2_load_sectors, together.l2_load_sectors);
  EXPECT_EQ(apart.l2_load_sector_hits, together.l2_load_sector_hits);
  EXPECT_EQ(apart.l2_reply_sectors, together.l2_reply_sectors);
  EXPECT_LT(together.l2_busy_cycles, apart.l2_busy_cycles);
  EXPECT_EQ(slow, fast + 2 * 4) << "two replies of 136 bytes less through a port of 32";
}

TEST(L2Coalesce, ALoneReadIsAnsweredAsBefore) {
  PartitionCounters counters;
  EXPECT_EQ(last_of(machine(true), 1, counters), last_of(machine(false), 1, counters));
}

TEST(L2Coalesce, AStoreInBetweenEndsTheSharing) {
  Rig rig(machine(true));
  rig.answer({rig.load(100, 0, 15)});
  std::vector<Request> requests = {rig.load(1000, 0, 15), rig.store(1000, 0, 1, 1), rig.load(1000, 0, 15)};
  requests[1].source = 1;
  requests[2].source = 2;
  EXPECT_EQ(rig.answer(requests).size(), 3U);
  EXPECT_EQ(rig.counters().l2_coalesced, 0U);
}

}  // namespace
}  // namespace wg::mem
