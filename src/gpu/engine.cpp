#include "gpu/engine.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <ctime>

#include "base/error.hpp"
#include "host/cdma/copy.hpp"

namespace wg::gpu {
namespace {

constexpr std::uint64_t kCodeRegion = std::uint64_t{0x70} << 40;  // where kernels' code is laid out
constexpr std::uint32_t kPollEpochs = 64;

/// Processor time of this thread: what other programs take does not count.
std::uint64_t thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

// The same function always lies in the same place; functions of different names as a rule in different ones.
std::uint64_t code_address(const std::string& name) {
  return kCodeRegion + ((XXH3_64bits(name.data(), name.size()) & 0xFFFFF) << 20);
}

}  // namespace

Engine::Engine(const config::Machine& machine, std::uint32_t threads, std::uint64_t epoch_ps,
               std::span<const host::uvm::Allocation> allocations)
    : machine_(machine),
      clock_(machine.clock.sm),
      epoch_ps_(machine.xbar.latency * Clock(machine.clock.l2).period_ps()),
      map_(machine_),
      dispatcher_(machine_),
      pool_(std::min(threads, machine.sm.count + machine.dram.channels + 1)) {
  if (epoch_ps != 0) {
    epoch_ps_ = std::min(epoch_ps_, epoch_ps);
  }
  const std::size_t sm_count = machine_.sm.count;
  const std::size_t channels = machine_.dram.channels;
  for (std::uint32_t i = 0; i < sm_count; ++i) {
    sms_.push_back(std::make_unique<sm::Sm>(machine_, i, map_));
  }
  for (std::uint32_t i = 0; i < channels; ++i) {
    partitions_.emplace_back(machine_, i);
  }
  for (std::size_t parity = 0; parity < 2; ++parity) {
    launches_[parity] = mem::Outbox<sm::CtaLaunch>(sm_count);
    done_[parity].assign(sm_count, mem::Outbox<sm::CtaDone>(1));
    requests_[parity].assign(sm_count, mem::Outbox<mem::Request>(channels));
    replies_[parity].assign(channels, mem::Outbox<mem::Reply>(sm_count));
  }
  if (machine_.uvm.enable) {
    machine_.uvm = host::cdma::uvm_of(machine_);
    managed_ = std::make_unique<host::uvm::ManagedMemory>(machine_, allocations);
    for (const host::uvm::Allocation& range : allocations) {
      view_.manage(range.first, range.end);
    }
    for (const std::unique_ptr<sm::Sm>& sm : sms_) {
      sm->watch(&view_);
    }
    for (std::size_t parity = 0; parity < 2; ++parity) {
      page_events_[parity].assign(sm_count, mem::Outbox<mem::PageEvent>(1));
      page_replays_[parity] = mem::Outbox<mem::PageReplay>(sm_count);
    }
    replay_inbox_.resize(sm_count);
  }
  next_.assign(1 + sm_count + channels + (managed_ ? 1 : 0), kNever);
  sm_marks_.assign((sm_count + 63) / 64, 0);
  partition_marks_.assign((channels + 63) / 64, 0);
  request_inbox_.resize(channels);
  reply_inbox_.resize(sm_count);
  launch_inbox_.resize(sm_count);
}

void Engine::begin(const trace::Kernel& kernel, const dispatch::Fit& fit, bool cold) {
  const sm::KernelSetup setup{
      .kernel = &kernel, .l1_bytes = fit.l1_bytes, .code = code_address(kernel.header().name)};
  for (const std::unique_ptr<sm::Sm>& sm : sms_) {
    sm->begin_kernel(setup);
  }
  for (mem::Partition& partition : partitions_) {
    partition.begin_kernel(cold);
  }
  if (managed_) {
    managed_->begin_kernel(kernel.header().name, cold, view_);
  }
  dispatcher_.begin_kernel(kernel, fit);
  std::fill(next_.begin(), next_.end(), kNever);
  next_[0] = 0;
  ran_.clear();
  host_ran_ = false;
}

void Engine::find_awake(std::uint64_t until) {
  // Whoever got a message in the last epoch must take it; the others only run when something is due.
  const std::uint32_t last = parity_ ^ 1U;
  std::fill(sm_marks_.begin(), sm_marks_.end(), 0);
  std::fill(partition_marks_.begin(), partition_marks_.end(), 0);
  bool completions = false;
  for (const std::uint32_t process : ran_) {
    if (process == 0) {
      launches_[last].mark_receivers(sm_marks_);
    } else if (process <= sms_.size()) {
      requests_[last][process - 1].mark_receivers(partition_marks_);
      completions = completions || done_[last][process - 1].any();
    } else {
      replies_[last][process - 1 - sms_.size()].mark_receivers(sm_marks_);
    }
  }
  if (host_ran_) {
    page_replays_[last].mark_receivers(sm_marks_);
  }
  awake_.clear();
  if (completions || next_[0] < until) {
    awake_.push_back(0);
  }
  add_awake(1, sm_marks_, sms_.size(), until);
  add_awake(1 + sms_.size(), partition_marks_, partitions_.size(), until);
  if (managed_ && host_awake(until)) {
    awake_.push_back(static_cast<std::uint32_t>(next_.size() - 1));
  }
}

/// Of `count` processes from `first` on those that are marked or have something due. Most sleep, so they are
/// asked 64 at a time and without branches.
void Engine::add_awake(std::size_t first, std::span<const std::uint64_t> marks, std::size_t count,
                       std::uint64_t until) {
  for (std::size_t base = 0; base < count; base += 64) {
    std::uint64_t awake = marks[base / 64];
    const std::uint64_t* const next = &next_[first + base];
    const std::size_t here = std::min<std::size_t>(64, count - base);
    for (std::size_t i = 0; i < here; ++i) {
      awake |= std::uint64_t{next[i] < until} << i;
    }
    for (; awake != 0; awake &= awake - 1) {
      awake_.push_back(static_cast<std::uint32_t>(first + base) +
                       static_cast<std::uint32_t>(std::countr_zero(awake)));
    }
  }
}

bool Engine::host_awake(std::uint64_t until) const {
  const std::vector<mem::Outbox<mem::PageEvent>>& events = page_events_[parity_ ^ 1U];
  return next_.back() < until ||
         std::any_of(
             ran_.begin(), ran_.end(),
             [&](std::uint32_t process) {
               return process > 0 && process <= sms_.size() && events[process - 1].any();
             });
}

namespace {

/// What all `senders` have for one receiver.
template <class Senders, class Inbox>
void collect(Senders& senders, std::size_t receiver, Inbox& inbox) {
  inbox.clear();
  for (auto& sender : senders) {
    if (sender.has(receiver)) {
      sender.drain(receiver, inbox);
    }
  }
}

}  // namespace

void Engine::run_host(std::uint64_t until) {
  collect(page_events_[parity_ ^ 1U], 0, event_inbox_);
  managed_->deliver(event_inbox_);
  page_replays_[parity_].forget_marks();
  managed_->run(until, page_replays_[parity_], page_changes_);
  next_.back() = managed_->next_event();
}

void Engine::run_process(std::size_t process, std::uint64_t until) {
  const std::uint32_t last = parity_ ^ 1U;
  if (process == 0) {
    collect(done_[last], 0, done_inbox_);
    dispatcher_.deliver(done_inbox_);
    launches_[parity_].forget_marks();
    dispatcher_.run(until, launches_[parity_]);
    next_[0] = dispatcher_.next_event();
    return;
  }
  if (process <= sms_.size()) {
    const std::size_t i = process - 1;
    sm::Sm& sm = *sms_[i];
    collect(replies_[last], i, reply_inbox_[i]);
    sm.deliver(reply_inbox_[i]);
    if (launches_[last].has(i)) {
      launch_inbox_[i].clear();
      launches_[last].drain(i, launch_inbox_[i]);
      sm.deliver(launch_inbox_[i]);
    }
    if (managed_) {
      if (page_replays_[last].has(i)) {
        replay_inbox_[i].clear();
        page_replays_[last].drain(i, replay_inbox_[i]);
        sm.deliver(replay_inbox_[i]);
      }
      page_events_[parity_][i].forget_marks();
      sm.connect(page_events_[parity_][i]);
    }
    requests_[parity_][i].forget_marks();
    done_[parity_][i].forget_marks();
    sm.run(until, requests_[parity_][i], done_[parity_][i]);
    next_[process] = sm.next_event();
    return;
  }
  const std::size_t i = process - 1 - sms_.size();
  if (i == partitions_.size()) {
    run_host(until);
    return;
  }
  collect(requests_[last], i, request_inbox_[i]);
  partitions_[i].deliver(request_inbox_[i]);
  replies_[parity_][i].forget_marks();
  partitions_[i].run(until, replies_[parity_][i]);
  next_[process] = partitions_[i].next_event();
}

void Engine::run_epoch(std::uint64_t until) {
  find_awake(until);
  pool_.run(awake_.size(), [this, until](std::size_t i) { run_process(awake_[i], until); });
  note_ran();
}

void Engine::note_ran() {
  ran_ = awake_;
  if (managed_) {
    host_ran_ = !ran_.empty() && ran_.back() + 1 == next_.size();
    if (host_ran_) {
      ran_.pop_back();
    }
    view_.add(page_changes_);
    page_changes_.clear();
  }
}

void Engine::run_epoch_timed(std::uint64_t until) {
  const std::uint64_t start = thread_ns();
  find_awake(until);
  piece_ns_.clear();
  std::uint64_t before = thread_ns();
  std::uint64_t around = before - start;
  for (const std::uint32_t process : awake_) {
    run_process(process, until);
    const std::uint64_t after = thread_ns();
    piece_ns_.push_back(static_cast<std::uint32_t>(after - before));
    before = after;
  }
  note_ran();
  static_cast<void>(next_time());  // the caller asks again; here it is timed
  around += thread_ns() - before;
  split_->add(piece_ns_, around, Pool::kWorthSharing);
}

std::uint64_t Engine::next_time() const {
  std::uint64_t next = kNever;
  for (const std::uint64_t event : next_) {
    next = std::min(next, event);
  }
  for (const std::uint32_t process : ran_) {
    if (process == 0) {
      next = std::min(next, launches_[parity_].earliest());
    } else if (process <= sms_.size()) {
      next = std::min(
          {next, requests_[parity_][process - 1].earliest(), done_[parity_][process - 1].earliest()});
    } else {
      next = std::min(next, replies_[parity_][process - 1 - sms_.size()].earliest());
    }
  }
  return managed_ ? std::min(next, next_page_message()) : next;
}

std::uint64_t Engine::next_page_message() const {
  std::uint64_t next = host_ran_ ? page_replays_[parity_].earliest() : kNever;
  for (const std::uint32_t process : ran_) {
    if (process > 0 && process <= sms_.size()) {
      next = std::min(next, page_events_[parity_][process - 1].earliest());
    }
  }
  return next;
}

MachineCounters Engine::sum() const {
  MachineCounters total;
  for (const std::unique_ptr<sm::Sm>& sm : sms_) {
    total.sm.add(sm->counters());
  }
  for (const mem::Partition& partition : partitions_) {
    add_counters<mem::PartitionCounters>(total.mem, partition.counters(), mem::PartitionCounters::fields());
  }
  return total;
}

std::uint64_t Engine::warp_instructions() const {
  std::uint64_t sum = 0;
  for (const std::unique_ptr<sm::Sm>& sm : sms_) {
    sum += sm->counters().warp_instructions;
  }
  return sum;
}

std::uint64_t Engine::time_of(std::uint64_t cycles) const {
  return cycles > kNever / clock_.period_ps() ? kNever : clock_.to_ps(cycles);
}

bool Engine::drained() const {
  std::uint64_t started = 0;
  bool idle = dispatcher_.all_placed();
  for (const std::unique_ptr<sm::Sm>& sm : sms_) {
    started += sm->counters().ctas;
    idle = idle && sm->idle();
  }
  return idle && started == dispatcher_.placed();
}

void Engine::check_finished(const trace::Kernel& kernel) const {
  std::vector<Problem> problems;
  for (const std::unique_ptr<sm::Sm>& sm : sms_) {
    for (const std::string& line : sm->stuck()) {
      problems.push_back({.where = line});
    }
  }
  if (problems.empty() && dispatcher_.finished()) {
    return;
  }
  constexpr std::size_t kShown = 20;
  const std::size_t more = problems.size() > kShown ? problems.size() - kShown : 0;
  problems.resize(std::min(problems.size(), kShown));
  if (more > 0) {
    problems.push_back({.where = fmt::format("... and {} more warps", more)});
  }
  problems.insert(
      problems.begin(),
      {.where = fmt::format("kernel {} ({}): nothing can ever happen again; {} of {} CTAs are done",
                            kernel.header().id, kernel.header().name, dispatcher_.completed(),
                            kernel.header().grid.count())});
  throw Error(std::move(problems), ExitCode::deadlock);
}

KernelRun Engine::run_kernel(const trace::Kernel& kernel, bool cold, const KernelLimits& limits) {
  KernelRun run;
  run.fit = dispatch::fit(machine_, kernel.header());
  for (mem::Partition& partition : partitions_) {
    partition.clear_counters();
  }
  begin(kernel, run.fit, cold);
  begin_copies(limits.copies);
  std::uint64_t limit = limits.max_cycles == 0 ? kNever : time_of(limits.max_cycles);
  const std::uint64_t interval = time_of(limits.interval_cycles);
  std::uint64_t boundary = interval == 0 ? kNever : interval;
  std::uint32_t epochs = 0;
  for (std::uint64_t now = 0; now != kNever;) {
    for (; boundary <= now && boundary != kNever; boundary += interval) {
      for (const std::unique_ptr<sm::Sm>& sm : sms_) {
        sm->flush(boundary / clock_.period_ps());
      }
      run.intervals.push_back(sum());
    }
    if (now >= limit && drained()) {
      limit = kNever;  // only memory has something left to do
    }
    if (now >= limit) {
      run.end = KernelEnd::limit;
      break;
    }
    if (limits.poll && ++epochs % kPollEpochs == 0 &&
        !limits.poll(now / clock_.period_ps(), dispatcher_.completed(), warp_instructions())) {
      run.end = KernelEnd::interrupted;
      run.cycles = (now + clock_.period_ps() - 1) / clock_.period_ps();  // those that the SMs have made
      break;
    }
    const std::uint64_t until = std::min({now + epoch_ps_, boundary, limit});
    if (managed_) {
      view_.settle(now);
    }
    split_ == nullptr ? run_epoch(until) : run_epoch_timed(until);
    const std::uint64_t next = next_time();
    parity_ ^= 1U;
    now = next == kNever ? kNever : std::max(until, next);
  }
  if (run.end == KernelEnd::finished) {
    check_finished(kernel);
    for (const std::unique_ptr<sm::Sm>& sm : sms_) {
      run.cycles = std::max(run.cycles, sm->last_activity() + 1);
    }
  } else if (run.end == KernelEnd::limit) {
    run.cycles = limits.max_cycles;
  }
  for (const std::unique_ptr<sm::Sm>& sm : sms_) {
    sm->close_slots(run.cycles);
  }
  run.counters = sum();
  if (managed_) {
    end_managed(run);
  }
  run.copies = ends_of(limits.copies.size());
  return run;
}

void Engine::end_managed(KernelRun& run) {
  const std::uint64_t lost = run.counters.sm.slots[static_cast<std::size_t>(sm::Stall::far_fault)];
  const std::uint64_t slots = std::uint64_t{machine_.sm.count} * machine_.sm.subcores;
  managed_->end_kernel(time_of(run.cycles), time_of(lost / slots));
  run.uvm = managed_->kernel_report();
}

std::optional<host::uvm::UvmReport> Engine::uvm() const {
  return managed_ ? std::optional(managed_->report()) : std::nullopt;
}

void Engine::copied(const trace::Copy& copy, std::uint64_t duration_ps) {
  if (managed_) {
    managed_->copy(copy, duration_ps);
  }
}

void Engine::begin_copies(std::span<const mem::CopyRead> copies) {
  if (copies.empty()) {
    return;
  }
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    partitions_[i].read_beside(copies);
    next_[1 + sms_.size() + i] = partitions_[i].next_event();
  }
}

std::vector<mem::CopyReadEnd> Engine::ends_of(std::size_t copies) const {
  std::vector<mem::CopyReadEnd> ends(copies);
  for (const mem::Partition& partition : partitions_) {
    const std::span<const mem::CopyReadEnd> part = partition.read_beside_ends();
    for (std::size_t i = 0; i < part.size(); ++i) {
      ends[i].end_ps = std::max(ends[i].end_ps, part[i].end_ps);
      ends[i].read_bytes += part[i].read_bytes;
    }
  }
  return ends;
}

DramTraffic Engine::copy(const trace::Copy& copy) {
  DramTraffic traffic;
  for (mem::Partition& partition : partitions_) {
    const mem::PartitionCounters before = partition.counters();
    if (copy.kind == trace::CopyKind::device_to_host) {
      partition.read_out(copy.address, copy.bytes.count());
    } else {
      partition.install(copy.address, copy.bytes.count());
    }
    traffic.read += partition.counters().dram_read_bytes - before.dram_read_bytes;
    traffic.written += partition.counters().dram_write_bytes - before.dram_write_bytes;
  }
  return traffic;
}

std::vector<std::uint8_t> Engine::save() {
  std::vector<std::uint8_t> state;
  for (const mem::Partition& partition : partitions_) {
    partition.save(state);
  }
  if (managed_) {
    Archive archive(state);
    managed_->archive(archive);
  }
  return state;
}

void Engine::load(std::span<const std::uint8_t> state) {
  for (mem::Partition& partition : partitions_) {
    state = state.subspan(partition.load(state));
  }
  if (managed_) {
    Archive archive(state);
    managed_->archive(archive);
    state = archive.rest();
  }
  if (!state.empty()) {
    throw Error({.where = "saved state",
                 .expected = fmt::format("the state of {} memory partitions", partitions_.size()),
                 .found = fmt::format("{} bytes more", state.size())});
  }
}

}  // namespace wg::gpu
