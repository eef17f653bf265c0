// The SM's door to the crossbar: bandwidth both ways, latency of the wires, order of replies.
#include "sm/port.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "bench.hpp"

namespace wg::sm::test {
namespace {

class PortTest : public testing::Test {
 protected:
  PortTest() {
    machine.xbar = {.latency = 10, .sm_send = 32, .sm_receive = 64, .header = 8};
    machine.clock.l2 = Hertz{500'000'000};  // 2,000 ps, the SM has 1,000
    map = std::make_unique<mem::AddressMap>(machine);
    port = std::make_unique<Port>(machine, 5, *map);
    out = mem::Outbox<mem::Request>(machine.dram.channels);
    port->connect(out);
  }
  std::vector<mem::Request> sent() {
    std::vector<mem::Request> all;
    for (std::size_t i = 0; i < machine.dram.channels; ++i) {
      out.drain(i, all);
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
    return all;
  }
  static mem::Reply reply(std::uint64_t arrival, std::uint16_t source, std::uint32_t sequence,
                          std::uint8_t sectors = 0xF) {
    return {.arrival = arrival, .sequence = sequence, .source = source, .sectors = sectors};
  }

  config::Machine machine = bench_machine();
  std::unique_ptr<mem::AddressMap> map;
  std::unique_ptr<Port> port;
  mem::Outbox<mem::Request> out;
};

TEST_F(PortTest, PacketsFollowEachOtherAndThenTakeTheWires) {
  port->send({.line = 0}, 5'000);                  // 8 bytes: 500 ps
  port->send({.line = 128, .bytes = 128}, 5'000);  // 136 bytes: 8,500 ps
  port->send({.line = 256}, 40'000);
  const std::vector<mem::Request> all = sent();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].arrival, 5'000U + 500U + 20'000U);
  EXPECT_EQ(all[1].arrival, 5'500U + 8'500U + 20'000U);
  EXPECT_EQ(all[2].arrival, 40'000U + 500U + 20'000U);
  EXPECT_EQ(all[2].source, 5U);
  EXPECT_EQ(port->packets_sent(), 3U);
  EXPECT_EQ(port->bytes_sent(), 8U + 136U + 8U);
}

TEST_F(PortTest, AChannelGetsTheLinesThatLiveThere) {
  for (std::uint64_t line = 0; line < 64 * 128; line += 128) {
    port->send({.line = line}, 0);
  }
  std::size_t total = 0;
  for (std::uint32_t channel = 0; channel < machine.dram.channels; ++channel) {
    std::vector<mem::Request> mine;
    out.drain(channel, mine);
    total += mine.size();
    for (const mem::Request& request : mine) {
      EXPECT_EQ(map->channel(request.line), channel);
    }
  }
  EXPECT_EQ(total, 64U);
}

TEST_F(PortTest, RepliesComeInOrderOfArrivalSourceAndSequence) {
  const std::vector<mem::Reply> replies = {reply(9'000, 2, 0), reply(3'000, 1, 7), reply(3'000, 0, 9),
                                           reply(3'000, 1, 6)};
  port->deliver(replies);
  std::vector<std::pair<std::uint16_t, std::uint32_t>> order;
  while (const mem::Reply* next = port->receive(1'000)) {
    order.emplace_back(next->source, next->sequence);
  }
  const std::vector<std::pair<std::uint16_t, std::uint32_t>> expected = {{0, 9}, {1, 6}, {1, 7}, {2, 0}};
  EXPECT_EQ(order, expected);
}

TEST_F(PortTest, AReplyIsThereWhenItsLastByteIs) {
  // 8 + 128 bytes at 64 bytes per 2,000 ps: 4,250 ps. Stores are acknowledged by a header alone: 250 ps.
  port->deliver(std::vector{reply(10'000, 0, 0)});
  mem::Reply ack = reply(10'000, 0, 1);
  ack.access = mem::Access::store;
  port->deliver(std::vector{ack});
  EXPECT_EQ(port->next_cycle(), 10U);
  EXPECT_EQ(port->receive(10), nullptr);
  EXPECT_EQ(port->next_cycle(), 15U);  // 14,250 ps
  EXPECT_EQ(port->receive(14), nullptr);
  ASSERT_NE(port->receive(15), nullptr);
  EXPECT_NE(port->receive(15), nullptr);  // 14,500 ps
  EXPECT_EQ(port->receive(15), nullptr);
  EXPECT_EQ(port->next_cycle(), kNever);
  EXPECT_EQ(port->packets_received(), 2U);
  EXPECT_EQ(port->bytes_received(), 136U + 8U);
}

TEST_F(PortTest, DeliveringInPiecesChangesNothing) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    std::vector<mem::Reply> replies;
    for (std::uint32_t i = 0; i < 60; ++i) {
      replies.push_back(reply(rng.below(40) * 1'000, static_cast<std::uint16_t>(rng.below(3)), i,
                              static_cast<std::uint8_t>(1 + rng.below(15))));
    }
    const auto received = [&](bool pieces) {
      Port fresh(machine, 0, *map);
      std::vector<std::pair<std::uint64_t, std::uint32_t>> seen;
      if (!pieces) {
        fresh.deliver(replies);
      }
      for (std::uint64_t cycle = 0; cycle < 400; ++cycle) {
        if (pieces) {  // each one in the cycle before it arrives
          std::vector<mem::Reply> due;
          for (const mem::Reply& r : replies) {
            if (r.arrival == (cycle + 1) * 1'000 || (cycle == 0 && r.arrival == 0)) {
              due.push_back(r);
            }
          }
          fresh.deliver(due);
        }
        while (const mem::Reply* next = fresh.receive(cycle)) {
          seen.emplace_back(cycle, next->sequence);
        }
      }
      return seen;
    };
    const auto whole = received(false);
    ASSERT_EQ(whole.size(), 60U);
    ASSERT_EQ(whole, received(true)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace wg::sm::test
