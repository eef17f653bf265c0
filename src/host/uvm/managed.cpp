#include "host/uvm/managed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "mem/messages.hpp"

namespace wg::host::uvm {
namespace {

/// Refuses what only a page stream can have.
void check_parts(const config::UvmConfig& config) {
  std::vector<Problem> problems;
  if (config.remote != "off" || config.counters) {
    problems.push_back({.where = config.counters ? "uvm.counters" : "uvm.remote",
                        .expected = "off in a run: the machine does not time accesses over the link",
                        .found = config.counters ? "true" : config.remote,
                        .advice = "`warpgauge uvm replay` knows remote mappings"});
  }
  if (!problems.empty()) {
    throw Error(std::move(problems));
  }
  refuse_two_sizes(config);
}

Bytes capacity_of(const config::Machine& machine, std::span<const Allocation> allocations) {
  const config::UvmConfig& config = machine.uvm;
  if (config.oversubscription == 0 || allocations.empty()) {
    return config.memory.count() == 0 ? machine.memory : config.memory;
  }
  Memory all(0, counts_in_chunks(config));
  for (const Allocation& range : allocations) {
    all.add_object("", (range.end - range.first) * kPageBytes, range.first * kPageBytes,
                   config.alloc_round == "pow2-64k");
  }
  return memory_for(all, config.oversubscription);
}

}  // namespace

ManagedMemory::ManagedMemory(const config::Machine& machine, std::span<const Allocation> allocations)
    : allocations_(allocations.begin(), allocations.end()),
      driver_((check_parts(machine.uvm),
               std::make_unique<UvmDriver>(machine.uvm, capacity_of(machine, allocations)))),
      loop_(*driver_),
      wire_ps_(machine.xbar.latency * Clock(machine.clock.l2).period_ps()),
      sms_(machine.sm.count) {
  driver_->tell_unmapped();
  for (const Allocation& range : allocations_) {
    driver_->add_object(fmt::format("{:#x}", range.first * kPageBytes),
                        (range.end - range.first) * kPageBytes, range.first * kPageBytes);
  }
}

std::uint32_t ManagedMemory::object_of(std::uint64_t page) const {
  const auto after =
      std::upper_bound(allocations_.begin(), allocations_.end(), page,
                       [](std::uint64_t at, const Allocation& range) { return at < range.first; });
  const bool inside = after != allocations_.begin() && page < (after - 1)->end;
  return inside ? static_cast<std::uint32_t>(after - 1 - allocations_.begin()) : kNone;
}

std::uint64_t ManagedMemory::local(std::uint64_t ps) const { return ps > base_ps_ ? ps - base_ps_ : 0; }

void ManagedMemory::copy(const trace::Copy& copy, std::uint64_t duration_ps) {
  const bool to_device = copy.kind == trace::CopyKind::host_to_device;
  const std::uint64_t bytes = copy.bytes.count();
  if (copy.kind != trace::CopyKind::device_to_device) {
    base_ps_ = std::max(base_ps_, driver_->link_free(to_device)) + duration_ps;
    driver_->link_taken(to_device, base_ps_);
  }
  const std::uint32_t object = to_device && bytes != 0 ? object_of(copy.address / kPageBytes) : kNone;
  if (object != kNone) {
    const std::uint64_t first = copy.address / kPageBytes - allocations_[object].first;
    const std::uint64_t end = (copy.address + bytes - 1) / kPageBytes + 1 - allocations_[object].first;
    driver_->install(object, first, end - first, base_ps_);
  }
}

void ManagedMemory::begin_kernel(const std::string& name, bool cold, mem::PageView& view) {
  if (cold) {
    driver_->empty();
  }
  driver_->kernel(name);
  before_ = driver_->report(base_ps_);
  timeline_.clear();
  pending_.clear();
  head_ = 0;
  due_.clear();
  evicted_ = false;
  sequence_ = 0;
  view.clear();
  const Space& space = memory().space();
  memory().each([&](const ResidentBlock& at) {
    const BlockShape shape = space.shape(at.block);
    for (const PageRun& run : runs_of(at.resident)) {
      view.set(allocations_[shape.object].first + shape.first + run.first, run.count, true);
    }
  });
}

void ManagedMemory::end_kernel(std::uint64_t time_ps, std::uint64_t stalled_ps) {
  base_ps_ += time_ps;
  kernel_stalled_ps_ = stalled_ps;
  stalled_ps_ += stalled_ps;
}

void ManagedMemory::deliver(std::span<const mem::PageEvent> events) {
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  const auto old = static_cast<std::ptrdiff_t>(pending_.size());
  pending_.insert(pending_.end(), events.begin(), events.end());
  std::sort(pending_.begin() + old, pending_.end(), mem::earlier<mem::PageEvent>);
  std::inplace_merge(pending_.begin(), pending_.begin() + old, pending_.end(), mem::earlier<mem::PageEvent>);
}

std::uint64_t ManagedMemory::next_event() const {
  std::uint64_t next = head_ < pending_.size() ? pending_[head_].arrival : kNever;
  if (!due_.empty()) {
    next = std::min(next, local(due_.front().time_ps));
  }
  return loop_.busy() ? std::min(next, local(loop_.next())) : next;
}

void ManagedMemory::run(std::uint64_t until, mem::Outbox<mem::PageReplay>& replays,
                        std::vector<mem::PageChange>& changes) {
  for (std::uint64_t now = next_event(); now < until; now = next_event()) {
    if (head_ < pending_.size() && pending_[head_].arrival == now) {
      take(pending_[head_++]);
    } else if (!due_.empty() && local(due_.front().time_ps) <= now) {
      emit(due_.front(), replays, changes);
      due_.pop_front();
    } else {
      step(now);
    }
  }
}

void ManagedMemory::take(const mem::PageEvent& event) {
  const std::uint32_t object = object_of(event.page);
  const std::uint64_t page = event.page - allocations_[object].first;
  const std::uint64_t now = base_ps_ + event.arrival;
  if (event.fault) {
    driver_->push({now, tick_, page, object, event.write});
    return;
  }
  if (driver_->access(object, page, event.write, tick_, now) != Access::fault) {
    ++tick_;  // otherwise the page has left before the news of its use came
  }
  driver_->waited(object, event.waited_ps);
}

void ManagedMemory::step(std::uint64_t now) {
  const std::uint64_t at = std::max(loop_.next(), base_ps_ + now);
  switch (loop_.step(at)) {
    case ServiceLoop::Step::began:
      schedule(loop_.batch());
      break;
    case ServiceLoop::Step::ended:
      break;
    case ServiceLoop::Step::replay:
      due_.push_back({.time_ps = at, .replay = true, .change = {}});
      break;
  }
}

/// What the batch does to the view. Only what is still there when it ends is shown as come.
void ManagedMemory::schedule(const Batch& batch) {
  timeline_.add(batch, local(batch.start_ps));
  run_timeline_.add(batch, batch.start_ps);
  const auto old = static_cast<std::ptrdiff_t>(due_.size());
  const auto add = [&](const Mapped& run, std::uint64_t first, std::uint64_t count, bool resident) {
    due_.push_back({.time_ps = run.time_ps,
                    .replay = false,
                    .change = {.time_ps = 0,
                               .page = allocations_[run.object].first + first,
                               .count = count,
                               .resident = resident}});
  };
  for (const Mapped& run : batch.unmapped) {
    add(run, run.first, run.count, false);
  }
  const Space& space = memory().space();
  for (const Mapped& run : batch.mapped) {
    const BlockPage at = space.locate(space.objects()[run.object], run.first);
    const PageMask here = memory().resident(at.block) & PageMask::range(at.page, at.page + run.count);
    for (const PageRun& part : runs_of(here)) {
      add(run, space.shape(at.block).first + part.first, part.count, true);
    }
    if (driver_->replay() == Replay::block && run.time_ps < batch.end_ps) {
      due_.push_back({.time_ps = run.time_ps, .replay = true, .change = {}});
    }
  }
  std::stable_sort(due_.begin() + old, due_.end(),
                   [](const Due& a, const Due& b) { return a.time_ps < b.time_ps; });
}

void ManagedMemory::emit(const Due& due, mem::Outbox<mem::PageReplay>& replays,
                         std::vector<mem::PageChange>& changes) {
  const std::uint64_t felt = local(due.time_ps) + wire_ps_;
  if (!due.replay) {
    changes.push_back(due.change);
    changes.back().time_ps = felt;
    evicted_ = evicted_ || !due.change.resident;
    return;
  }
  for (std::uint32_t sm = 0; sm < sms_; ++sm) {
    replays.push(sm, {.arrival = felt, .sequence = sequence_, .evicted = evicted_});
  }
  ++sequence_;
  evicted_ = false;
}

UvmReport ManagedMemory::kernel_report() const {
  UvmReport out = driver_->report(base_ps_).since(before_);
  out.stall_ps = kernel_stalled_ps_;
  out.timeline = timeline_;
  return out;
}

UvmReport ManagedMemory::report() const {
  UvmReport out = driver_->report(base_ps_);
  out.stall_ps = stalled_ps_;
  out.timeline = run_timeline_;
  return out;
}

void ManagedMemory::archive(Archive& archive) {
  driver_->archive(archive);
  archive(base_ps_);
  archive(tick_);
  archive(stalled_ps_);
  std::uint64_t step = run_timeline_.step_ps();
  std::vector<TimelineStep> steps = run_timeline_.steps();
  archive(step);
  archive(steps);
  run_timeline_.assign(step, std::move(steps));
}

}  // namespace wg::host::uvm
