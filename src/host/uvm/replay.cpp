#include "host/uvm/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "host/uvm/service_loop.hpp"

namespace wg::host::uvm {
namespace {

class Machine {
 public:
  Machine(const config::UvmConfig& config, const ReplayOptions& options)
      : config_(config),
        options_(options),
        driver_(config, options.memory, options.future),
        service_(driver_) {}

  void run(EventSource& source) {
    Event event;
    EventCheck check;
    while (source.next(event)) {
      check.check(event, source);
      if (event.kind == EventKind::object) {
        refuse_absurd(check, source);
        driver_.add_object(event.name, event.count, event.base);
        continue;
      }
      empty_ = empty_ && (event.kind == EventKind::kernel || event.kind == EventKind::advise);
      now_ps_ = std::max(now_ps_, event.time_ns * 1000 + delay_ps_);
      advance(now_ps_);
      handle(event);
    }
    if (empty_) {
      throw Error({.where = source.where(), .expected = "a stream with accesses", .found = "none"});
    }
    drain();
  }
  [[nodiscard]] UvmReport report() const {
    UvmReport out = driver_.report(now_ps_);
    out.timeline = timeline_;
    return out;
  }

 private:
  /// An access that waits for its page.
  struct Parked {
    std::uint64_t tick = 0;
    std::uint64_t page = 0;
    std::uint32_t object = 0;
    bool write = false;
    std::uint64_t since_ps = 0;
    std::uint64_t weight = 1;  ///< accesses it stands for
  };

  void refuse_absurd(const EventCheck& check, const EventSource& source) const {
    const std::uint64_t memory = driver_.memory().capacity();
    if (check.pages() / kMostOversubscription > memory) {
      throw Error({.where = source.where(),
                   .expected = fmt::format("allocations of at most {} times the device memory of {} pages",
                                           kMostOversubscription, memory),
                   .found = fmt::format("{} pages", check.pages()),
                   .advice = "--set uvm.memory=... gives the device more"});
    }
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case EventKind::gpu:
        gpu(event);
        break;
      case EventKind::cpu:
        driver_.cpu_access(event.object, event.page, event.write, now_ps_);
        break;
      case EventKind::kernel:
        drain();
        driver_.kernel(event.name);
        break;
      case EventKind::prefetch: {
        drain();
        const std::uint64_t end =
            driver_.prefetch(event.object, event.page, event.count, event.to_device, now_ps_);
        delay_ps_ += end - now_ps_;
        now_ps_ = end;
        break;
      }
      case EventKind::advise:
        driver_.advise(event.object, event.page, event.count, event.advice);
        break;
      case EventKind::object:
        break;
    }
  }

  void gpu(const Event& event) {
    const std::uint64_t tick = tick_++;
    const Access answer =
        driver_.access(event.object, event.page, event.write, tick, now_ps_, event.accesses);
    if (answer == Access::hit) {
      return;
    }
    if (answer == Access::remote) {
      lose(config_.remote_ns * 1000);
      return;
    }
    park({tick, event.page, event.object, event.write, now_ps_, event.accesses}, now_ps_);
    while (parked_.size() >= config_.outstanding) {
      stall();
    }
  }

  void lose(std::uint64_t ps) {
    delay_ps_ += ps;
    now_ps_ += ps;
  }

  void park(const Parked& access, std::uint64_t at_ps) {
    driver_.push({at_ps, access.tick, access.page, access.object, access.write});
    parked_.push_back(access);
  }

  /// Everything that happens before `until_ps`.
  void advance(std::uint64_t until_ps) {
    while (service_.next() < until_ps) {
      step();
    }
  }

  /// The next thing: a batch begins, or ends with its replay.
  void step() {
    const std::uint64_t at_ps = service_.next();
    switch (service_.step(at_ps)) {
      case ServiceLoop::Step::began:
        timeline_.add(service_.batch(), at_ps);
        if (options_.batch_served) {
          options_.batch_served(service_.batch());
        }
        break;
      case ServiceLoop::Step::ended:
        break;
      case ServiceLoop::Step::replay:
        retry(at_ps);
        break;
    }
  }

  /// Replays all waiting accesses; those whose page is still away fault again.
  void retry(std::uint64_t at_ps) {
    waiting_.swap(parked_);
    parked_.clear();
    for (const Parked& access : waiting_) {
      const Access answer =
          driver_.access(access.object, access.page, access.write, access.tick, at_ps, access.weight);
      if (answer == Access::fault) {
        park(access, at_ps);
        continue;
      }
      driver_.waited(access.object, at_ps - access.since_ps);
      if (answer == Access::remote) {
        delay_ps_ += config_.remote_ns * 1000;
      }
    }
    waiting_.clear();
  }

  /// The GPU stands still until the next replay.
  void stall() {
    const std::uint64_t before = now_ps_;
    const std::uint32_t object = parked_.front().object;
    if (!service_.busy()) {
      retry(now_ps_);  // no entry fitted the buffer
      return;
    }
    const std::uint64_t at = service_.next();
    step();
    now_ps_ = std::max(now_ps_, at);
    delay_ps_ += now_ps_ - before;
    driver_.stalled(object, now_ps_ - before);
  }

  void drain() {
    while (!parked_.empty()) {
      stall();
    }
    while (service_.busy()) {
      step();
    }
  }

  config::UvmConfig config_;
  const ReplayOptions& options_;
  UvmDriver driver_;
  ServiceLoop service_;
  Timeline timeline_;
  bool empty_ = true;  ///< neither access nor prefetch so far
  std::vector<Parked> parked_;
  std::vector<Parked> waiting_;
  std::uint64_t tick_ = 0;
  std::uint64_t now_ps_ = 0;
  std::uint64_t delay_ps_ = 0;  ///< time lost so far
};

}  // namespace

Bytes replay_memory(const config::UvmConfig& config, Bytes machine, EventSource& source) {
  if (config.oversubscription == 0) {
    return config.memory.count() == 0 ? machine : config.memory;
  }
  refuse_two_sizes(config);
  Memory all(0, counts_in_chunks(config));
  Event event;
  EventCheck check;
  while (source.next(event)) {
    check.check(event, source);
    if (event.kind == EventKind::object) {
      all.add_object("", event.count, event.base, config.alloc_round == "pow2-64k");
    }
  }
  return memory_for(all, config.oversubscription);
}

UvmReport replay(const config::UvmConfig& config, EventSource& source, const ReplayOptions& options) {
  Machine machine(config, options);
  machine.run(source);
  return machine.report();
}

}  // namespace wg::host::uvm
