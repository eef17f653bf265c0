#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "base/rng.hpp"
#include "mem/partition_rig.hpp"

namespace wg::mem {
namespace {

using test::Rig;

/// Tiny caches and queues, two slices, odd clocks: everything runs full.
config::Machine tight_machine(std::string replacement = "lru") {
  config::Machine machine = test::small_machine();
  machine.clock.l2 = Hertz{1'312'000'000};
  machine.clock.dram = Hertz{877'000'000};
  machine.l2.size = Bytes{2048};
  machine.l2.slices_per_channel = 2;
  machine.l2.ways = 2;
  machine.l2.mshrs = 3;
  machine.l2.replacement = std::move(replacement);
  machine.l2.atomic_interval = 2;
  machine.dram.queue = 5;
  machine.dram.write_queue = 6;
  machine.dram.write_high = 4;
  machine.dram.write_low = 1;
  machine.dram.tREFI = 700;
  machine.dram.tRFC = 100;
  return machine;
}

std::vector<Request> random_requests(Rig& rig, std::uint64_t seed, std::size_t count, std::uint64_t lines) {
  Rng rng(seed);
  std::vector<Request> requests;
  std::uint64_t time = 50'000;
  for (std::size_t i = 0; i < count; ++i) {
    time += rng.below(4) == 0 ? rng.below(6000) : 0;
    const std::uint64_t line = rng.below(lines) * 128;
    const auto sectors = static_cast<std::uint8_t>(1 + rng.below(15));
    Request request;
    switch (rng.below(8)) {
      case 0:
        request = rig.atomic(0, line, sectors, 16, static_cast<std::uint8_t>(1 + rng.below(16)));
        break;
      case 1:
        request = rig.atomic(0, line, sectors, 4, 2);
        request.access = Access::reduction;
        break;
      case 2:
      case 3:
        request = rig.store(0, line, sectors, static_cast<std::uint8_t>(rng.below(16)));
        break;
      case 4:
        request = rig.request(0, line, sectors, Access::instruction);
        break;
      default:
        request = rig.load(0, line, sectors);
    }
    request.arrival = time;
    request.source = static_cast<std::uint16_t>(rng.below(4));
    requests.push_back(request);
  }
  return requests;
}

struct Outcome {
  std::vector<Reply> replies;
  PartitionCounters counters;
  std::uint64_t last_event = 0;
};

/// Delivers each request in the epoch before its arrival, in a shuffled order, and runs epoch by epoch.
Outcome run_in_epochs(const config::Machine& machine, std::uint64_t seed, std::uint64_t epoch,
                      std::uint64_t lines, bool early = false) {
  Rig rig(machine);
  std::vector<Request> requests = random_requests(rig, seed, 3000, lines);
  Rng rng(epoch);
  Outcome outcome;
  std::size_t next = 0;
  std::uint64_t now = 0;
  while (next < requests.size() || rig.partition().next_event() != kNever) {
    std::vector<Request> batch;
    const std::uint64_t horizon = now + (early ? 1 + rng.below(5) : 1) * epoch;
    while (next < requests.size() && requests[next].arrival < horizon) {
      batch.push_back(requests[next++]);
    }
    for (std::size_t i = batch.size(); i > 1; --i) {
      std::swap(batch[i - 1], batch[rng.below(i)]);
    }
    rig.send(batch);
    now += epoch;
    for (const Reply& reply : rig.run(now)) {
      EXPECT_GE(reply.arrival, now - epoch + machine.xbar.latency * rig.cycle_ps());
      outcome.replies.push_back(reply);
    }
  }
  std::sort(outcome.replies.begin(), outcome.replies.end(), earlier<Reply>);
  outcome.counters = rig.counters();
  outcome.last_event = rig.partition().last_event();
  return outcome;
}

void expect_equal(const Outcome& a, const Outcome& b) {
  ASSERT_EQ(a.replies.size(), b.replies.size());
  for (std::size_t i = 0; i < a.replies.size(); ++i) {
    ASSERT_TRUE(test::same(a.replies[i], b.replies[i])) << "reply " << i;
  }
  for (const auto& field : PartitionCounters::fields()) {
    EXPECT_EQ(a.counters.*field.member, b.counters.*field.member) << field.info.name;
  }
  EXPECT_EQ(a.last_event, b.last_event);
}

TEST(PartitionProperties, EverySectorIsAnsweredExactlyOnce) {
  for (const char* replacement : {"lru", "random", "plru"}) {
    for (const std::uint64_t lines : {6U, 40U, 5000U}) {
      Rig rig(tight_machine(replacement));
      const std::vector<Request> requests = random_requests(rig, lines, 4000, lines);
      const std::vector<Reply> replies = rig.answer(requests);
      std::map<std::uint32_t, std::uint8_t> answered;
      for (const Reply& reply : replies) {
        const Request& request = requests[reply.token];
        EXPECT_EQ(answered[reply.token] & reply.sectors, 0) << "twice";
        answered[reply.token] |= reply.sectors;
        EXPECT_EQ(reply.line, request.line);
        EXPECT_EQ(reply.sm, request.source);
        EXPECT_EQ(reply.access, request.access);
        EXPECT_GE(reply.arrival, request.arrival + 100 * rig.cycle_ps());
      }
      for (const Request& request : requests) {
        ASSERT_EQ(answered[request.token], request.sectors);
      }
      EXPECT_EQ(rig.partition().next_event(), kNever);
      const PartitionCounters& c = rig.counters();
      EXPECT_EQ(c.l2_requests, requests.size());
      EXPECT_EQ(c.dram_read_bytes, 32 * c.l2_fill_sectors);
      EXPECT_EQ(c.dram_write_bytes, 32 * c.l2_writeback_sectors);
      EXPECT_EQ(c.dram_row_hits + c.dram_row_misses + c.dram_row_conflicts,
                c.l2_fill_sectors + c.l2_writeback_sectors);
      EXPECT_GT(c.l2_mshr_stall_cycles + c.l2_dram_stall_cycles, 0U);
    }
  }
}

TEST(PartitionProperties, ResultsDoNotDependOnHowTimeIsCut) {
  for (const char* replacement : {"lru", "random"}) {
    for (const std::uint64_t lines : {30U, 2000U}) {
      const config::Machine machine = tight_machine(replacement);
      const std::uint64_t cycle = Clock(machine.clock.l2).period_ps();
      const Outcome whole = run_in_epochs(machine, lines, machine.xbar.latency * cycle, lines);
      for (const std::uint64_t epoch : {cycle, 7 * cycle, std::uint64_t{97}, std::uint64_t{12'345}}) {
        expect_equal(whole, run_in_epochs(machine, lines, epoch, lines));
      }
    }
  }
}

TEST(PartitionProperties, ResultsDoNotDependOnHowEarlyOrInWhichBatchRequestsAreDelivered) {
  const config::Machine machine = tight_machine();
  const std::uint64_t epoch = machine.xbar.latency * Clock(machine.clock.l2).period_ps();
  expect_equal(run_in_epochs(machine, 3, epoch, 300), run_in_epochs(machine, 3, epoch, 300, true));
  expect_equal(run_in_epochs(machine, 3, epoch, 300), run_in_epochs(machine, 3, epoch / 5, 300, true));
}

TEST(PartitionProperties, NextEventIsNeverTooLate) {
  Rig rig(tight_machine());
  rig.send(random_requests(rig, 9, 500, 50));
  std::uint64_t events = 0;
  while (rig.partition().next_event() != kNever) {
    const std::uint64_t next = rig.partition().next_event();
    const std::uint64_t last = rig.partition().last_event();
    EXPECT_TRUE(rig.run(next).empty());
    EXPECT_EQ(rig.partition().last_event(), last) << "nothing before";
    rig.run(next + 1);
    EXPECT_EQ(rig.partition().last_event(), next);
    ++events;
  }
  EXPECT_GT(events, 1000U);
}

TEST(PartitionProperties, CountersHaveADictionary) {
  std::map<std::string_view, int> names;
  for (const auto& field : PartitionCounters::fields()) {
    EXPECT_FALSE(field.info.name.empty());
    EXPECT_FALSE(field.info.unit.empty());
    EXPECT_FALSE(field.info.meaning.empty());
    EXPECT_EQ(++names[field.info.name], 1);
  }
  EXPECT_EQ(names.size() * sizeof(std::uint64_t), sizeof(PartitionCounters));
}

}  // namespace
}  // namespace wg::mem
