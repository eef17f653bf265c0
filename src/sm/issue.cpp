// Which warp issues, and what the empty slots before it are blamed on.
#include <algorithm>
#include <bit>

#include "sm/sm.hpp"

namespace wg::sm {
namespace {

Stall pipe_stall(config::Pipe pipe) {
  if (pipe == config::Pipe::lsu) {
    return Stall::lsu_queue;
  }
  return static_cast<Stall>(static_cast<std::uint8_t>(Stall::pipe_fma) + static_cast<std::uint8_t>(pipe));
}

}  // namespace

void Sm::evaluate(std::uint32_t slot, std::uint64_t cycle) {
  Warp& warp = warps_[slot];
  const std::uint64_t bit = std::uint64_t{1} << slot;
  ready_ &= ~bit;
  warp.ready = kPending;
  if (warp.at_barrier || warp.wait_stores || warp.wait_groups >= 0) {
    warp.reason = warp.at_barrier ? Stall::barrier : Stall::membar;
    return;
  }
  if (warp.fetched == kPending) {
    warp.reason = Stall::fetch;
    return;
  }
  std::uint64_t ready = std::max(warp.available, warp.held);
  Stall reason = warp.held_reason;
  if (warp.fetched > ready) {
    ready = warp.fetched;
    reason = Stall::fetch;
  }
  const isa::StaticInst& inst = insts_[warp.next->inst];
  const std::size_t base = std::size_t{slot} * isa::kRegCount;
  const auto wait_for = [&](const isa::RegRange& range, std::uint64_t slack) {
    for (std::size_t r = base + range.first; r < base + range.first + range.count; ++r) {
      const std::uint64_t at = register_ready_[r];
      if (at == kPending) {
        reason = register_reason_[r];
        return false;
      }
      if (at > ready + slack) {
        ready = at - slack;
        reason = register_reason_[r];
      }
    }
    return true;
  };
  // A predicated-off instruction still waits: the predicate is known only when it issues.
  for (const isa::RegRange& range : inst.reads()) {
    if (!wait_for(range, 0)) {
      warp.reason = reason;
      return;
    }
  }
  // In-order write-back: the new result may not overtake the old one.
  const std::uint64_t slack = infos_[warp.next->inst].latency - 1;
  for (const isa::RegRange& range : inst.writes()) {
    if (!wait_for(range, slack)) {
      warp.reason = reason;
      return;
    }
  }
  warp.ready = ready;
  warp.reason = reason;
  if (ready <= cycle) {
    ready_ |= bit;
    SubCore& core = cores_[subcore_of(slot)];
    core.next_try = std::min(core.next_try, cycle);
  } else {
    wheel_.add(slot, ready, cycle);
  }
}

void Sm::try_issue(SubCore& core, std::uint32_t index, std::uint64_t cycle) {
  std::uint64_t candidates = ready_ & core.mask;
  core.next_try = kNever;
  if (candidates == 0) {
    return;
  }
  std::uint64_t soonest = kNever;
  for (std::size_t pipe = 0; pipe < config::kPipes; ++pipe) {
    if (core.free[pipe] > cycle && (candidates & heads_[pipe]) != 0) {
      candidates &= ~heads_[pipe];
      soonest = std::min(soonest, core.free[pipe]);
    }
  }
  if (lsu_.full(index)) {
    candidates &= ~heads_[static_cast<std::size_t>(config::Pipe::lsu)];
  }
  if (candidates == 0) {
    core.next_try = soonest;
    return;
  }
  const std::uint32_t slot = scheduler_->pick(candidates, core.last, age_);
  issue(core, index, slot, cycle);
  core.next_try = cycle + 1;
}

void Sm::issue(SubCore& core, std::uint32_t subcore, std::uint32_t slot, std::uint64_t cycle) {
  Warp& warp = warps_[slot];
  const trace::DynInst dyn = *warp.next;
  const auto active = static_cast<std::uint64_t>(std::popcount(dyn.mask));
  account(core, warp, infos_[dyn.inst], profile_[dyn.inst], cycle);
  ++counters_.warp_instructions;
  counters_.thread_instructions += active;
  counters_.predicated_off_instructions += active == 0 ? 1 : 0;
  ++counters_.classes[static_cast<std::size_t>(insts_[dyn.inst].cls)];
  ++profile_[dyn.inst].issues;
  profile_[dyn.inst].threads += active;
  core.last = slot;
  if (active != 0) {
    execute(core, subcore, slot, dyn, cycle);
  }
  advance(subcore, slot, cycle);
}

void Sm::account(SubCore& core, const Warp& warp, const IssueInfo& info, InstProfile& profile,
                 std::uint64_t cycle) {
  // The empty slots since the last issue are blamed on what kept the warp that ends them.
  std::uint64_t from = core.next_slot;
  if (from < cycle && warp.available > from) {
    const std::uint64_t until = std::min(warp.available, cycle);
    blame_absence(core, from, until);
    from = until;
  }
  if (from < cycle && warp.ready > from) {
    const std::uint64_t until = std::min(warp.ready, cycle);
    counters_.slots[static_cast<std::size_t>(warp.reason)] += until - from;
    from = until;
  }
  const bool lsu = info.pipe == config::Pipe::lsu;
  if (from < cycle && lsu) {
    const std::uint64_t held = lsu_.held().within(from, cycle);
    counters_.slots[static_cast<std::size_t>(Stall::far_fault)] += held;
    from += held;
  }
  if (from < cycle) {
    counters_.slots[static_cast<std::size_t>(pipe_stall(info.pipe))] += cycle - from;
  }
  core.next_slot = cycle + 1;
  core.had_warp = true;

  if (warp.ready > warp.available) {
    profile.stalls[static_cast<std::size_t>(warp.reason)] += warp.ready - warp.available;
  }
  const std::uint64_t ready = std::max(warp.ready, warp.available);
  if (cycle > ready) {
    const std::uint64_t free = core.free[static_cast<std::size_t>(info.pipe)];
    const std::uint64_t busy = lsu ? cycle - ready : std::clamp(free, ready, cycle) - ready;
    const std::uint64_t held = lsu ? lsu_.held().within(ready, cycle) : 0;
    profile.stalls[static_cast<std::size_t>(Stall::far_fault)] += held;
    profile.stalls[static_cast<std::size_t>(pipe_stall(info.pipe))] += busy - held;
    profile.stalls[static_cast<std::size_t>(Stall::not_selected)] += cycle - ready - busy;
  }
}

/// Of the empty slots [from, until) those in which a warp of the sub-core drained. Nothing has issued since
/// `from`, so no warp has begun to.
std::uint64_t Sm::drain_cycles(const SubCore& core, std::uint64_t from, std::uint64_t until) const {
  return (draining_ & core.mask) != 0 ? until - from : std::clamp(core.drained, from, until) - from;
}

/// Empty slots in which the sub-core had no warp to issue from.
void Sm::blame_absence(const SubCore& core, std::uint64_t from, std::uint64_t until) {
  const std::uint64_t launch_end = core.had_warp ? 0 : machine_->launch_costs().kernel_cycles;
  const std::uint64_t launch = std::clamp(launch_end, from, until) - from;
  const std::uint64_t drain = drain_cycles(core, from, until);
  const std::uint64_t faulted = lsu_.waiting().within(from, from + drain);
  counters_.slots[static_cast<std::size_t>(Stall::launch)] += launch;
  counters_.slots[static_cast<std::size_t>(Stall::far_fault)] += faulted;
  counters_.slots[static_cast<std::size_t>(Stall::drain)] += drain - faulted;
  counters_.slots[static_cast<std::size_t>(Stall::no_warp)] += until - from - launch - drain;
}

std::uint32_t Sm::bank_penalty(SubCore& core, std::uint32_t slot, const isa::StaticInst& inst,
                               bool possible) {
  std::uint32_t penalty = possible ? 1 : 0;
  if (possible && machine_->sm.reuse_cache && core.reuse_warp == slot) {
    for (std::size_t i = 0; i < 3; ++i) {
      penalty = core.reuse[i] == inst.src[i].first ? 0 : penalty;
    }
  }
  core.reuse_warp = slot;
  for (std::size_t i = 0; i < 3; ++i) {
    core.reuse[i] = i < inst.src_count ? inst.src[i].first : isa::kRegZero;
  }
  return penalty;
}

void Sm::advance(std::uint32_t subcore, std::uint32_t slot, std::uint64_t cycle) {
  Warp& warp = warps_[slot];
  const std::uint64_t bit = std::uint64_t{1} << slot;
  const isa::StaticInst& before = insts_[warp.next->inst];
  heads_[static_cast<std::size_t>(infos_[warp.next->inst].pipe)] &= ~bit;
  ready_ &= ~bit;
  ++warp.next;
  warp.available = cycle + 1;
  if (warp.next == warp.end) {
    leave(slot, cycle);
    return;
  }
  const isa::StaticInst& after = insts_[warp.next->inst];
  heads_[static_cast<std::size_t>(infos_[warp.next->inst].pipe)] |= bit;
  if (after.pc <= before.pc || after.pc - before.pc > 2 * machine_->icache.inst_bytes) {
    ++counters_.branches_taken;
    warp.held = std::max(warp.held, cycle + 1 + machine_->sm.branch_bubble);
    warp.held_reason = Stall::branch;
  }
  if (fetch_.line_of(after.pc) != fetch_.line_of(before.pc)) {
    warp.fetched = fetch_.access(subcore, slot, after.pc, cycle + 1);
  }
  evaluate(slot, cycle);
}

}  // namespace wg::sm
