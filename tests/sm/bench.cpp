#include "bench.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace wg::sm::test {
namespace {

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

config::Pipe pipe_of(isa::InstClass cls) {
  using enum isa::InstClass;
  switch (cls) {
    case fp32:
    case imad:
    case imad_wide:
      return config::Pipe::fma;
    case fp16:
      return config::Pipe::fp16;
    case fp64:
      return config::Pipe::fp64;
    case mufu:
    case conversion:
    case bitcount:
    case special:
      return config::Pipe::xu;
    case tensor:
    case tensor_fp64:
    case wgmma:
      return config::Pipe::tensor;
    case uniform:
      return config::Pipe::uniform;
    case branch:
    case exit:
      return config::Pipe::branch;
    case load:
    case store:
    case atomic:
    case reduction:
    case ldgsts:
    case ldsm:
    case shuffle:
    case texture:
      return config::Pipe::lsu;
    case barrier:
    case membar:
    case depbar:
    case nop:
      return config::Pipe::none;
    default:
      return config::Pipe::alu;
  }
}

}  // namespace

config::Machine bench_machine() {
  config::Machine machine;
  machine.name = "bench";
  machine.sm.subcores = 1;
  machine.sm.max_warps = 16;
  machine.sm.max_ctas = 8;
  machine.sm.register_banks = 0;
  machine.sm.branch_bubble = 7;
  machine.sm.warp_start = 0;
  machine.icache.enabled = false;
  machine.launch.kernel_cycles = 0;
  machine.launch.warp_interval = 0;
  machine.xbar = {.latency = 10, .sm_send = 64, .sm_receive = 256, .header = 8};
  machine.l1.latency = 30;
  machine.l1.fill_latency = 5;
  machine.shared.latency = 20;
  machine.shared.atomic_latency = 36;
  machine.dram.channels = 4;
  for (std::size_t i = 0; i < isa::kInstClasses; ++i) {
    const auto cls = static_cast<isa::InstClass>(i);
    machine.sm.classes[i] = {.pipe = pipe_of(cls), .latency = 4, .interval = 1, .scoreboard = false};
  }
  return machine;
}

std::vector<mem::Reply> MockMemory::answer(const mem::Request& request) const {
  const std::uint64_t random = mix(request.line + seed);
  mem::Reply reply{.arrival = request.arrival + latency_ps + (spread_ps == 0 ? 0 : random % spread_ps),
                   .line = request.line,
                   .sequence = request.sequence * 2,
                   .token = request.token,
                   .access = request.access,
                   .sectors = request.sectors,
                   .level = (random >> 40) % 3 == 0 ? mem::Level::dram : mem::Level::l2};
  const bool in_parts =
      split && (request.access == mem::Access::load || request.access == mem::Access::atomic ||
                request.access == mem::Access::instruction);
  const auto first = static_cast<std::uint8_t>(request.sectors & (random >> 50));
  if (!in_parts || first == 0 || first == request.sectors) {
    return {reply};
  }
  mem::Reply second = reply;
  reply.sectors = first;
  second.sectors = static_cast<std::uint8_t>(request.sectors & ~first);
  second.arrival += (random >> 20) % (latency_ps + 1);
  ++second.sequence;
  return {reply, second};
}

std::size_t resident(const config::Machine& machine, const Code& code) {
  std::size_t warps = 1;
  for (const CtaCode& cta : code.ctas) {
    warps = std::max(warps, cta.size());
  }
  return std::min<std::size_t>(machine.sm.max_ctas, machine.sm.max_warps / warps);
}

namespace {

/// Launches CTAs and answers requests between the epochs of one SM.
class Bench {
 public:
  Bench(const config::Machine& machine, const Code& code, const BenchOptions& options)
      : machine_(machine),
        options_(options),
        map_(machine_),
        kernel_(make_kernel(code, options.growing)),
        blobs_(code.ctas.size()),
        sm_(machine_, 0, map_),
        requests_(machine.dram.channels),
        done_(1) {
    for (std::size_t i = 0; i < blobs_.size(); ++i) {
      blobs_[i].number = i;
    }
    sm_.begin_kernel({.kernel = kernel_.get(), .l1_bytes = options.l1_bytes, .code = options.code});
    for (std::size_t i = 0; i < resident(machine, code); ++i) {
      launch(options.first_launch_ps + i * options.launch_gap_ps);
    }
  }

  Outcome run() {
    const std::uint64_t wire = machine_.xbar.latency * Clock(machine_.clock.l2).period_ps();
    const std::uint64_t epoch = options_.epoch_ps == 0 ? wire : std::min(wire, options_.epoch_ps);
    const Clock clock(machine_.clock.sm);
    const std::uint64_t stop = options_.stop_cycle == 0 ? kNever : clock.to_ps(options_.stop_cycle);
    for (std::uint64_t now = 0; now < stop;) {
      const std::uint64_t until = std::min(now + epoch, stop);
      sm_.deliver(launches_);
      launches_.clear();
      sm_.deliver(replies_);
      replies_.clear();
      sm_.run(until, requests_, done_);
      collect();
      std::uint64_t next = sm_.next_event();
      for (const mem::Reply& reply : replies_) {
        next = std::min(next, reply.arrival);
      }
      for (const CtaLaunch& launch : launches_) {
        next = std::min(next, launch.arrival);
      }
      if (next == kNever) {
        break;
      }
      now = std::max(until, next);
    }
    outcome_.last_activity = sm_.last_activity();
    outcome_.cycles = options_.stop_cycle == 0 ? outcome_.last_activity + 1 : options_.stop_cycle;
    outcome_.idle = sm_.idle();
    outcome_.stuck = sm_.stuck();
    sm_.close_slots(outcome_.cycles);
    outcome_.counters = sm_.counters();
    outcome_.profile.assign(sm_.profile().begin(), sm_.profile().end());
    return std::move(outcome_);
  }

 private:
  void launch(std::uint64_t arrival) {
    if (next_ < blobs_.size()) {
      launches_.push_back({.arrival = arrival, .sequence = sequence_++, .blob = &blobs_[next_++]});
    }
  }
  void collect() {
    std::vector<mem::Request> sent;
    for (std::size_t channel = 0; channel < machine_.dram.channels; ++channel) {
      requests_.drain(channel, sent);
    }
    requests_.forget_marks();
    std::sort(sent.begin(), sent.end(),
              [](const mem::Request& a, const mem::Request& b) { return a.sequence < b.sequence; });
    for (const mem::Request& request : sent) {
      for (const mem::Reply& reply : options_.memory.answer(request)) {
        replies_.push_back(reply);
      }
    }
    outcome_.requests.insert(outcome_.requests.end(), sent.begin(), sent.end());
    std::vector<CtaDone> done;
    done_.drain(0, done);
    done_.forget_marks();
    for (const CtaDone& cta : done) {
      launch(cta.arrival + options_.relaunch_ps);
      outcome_.done.push_back(finished(cta));
    }
  }

  config::Machine machine_;
  BenchOptions options_;
  mem::AddressMap map_;
  std::shared_ptr<const trace::Kernel> kernel_;
  std::vector<trace::CtaBlob> blobs_;
  Sm sm_;
  mem::Outbox<mem::Request> requests_;
  mem::Outbox<CtaDone> done_;
  std::vector<CtaLaunch> launches_;
  std::vector<mem::Reply> replies_;
  std::size_t next_ = 0;
  std::uint32_t sequence_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome run_bench(const config::Machine& machine, const Code& code, const BenchOptions& options) {
  return Bench(machine, code, options).run();
}

}  // namespace wg::sm::test
