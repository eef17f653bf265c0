// A partition on a bench: a machine with easy numbers, a way to send requests and to gather replies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.hpp"
#include "config/machine.hpp"
#include "mem/partition.hpp"

namespace wg::mem::test {

/// One channel with one slice, L2 and DRAM at 1 GHz (1,000 ps), no refresh, tiny L2.
inline config::Machine small_machine() {
  config::Machine machine;
  machine.clock.l2 = Hertz{1'000'000'000};
  machine.clock.dram = Hertz{1'000'000'000};
  machine.sm.count = 4;
  machine.xbar.latency = 40;
  machine.xbar.slice_receive = 32;
  machine.xbar.slice_send = 32;
  machine.xbar.header = 8;
  machine.l2.size = Bytes{16 * 1024};
  machine.l2.slices_per_channel = 1;
  machine.l2.ways = 4;
  machine.l2.latency = 60;
  machine.l2.mshrs = 16;
  machine.l2.sectors_per_cycle = 2;
  machine.dram.channels = 1;
  machine.dram.tREFI = 0;
  machine.dram.extra_latency = 40;
  return machine;
}

/// HBM2 at V100 clocks with the default organisation: 32 channels of two slices, 6 MiB of L2.
inline config::Machine hbm2_machine() {
  config::Machine machine = small_machine();
  machine.clock.l2 = Hertz{1'312'000'000};
  machine.clock.dram = Hertz{877'000'000};
  machine.sm.count = 80;
  machine.xbar.latency = 48;
  machine.xbar.slice_send = 64;
  machine.l2 = config::L2Config{};
  machine.dram = config::DramConfig{};
  return machine;
}

class Rig {
 public:
  explicit Rig(const config::Machine& machine, std::uint32_t channel = 0)
      : machine_(machine), partition_(machine, channel), out_(machine.sm.count) {}

  Partition& partition() { return partition_; }
  [[nodiscard]] const PartitionCounters& counters() const { return partition_.counters(); }
  [[nodiscard]] std::uint64_t cycle_ps() const { return Clock(machine_.clock.l2).period_ps(); }

  /// A request that arrives at an L2 cycle; the sequence number is the next one.
  Request request(std::uint64_t cycle, std::uint64_t line, std::uint8_t sectors,
                  Access access = Access::load) {
    Request r;
    r.arrival = cycle * cycle_ps();
    r.line = line;
    r.sequence = sequence_++;
    r.token = r.sequence;
    r.access = access;
    r.sectors = sectors;
    return r;
  }
  Request load(std::uint64_t cycle, std::uint64_t line, std::uint8_t sectors) {
    return request(cycle, line, sectors);
  }
  Request store(std::uint64_t cycle, std::uint64_t line, std::uint8_t sectors, std::uint8_t full) {
    Request r = request(cycle, line, sectors, Access::store);
    r.full_sectors = full;
    r.bytes = 32;
    return r;
  }
  Request atomic(std::uint64_t cycle, std::uint64_t line, std::uint8_t sectors, std::uint8_t operations,
                 std::uint8_t same_address) {
    Request r = request(cycle, line, sectors, Access::atomic);
    r.operations = operations;
    r.same_address = same_address;
    r.bytes = static_cast<std::uint16_t>(4 * operations);
    return r;
  }

  void send(std::vector<Request> requests) { partition_.deliver(requests); }
  /// Runs until `until` (ps) and returns the new replies in the receivers' order.
  std::vector<Reply> run(std::uint64_t until = kNever) {
    partition_.run(until, out_);
    std::vector<Reply> replies;
    for (std::size_t sm = 0; sm < machine_.sm.count; ++sm) {
      if (out_.has(sm)) {
        out_.drain(sm, replies);
      }
    }
    out_.forget_marks();
    std::sort(replies.begin(), replies.end(), earlier<Reply>);
    return replies;
  }
  /// Sends, runs to the end.
  std::vector<Reply> answer(std::vector<Request> requests) {
    send(std::move(requests));
    return run();
  }
  /// Reply's arrival as L2 cycle.
  [[nodiscard]] std::uint64_t cycle(const Reply& reply) const { return reply.arrival / cycle_ps(); }

 private:
  config::Machine machine_;
  Partition partition_;
  Outbox<Reply> out_;
  std::uint32_t sequence_ = 0;
};

/// Everything of a reply that a receiver can see, for comparisons.
inline bool same(const Reply& a, const Reply& b) {
  return a.arrival == b.arrival && a.line == b.line && a.sequence == b.sequence && a.token == b.token &&
         a.source == b.source && a.sm == b.sm && a.access == b.access && a.sectors == b.sectors &&
         a.level == b.level;
}

}  // namespace wg::mem::test
