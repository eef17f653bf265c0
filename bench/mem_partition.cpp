// Host time of the memory partition per sector requested, and the bandwidth that the model reaches.
// Usage: mem_partition [sectors in millions]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#include "base/rng.hpp"
#include "base/units.hpp"
#include "config/machine.hpp"
#include "mem/partition.hpp"

namespace {

using namespace wg;
using namespace wg::mem;

struct Result {
  double nanoseconds = 0;  ///< host, per sector
  double share = 0;        ///< of the DRAM's peak
  double hits = 0;         ///< of sectors
};

/// Keeps `in_flight` requests of `sms` SMs going against channel 0, as an engine would: one epoch of a
/// crossbar latency at a time, a new request for every answered one.
Result drive(const config::Machine& machine, std::uint64_t requests, std::uint32_t in_flight,
             const std::function<Request(std::uint64_t)>& make) {
  Partition partition(machine, 0);
  Outbox<Reply> out(machine.sm.count);
  const std::uint64_t epoch = machine.xbar.latency * Clock(machine.clock.l2).period_ps();
  std::vector<Request> ready(requests);
  std::uint64_t sectors = 0;
  for (std::uint64_t i = 0; i < requests; ++i) {
    ready[i] = make(i);
    sectors += static_cast<std::uint64_t>(__builtin_popcount(ready[i].sectors));
  }
  std::vector<Request> batch;
  std::vector<Reply> replies;
  std::uint64_t sent = 0;
  std::uint64_t now = 0;
  const std::clock_t start = std::clock();
  const auto send = [&](std::uint64_t at) {
    if (sent < requests) {
      Request& request = ready[sent++];
      request.arrival = at;
      batch.push_back(request);
    }
  };
  for (std::uint32_t i = 0; i < in_flight; ++i) {
    send(epoch + i * 500);
  }
  std::uint64_t outstanding = sent;
  while (outstanding > 0) {
    partition.deliver(batch);
    batch.clear();
    now += epoch;
    partition.run(now, out);
    replies.clear();
    for (std::uint32_t sm = 0; sm < machine.sm.count; ++sm) {
      if (out.has(sm)) {
        out.drain(sm, replies);
      }
    }
    out.forget_marks();
    for (const Reply& reply : replies) {
      --outstanding;
      const std::uint64_t before = sent;
      send(std::max(reply.arrival, now) + epoch);
      outstanding += sent - before;
    }
  }
  const double spent = 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const PartitionCounters& counters = partition.counters();
  const double clocks = static_cast<double>(now) / static_cast<double>(Clock(machine.clock.dram).period_ps());
  const std::uint64_t found = counters.l2_load_sector_hits + counters.l2_store_sector_hits;
  return {spent / static_cast<double>(sectors),
          static_cast<double>(counters.dram_read_bytes + counters.dram_write_bytes) /
              (clocks * static_cast<double>(machine.dram.bus.count())),
          static_cast<double>(found) / static_cast<double>(sectors)};
}

config::Machine v100_like() {
  config::Machine machine;
  machine.clock.sm = Hertz{1'380'000'000};
  machine.clock.l2 = Hertz{1'380'000'000};
  machine.clock.dram = Hertz{877'000'000};
  machine.sm.count = 80;
  machine.xbar.slice_send = 64;
  return machine;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t millions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2;
  const config::Machine machine = v100_like();
  const AddressMap map(machine);
  const auto at = [&](std::uint64_t index, std::uint8_t sectors, Access access) {
    // The index-th line of this channel, over its slices in turn.
    const std::uint32_t slices = machine.l2.slices_per_channel;
    Request request;
    request.line = map.address({0, static_cast<std::uint32_t>(index / 2 % slices),
                                (index / 2 / slices * 2 + index % 2) * machine.l2.line.count()});
    request.sectors = sectors;
    request.access = access;
    return request;
  };
  const auto finish = [&](Request request, std::uint64_t i) {
    request.source = static_cast<std::uint16_t>(i % machine.sm.count);
    request.sequence = static_cast<std::uint32_t>(i);
    if (request.access == Access::store) {
      request.full_sectors = request.sectors;
      request.bytes = static_cast<std::uint16_t>(32 * __builtin_popcount(request.sectors));
    }
    return request;
  };
  const auto mix = [](std::uint64_t i) { return Rng(i).next(); };
  struct Case {
    const char* name;
    std::uint64_t sectors;  ///< per request
    std::function<Request(std::uint64_t)> make;
  };
  const Case cases[] = {
      {"stream load", 4, [&](std::uint64_t i) { return finish(at(i, 15, Access::load), i); }},
      {"stream store", 4, [&](std::uint64_t i) { return finish(at(i, 15, Access::store), i); }},
      {"stream load+store", 4,
       [&](std::uint64_t i) {
         return i % 2 == 0 ? finish(at(i / 2, 15, Access::load), i)
                           : finish(at((1 << 20) + i / 2, 15, Access::store), i);
       }},
      {"random sector", 1,
       [&](std::uint64_t i) {
         return finish(at(mix(i) >> 36, static_cast<std::uint8_t>(1 << (mix(i) & 3)), Access::load), i);
       }},
      {"random line", 4, [&](std::uint64_t i) { return finish(at(mix(i) >> 36, 15, Access::load), i); }},
      {"hits, 4 sectors", 4, [&](std::uint64_t i) { return finish(at(i % 512, 15, Access::load), i); }},
      {"hits, 1 sector", 1, [&](std::uint64_t i) { return finish(at(mix(i) % 512, 1, Access::load), i); }},
  };
  for (const Case& c : cases) {
    const Result result = drive(machine, millions * 1'000'000 / c.sectors, 256, c.make);
    fmt::print("{:18} {:6.1f} ns/sector  {:5.1f} % of DRAM peak  {:5.1f} % sector hits\n", c.name,
               result.nanoseconds, 100 * result.share, 100 * result.hits);
  }
}
