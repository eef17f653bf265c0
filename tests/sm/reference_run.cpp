// Runs a kernel on the naive SM against the stand-in memory.
#include <cstdint>
#include <memory>
#include <vector>

#include "reference.hpp"

namespace wg::sm::test {

Outcome run_naive(const config::Machine& machine, const Code& code, const BenchOptions& options,
                  std::uint64_t limit) {
  const std::shared_ptr<const trace::Kernel> kernel = make_kernel(code);
  NaiveSm sm(machine, *kernel, options.l1_bytes, options.code);
  std::vector<trace::CtaBlob> blobs(code.ctas.size());
  std::size_t next = 0;
  const auto launch = [&](std::uint64_t arrival) {
    if (next < blobs.size()) {
      blobs[next].number = next;
      sm.launch({.arrival = arrival, .blob = &blobs[next++]});
    }
  };
  for (std::size_t i = 0; i < resident(machine, code); ++i) {
    launch(options.first_launch_ps + i * options.launch_gap_ps);
  }
  Outcome outcome;
  const std::uint64_t stop = options.stop_cycle == 0 ? limit : options.stop_cycle;
  while (sm.now() < stop && !(options.stop_cycle == 0 && sm.idle())) {
    sm.step();
    for (const mem::Request& request : sm.take_requests()) {
      outcome.requests.push_back(request);
      for (const mem::Reply& reply : options.memory.answer(request)) {
        sm.reply(reply);
      }
    }
    for (const CtaDone& done : sm.take_done()) {
      outcome.done.push_back(finished(done));
      launch(done.arrival + options.relaunch_ps);
    }
  }
  outcome.idle = sm.idle();
  outcome.last_activity = sm.last_activity();
  outcome.cycles = options.stop_cycle == 0 ? outcome.last_activity + 1 : options.stop_cycle;
  outcome.stuck.resize(sm.live_warps());
  sm.close(outcome.cycles);
  outcome.counters = sm.counters();
  outcome.profile = sm.profile();
  return outcome;
}

}  // namespace wg::sm::test
