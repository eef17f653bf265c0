#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "mem/partition_rig.hpp"

namespace wg::mem {
namespace {

using test::Rig;

/// Sends `make(i)` for i = 0.. as fast as 256 in flight allow; returns the share of the bus's peak.
template <class Make>
double achieved(const config::Machine& machine, std::uint64_t requests, Make make) {
  Rig rig(machine);
  const std::uint64_t epoch = machine.xbar.latency * rig.cycle_ps();
  std::uint64_t sent = 0;
  std::uint64_t now = 0;
  std::vector<Request> batch;
  const auto send = [&](std::uint64_t at) {
    if (sent < requests) {
      Request request = make(rig, sent++);
      request.arrival = at;
      batch.push_back(request);
    }
  };
  for (std::uint64_t i = 0; i < 256; ++i) {
    send(epoch + i);
  }
  while (rig.partition().next_event() != kNever || !batch.empty()) {
    rig.send(batch);
    batch.clear();
    now += epoch;
    for (const Reply& reply : rig.run(now)) {
      send(std::max(reply.arrival, now) + epoch);
    }
  }
  const double clocks = static_cast<double>(rig.partition().last_event()) /
                        static_cast<double>(Clock(machine.clock.dram).period_ps());
  const double bytes = static_cast<double>(rig.counters().dram_read_bytes + rig.counters().dram_write_bytes);
  return bytes / clocks / static_cast<double>(machine.dram.bus.count());
}

config::Machine one_channel() {
  config::Machine machine = test::hbm2_machine();
  machine.dram.channels = 1;
  machine.l2.size = Bytes{192 * 1024};  // one channel's share of 6 MiB
  return machine;
}

TEST(DramBandwidth, AStreamOfLoadsReachesMostOfThePeak) {
  const double share =
      achieved(one_channel(), 20'000, [](Rig& rig, std::uint64_t i) { return rig.load(0, i * 128, 15); });
  EXPECT_GT(share, 0.85);
  EXPECT_LE(share, 1.0);
}

TEST(DramBandwidth, AStreamOfStoresReachesMostOfThePeak) {
  const double share = achieved(one_channel(), 20'000,
                                [](Rig& rig, std::uint64_t i) { return rig.store(0, i * 128, 15, 15); });
  EXPECT_GT(share, 0.80);
  EXPECT_LE(share, 1.0);
}

TEST(DramBandwidth, RandomSectorsReachMuchLess) {
  Rng rng(1);
  const double share = achieved(one_channel(), 20'000, [&](Rig& rig, std::uint64_t) {
    return rig.load(0, rng.below(1 << 24) * 128, 1);
  });
  EXPECT_LT(share, 0.60);
  EXPECT_GT(share, 0.20);
}

TEST(DramBandwidth, TurningTheBusCosts) {
  const double share = achieved(one_channel(), 20'000, [](Rig& rig, std::uint64_t i) {
    return i % 2 == 0 ? rig.load(0, i / 2 * 128, 15) : rig.store(0, (1 << 28) + i / 2 * 128, 15, 15);
  });
  EXPECT_LT(share, 0.85);
  EXPECT_GT(share, 0.50);
}

}  // namespace
}  // namespace wg::mem
