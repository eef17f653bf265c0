#include "sm/sm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

namespace wg::sm {
namespace {

constexpr std::uint32_t kConstantWays = 4;  // Jia et al., Volta and Turing: 4-way first-level constant cache

/// Gives back what the records or the text of a large CTA take beyond need; small ones keep their room for
/// the next CTA.
template <class Container>
void trim(Container& records) {
  constexpr std::size_t kLarge = std::size_t{1} << 16;
  if (records.capacity() > kLarge && records.capacity() > records.size() + records.size() / 4) {
    records.shrink_to_fit();
  }
}

}  // namespace

Sm::Sm(const config::Machine& machine, std::uint32_t index, const mem::AddressMap& map)
    : machine_(&machine),
      clock_(machine.clock.sm),
      wire_ps_(machine.xbar.latency * Clock(machine.clock.l2).period_ps()),
      index_(index),
      subcores_(machine.sm.subcores),
      port_(machine, index, map),
      fetch_(machine, port_, counters_),
      lsu_(machine, index, port_, counters_),
      constants_(machine.constant.l1_size.count() / machine.constant.line.count(), kConstantWays,
                 static_cast<std::uint32_t>(machine.constant.line.count())),
      scheduler_(make_scheduler(machine.sm.scheduler)),
      warps_(machine.sm.max_warps),
      age_(machine.sm.max_warps, 0),
      ctas_(machine.sm.max_ctas),
      cores_(subcores_),
      register_ready_(std::size_t{machine.sm.max_warps} * isa::kRegCount, 0),
      register_reason_(register_ready_.size(), Stall::dependence) {
  for (std::uint32_t slot = 0; slot < machine.sm.max_warps; ++slot) {
    cores_[subcore_of(slot)].mask |= std::uint64_t{1} << slot;
  }
}

void Sm::begin_kernel(const KernelSetup& setup) {
  assert(idle());
  counters_ = {};
  decoder_ = setup.kernel->decoder();
  port_.begin_kernel();
  fetch_.begin_kernel(setup.code);
  lsu_.begin_kernel(setup.kernel->header(), setup.l1_bytes);
  constants_.clear();
  cycle_ = 0;
  live_ = draining_ = ready_ = occupied_ = 0;
  heads_ = {};
  wheel_ = {};
  launches_ = 0;
  for (SubCore& core : cores_) {
    core = {.mask = core.mask, .next_try = kNever};
  }
  infos_.clear();
  profile_.clear();
  constants_seen_ = 0;
  launches_pending_.clear();
  launch_head_ = 0;
  done_sequence_ = 0;
  last_exit_ = residents_since_ = unfinished_warps_ = 0;
}

void Sm::deliver(std::span<const CtaLaunch> launches) {
  // One sender, so messages come in order.
  launches_pending_.erase(launches_pending_.begin(),
                          launches_pending_.begin() + static_cast<std::ptrdiff_t>(launch_head_));
  launch_head_ = 0;
  launches_pending_.insert(launches_pending_.end(), launches.begin(), launches.end());
}

void Sm::deliver(std::span<const mem::PageReplay> replays) {
  replays_pending_.insert(replays_pending_.end(), replays.begin(), replays.end());
}

void Sm::run(std::uint64_t until, mem::Outbox<mem::Request>& requests, mem::Outbox<CtaDone>& done) {
  port_.connect(requests);
  done_out_ = &done;
  for (;;) {
    const std::uint64_t cycle = next_cycle();
    if (cycle == kNever || clock_.to_ps(cycle) >= until) {
      return;
    }
    step(cycle);
    cycle_ = cycle + 1;
  }
}

std::uint64_t Sm::next_event() const {
  const std::uint64_t cycle = next_cycle();
  return cycle == kNever ? kNever : clock_.to_ps(cycle);
}

std::uint64_t Sm::next_cycle() const {
  std::uint64_t next = kNever;
  for (const SubCore& core : cores_) {
    if ((ready_ & core.mask) != 0) {
      next = std::min(next, core.next_try);
    }
  }
  if (next <= cycle_) {
    return cycle_;
  }
  next = std::min({next, wheel_.next(cycle_ - 1), port_.next_cycle(), lsu_.next_cycle(cycle_ - 1)});
  if (launch_head_ < launches_pending_.size()) {
    next = std::min(next, clock_.cycle_at_or_after(launches_pending_[launch_head_].arrival));
  }
  if (!replays_pending_.empty()) {
    next = std::min(next, clock_.cycle_at_or_after(replays_pending_.front().arrival));
  }
  return next == kNever ? kNever : std::max(next, cycle_);
}

bool Sm::idle() const {
  return occupied_ == 0 && lsu_.idle() && fetch_.idle() && launch_head_ == launches_pending_.size();
}

void Sm::step(std::uint64_t cycle) {
  wake(wheel_.take(cycle), cycle);
  while (launch_head_ < launches_pending_.size() &&
         launches_pending_[launch_head_].arrival <= clock_.to_ps(cycle)) {
    accept(launches_pending_[launch_head_++], cycle);
  }
  completions_.clear();
  while (const mem::Reply* reply = port_.receive(cycle)) {
    if (reply->access == mem::Access::instruction) {
      for (std::uint64_t warps = fetch_.reply(*reply, cycle); warps != 0; warps &= warps - 1) {
        const auto slot = static_cast<std::uint32_t>(std::countr_zero(warps));
        if ((live_ >> slot & 1) != 0 && warps_[slot].fetched == kPending) {
          warps_[slot].fetched = cycle + 1;
          evaluate(slot, cycle);
        }
      }
    } else {
      lsu_.reply(*reply, cycle, completions_);
    }
  }
  if (!replays_pending_.empty()) {
    take_replays(cycle);
  }
  const std::uint32_t gained = lsu_.has_work() ? lsu_.run(cycle, completions_) : 0;
  for (const Completion& completion : completions_) {
    apply(completion, cycle);
  }
  for (std::uint32_t i = 0; i < subcores_; ++i) {
    SubCore& core = cores_[i];
    if ((gained >> i & 1) != 0) {
      core.next_try = std::min(core.next_try, cycle);
    }
    if (core.next_try <= cycle) {
      try_issue(core, i, cycle);
    }
  }
}

void Sm::take_replays(std::uint64_t cycle) {
  std::size_t taken = 0;
  while (taken < replays_pending_.size() && replays_pending_[taken].arrival <= clock_.to_ps(cycle)) {
    lsu_.replay(replays_pending_[taken++].evicted, cycle);
  }
  replays_pending_.erase(replays_pending_.begin(),
                         replays_pending_.begin() + static_cast<std::ptrdiff_t>(taken));
}

void Sm::wake(std::uint64_t warps, std::uint64_t cycle) {
  for (; warps != 0; warps &= warps - 1) {
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(warps));
    const Warp& warp = warps_[slot];
    if ((live_ >> slot & 1) == 0 || warp.ready == kPending) {
      continue;
    }
    if (warp.ready > cycle) {
      wheel_.add(slot, warp.ready, cycle);
      continue;
    }
    ready_ |= std::uint64_t{1} << slot;
    SubCore& core = cores_[subcore_of(slot)];
    core.next_try = std::min(core.next_try, cycle);
  }
}

void Sm::count_residents(std::uint64_t cycle) {
  const std::uint64_t span = cycle - residents_since_;
  counters_.warp_cycles += span * static_cast<std::uint64_t>(std::popcount(live_));
  counters_.active_cycles += live_ != 0 ? span : 0;
  residents_since_ = cycle;
}

void Sm::accept(const CtaLaunch& launch, std::uint64_t cycle) {
  const auto free = std::find_if(ctas_.begin(), ctas_.end(), [](const Cta& cta) { return !cta.used; });
  assert(free != ctas_.end());
  Cta& cta = *free;
  decoder_->decode(*launch.blob, cta.trace);
  launch.blob->text.clear();  // decoded: the records are smaller
  trim(launch.blob->text);
  trim(cta.trace.insts);
  trim(cta.trace.addresses);
  extend_tables();
  cta.used = true;
  cta.blob = launch.blob;
  cta.arrived = {};
  cta.waiting = {};
  cta.slots.clear();
  cta.live = static_cast<std::uint32_t>(cta.trace.warps.size());
  count_residents(cycle);
  ++counters_.ctas;
  const auto cta_index = static_cast<std::uint32_t>(free - ctas_.begin());
  std::uint64_t start = cycle + machine_->sm.warp_start;
  for (const trace::WarpTrace& warp : cta.trace.warps) {
    const auto slot = static_cast<std::uint32_t>(std::countr_one(occupied_));
    assert(slot < machine_->sm.max_warps);
    occupied_ |= std::uint64_t{1} << slot;
    cta.slots.push_back(slot);
    Warp& state = warps_[slot];
    state = {};
    state.next = cta.trace.insts.data() + warp.first;
    state.end = state.next + warp.count;
    const bool ends = warp.count == 0 || insts_[(state.end - 1)->inst].cls == isa::InstClass::exit;
    unfinished_warps_ += ends ? 0 : 1;
    state.cta = cta_index;
    state.index = warp.warp;
    age_[slot] = launches_++;
  }
  // Indexed: an empty warp leaves at once and may even complete the CTA.
  for (std::size_t i = 0; i < cta.slots.size(); ++i) {
    live_ |= std::uint64_t{1} << cta.slots[i];
  }
  const std::vector<std::uint32_t> slots = cta.slots;
  for (const std::uint32_t slot : slots) {
    start_warp(slot, cycle, start);
    start += machine_->launch_costs().warp_interval;
  }
}

void Sm::start_warp(std::uint32_t slot, std::uint64_t cycle, std::uint64_t start) {
  Warp& warp = warps_[slot];
  if (warp.next == warp.end) {
    leave(slot, cycle);
    return;
  }
  const std::size_t base = std::size_t{slot} * isa::kRegCount;
  std::fill_n(register_ready_.begin() + static_cast<std::ptrdiff_t>(base), isa::kRegCount, 0);
  warp.available = start;
  warp.fetched = fetch_.access(subcore_of(slot), slot, insts_[warp.next->inst].pc, start);
  heads_[static_cast<std::size_t>(infos_[warp.next->inst].pipe)] |= std::uint64_t{1} << slot;
  evaluate(slot, cycle);
}

void Sm::leave(std::uint32_t slot, std::uint64_t cycle) {
  Warp& warp = warps_[slot];
  Cta& cta = ctas_[warp.cta];
  count_residents(cycle);
  live_ &= ~(std::uint64_t{1} << slot);
  --cta.live;
  for (std::uint32_t id = 0; id < cta.arrived.size() && cta.live > 0; ++id) {
    cta.arrived[id] &= live_;
    cta.waiting[id] &= live_;
    release_if_complete(cta, id, cycle);
  }
  // The hardware frees a warp's registers only when nothing can write or read them any more (Nsight Compute
  // calls the wait "drain").
  if (warp.loads + warp.stores + warp.copies > 0) {
    draining_ |= std::uint64_t{1} << slot;
    ++cta.draining;
    return;
  }
  finish_warp(slot, cycle);
}

/// The warp has exited and nothing of it is under way; its CTA may be complete.
void Sm::finish_warp(std::uint32_t slot, std::uint64_t cycle) {
  Cta& cta = ctas_[warps_[slot].cta];
  if (cta.live + cta.draining > 0) {
    return;
  }
  for (const std::uint32_t taken : cta.slots) {
    occupied_ &= ~(std::uint64_t{1} << taken);
  }
  cta.used = false;
  cta.trace.clear();
  trim(cta.trace.insts);
  trim(cta.trace.addresses);
  last_exit_ = cycle;
  done_out_->push(0, {.arrival = clock_.to_ps(cycle) + wire_ps_,
                      .sequence = done_sequence_++,
                      .source = static_cast<std::uint16_t>(index_),
                      .cycle = cycle,
                      .blob = cta.blob});
}

void Sm::extend_tables() {
  insts_ = decoder_->instructions();
  for (std::size_t i = infos_.size(); i < insts_.size(); ++i) {
    infos_.push_back(issue_info(insts_[i]));
  }
  profile_.resize(insts_.size());
}

Sm::IssueInfo Sm::issue_info(const isa::StaticInst& inst) {
  const config::ClassTiming& timing = machine_->timing(inst.cls);
  IssueInfo info{.pipe = timing.pipe,
                 .scoreboard = timing.scoreboard,
                 .latency = timing.latency,
                 .interval = timing.interval};
  if (inst.cls == isa::InstClass::tensor || inst.cls == isa::InstClass::wgmma) {
    // The machine's rate is for 16-bit inputs; narrower ones go proportionally faster, TF32 at half rate.
    const std::uint64_t bits = std::max<std::uint64_t>(1, inst.tensor_bits);
    const std::uint64_t work = std::max<std::uint64_t>(1, inst.tensor_fma) * bits;
    const std::uint64_t rate = std::uint64_t{16} * machine_->sm.tensor_fma;
    info.interval = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (work + rate - 1) / rate));
    info.latency = info.interval + machine_->sm.tensor_latency;
  } else if (inst.cls == isa::InstClass::constant) {
    // A trace does not say which constant a LDC reads; eight of them are taken to share a cache line.
    info.constant_ready = constants_seen_++ % 8 == 0 ? kNever : 0;
    info.scoreboard = true;
  }
  const std::uint32_t banks = machine_->sm.register_banks;
  if (banks > 0 && inst.src_count >= 3) {
    const auto bank = [&](std::size_t i) { return inst.src[i].first % banks; };
    const auto general = [&](std::size_t i) { return inst.src[i].first < isa::kRegZero; };
    info.bank_conflict = general(0) && general(1) && general(2) && bank(0) == bank(1) && bank(1) == bank(2) &&
                         inst.src[0].first != inst.src[1].first && inst.src[1].first != inst.src[2].first &&
                         inst.src[0].first != inst.src[2].first && !uses_lsu(inst.cls);
  }
  return info;
}

void Sm::flush(std::uint64_t cycle) {
  count_residents(cycle);
  counters_.request_packets = port_.packets_sent();
  counters_.request_bytes = port_.bytes_sent();
  counters_.reply_packets = port_.packets_received();
  counters_.reply_bytes = port_.bytes_received();
}

void Sm::close_slots(std::uint64_t cycle) {
  for (SubCore& core : cores_) {
    if (core.next_slot >= cycle) {
      continue;
    }
    std::uint64_t from = core.next_slot;
    const std::uint64_t here = live_ & core.mask;
    if (here != 0) {  // stopped before its end: blame what the lowest slot waits for
      const Warp& warp = warps_[static_cast<std::size_t>(std::countr_zero(here))];
      const bool data =
          warp.reason == Stall::memory_l2;  // what is on its way counts for the L2 until it is here
      const std::uint64_t faulted = data ? lsu_.waiting().within(from, cycle) : 0;
      counters_.slots[static_cast<std::size_t>(Stall::far_fault)] += faulted;
      counters_.slots[static_cast<std::size_t>(warp.reason)] += cycle - from - faulted;
    } else {
      blame_absence(core, from, cycle);
    }
    core.next_slot = cycle;
  }
  lsu_.close(cycle);
  flush(cycle);
}

std::vector<std::string> Sm::stuck() const {
  std::vector<std::string> out;
  for (std::uint64_t warps = live_; warps != 0; warps &= warps - 1) {
    const Warp& warp = warps_[static_cast<std::size_t>(std::countr_zero(warps))];
    const Cta& cta = ctas_[warp.cta];
    // A barrier or fence has issued, but it is there that its warp waits.
    const bool behind = warp.at_barrier || warp.wait_stores || warp.wait_groups >= 0;
    const std::uint32_t inst = (behind ? warp.next - 1 : warp.next)->inst;
    std::string why = fmt::format("waits for {}", name_of(warp.reason));
    if (warp.at_barrier) {
      for (std::uint32_t id = 0; id < cta.waiting.size(); ++id) {
        if ((cta.waiting[id] & warps & -warps) != 0) {
          why = fmt::format("waits at barrier {} where {} of {} warps have arrived", id,
                            std::popcount(cta.arrived[id]), cta.live);
        }
      }
    } else if (warp.wait_groups >= 0) {
      why = fmt::format("waits until at most {} groups of asynchronous copies are open", warp.wait_groups);
    } else if (warp.wait_stores) {
      why = fmt::format("waits for {} stores to be acknowledged", warp.stores);
    }
    out.push_back(fmt::format("SM {} CTA ({},{},{}) warp {} at pc 0x{:04x} {}: {} (LD/ST unit: {})", index_,
                              cta.trace.index.x, cta.trace.index.y, cta.trace.index.z, warp.index,
                              insts_[inst].pc, decoder_->mnemonic(inst), why, lsu_.state_text()));
  }
  return out;
}

}  // namespace wg::sm
