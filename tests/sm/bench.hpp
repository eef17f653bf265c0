// One SM on a bench: a machine with easy numbers, a mock memory behind the crossbar, a mock dispatcher.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench_kernel.hpp"
#include "config/machine.hpp"
#include "sm/sm.hpp"

namespace wg::sm::test {

/// 1 GHz everywhere (1,000 ps a cycle), one sub-core, no instruction caches, no register banks, launch free
/// of charge, crossbar of 10 cycles one way with ports that take one cycle per packet.
config::Machine bench_machine();

/// Answers every request after a latency that depends on nothing but the request.
struct MockMemory {
  std::uint64_t latency_ps = 100'000;  ///< from a request's arrival to its reply's
  std::uint64_t spread_ps = 0;         ///< up to this more, by line
  bool split = false;                  ///< some loads are answered in two parts
  std::uint64_t seed = 0;

  [[nodiscard]] std::vector<mem::Reply> answer(const mem::Request& request) const;
};

struct BenchOptions {
  MockMemory memory{};
  std::uint64_t l1_bytes = 64 * 1024;
  std::uint64_t code = std::uint64_t{0x70} << 40;
  std::uint64_t epoch_ps = 0;          ///< 0 = the crossbar's latency
  std::uint64_t first_launch_ps = 0;   ///< arrival of the first CTA
  std::uint64_t launch_gap_ps = 0;     ///< between the arrivals of the first CTAs
  std::uint64_t relaunch_ps = 20'000;  ///< from a CTA's completion message to the next CTA's arrival
  std::uint64_t stop_cycle = 0;        ///< 0 = run to the end
  bool growing = false;                ///< see make_kernel()
};

/// A CTA that has left.
struct Finished {
  std::uint64_t cta = 0;
  std::uint64_t cycle = 0;
  std::uint64_t arrival_ps = 0;  ///< of the message at the dispatcher
  std::uint32_t sequence = 0;
};
inline Finished finished(const CtaDone& done) {
  return {done.blob->number, done.cycle, done.arrival, done.sequence};
}

/// All that can be seen of an SM from outside.
struct Outcome {
  std::vector<mem::Request> requests;
  std::vector<Finished> done;
  std::uint64_t last_activity = 0;
  std::uint64_t cycles = 0;  ///< last activity + 1, or the stop cycle
  SmCounters counters;
  std::vector<InstProfile> profile;
  std::vector<std::string> stuck;
  bool idle = false;
};

/// Runs the kernel's CTAs on one SM, as many at a time as there are slots, to the end (or until nothing can
/// happen any more).
Outcome run_bench(const config::Machine& machine, const Code& code, const BenchOptions& options = {});

/// CTAs of this kernel that are on the SM at a time.
std::size_t resident(const config::Machine& machine, const Code& code);

}  // namespace wg::sm::test
