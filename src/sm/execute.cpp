// What issued instructions do, and what their completions set free.
#include <algorithm>
#include <bit>

#include "sm/sm.hpp"

namespace wg::sm {

void Sm::execute(SubCore& core, std::uint32_t subcore, std::uint32_t slot, const trace::DynInst& dyn,
                 std::uint64_t cycle) {
  IssueInfo& info = infos_[dyn.inst];
  const isa::StaticInst& inst = insts_[dyn.inst];
  std::uint32_t penalty = 0;
  if (machine_->sm.register_banks > 0) {
    penalty = bank_penalty(core, slot, inst, info.bank_conflict);
    counters_.register_bank_conflicts += penalty;
  }
  if (info.pipe != config::Pipe::none) {
    core.free[static_cast<std::size_t>(info.pipe)] = cycle + info.interval + penalty;
    counters_.pipe_busy[static_cast<std::size_t>(info.pipe)] += info.interval + penalty;
  }
  if (uses_lsu(inst.cls)) {
    execute_memory(subcore, slot, dyn, cycle);
    return;
  }
  switch (inst.cls) {
    case isa::InstClass::barrier:
      execute_barrier(slot, inst, cycle);
      return;
    case isa::InstClass::membar:
      warps_[slot].held = cycle + info.latency;
      warps_[slot].held_reason = Stall::membar;
      warps_[slot].wait_stores = warps_[slot].stores > 0;
      return;
    case isa::InstClass::depbar:
      execute_depbar(slot, inst, cycle);
      return;
    case isa::InstClass::constant:
      set_registers(slot, inst, constant_ready(info, slot, dyn, cycle), Stall::constant);
      return;
    default:
      set_registers(slot, inst, cycle + info.latency + penalty,
                    info.scoreboard ? Stall::scoreboard : Stall::dependence);
  }
}

std::uint64_t Sm::constant_ready(IssueInfo& info, std::uint32_t slot, const trace::DynInst& dyn,
                                 std::uint64_t cycle) {
  bool miss = info.constant_ready == kNever;
  if (dyn.address != trace::DynInst::kNoAddress) {
    const std::uint64_t address = ctas_[warps_[slot].cta].trace.form(dyn).at(0);
    const std::uint64_t line = address / machine_->constant.line.count() * machine_->constant.line.count();
    miss = constants_.lookup(line, 1) == 0;
    constants_.fill(line, 1);
    info.constant_ready = miss ? kNever : 0;
  }
  if (miss) {
    info.constant_ready = cycle + machine_->constant.miss_latency;
    ++counters_.constant_misses;
  }
  return std::max(cycle + machine_->constant.latency, info.constant_ready);
}

void Sm::execute_memory(std::uint32_t subcore, std::uint32_t slot, const trace::DynInst& dyn,
                        std::uint64_t cycle) {
  Warp& warp = warps_[slot];
  const isa::StaticInst& inst = insts_[dyn.inst];
  MemInst mem{.warp = slot,
              .subcore = subcore,
              .inst = dyn.inst,
              .mask = dyn.mask,
              .group = warp.first_group + static_cast<std::uint32_t>(warp.async_groups.size()),
              .info = &inst,
              .has_address = dyn.address != trace::DynInst::kNoAddress,
              .form = {}};
  if (mem.has_address) {
    mem.form = ctas_[warp.cta].trace.form(dyn);
  }
  set_registers(slot, inst, kPending, Stall::memory_l2);
  switch (lsu_.push(mem, cycle)) {
    case CompletionKind::store:
      ++warp.stores;
      break;
    case CompletionKind::async_copy:
      ++warp.async_open;
      ++warp.copies;
      break;
    case CompletionKind::registers:
      ++warp.loads;
      break;
    case CompletionKind::none:
      break;
  }
}

void Sm::execute_barrier(std::uint32_t slot, const isa::StaticInst& inst, std::uint64_t cycle) {
  Warp& warp = warps_[slot];
  Cta& cta = ctas_[warp.cta];
  // The trace keeps the last immediate: a barrier id, or (from 16 on) a thread count whose id is lost.
  const std::uint32_t id = inst.imm >= 0 && inst.imm < 16 ? static_cast<std::uint32_t>(inst.imm) : 0U;
  cta.arrived[id] |= std::uint64_t{1} << slot;
  if (!inst.arrive_only) {
    cta.waiting[id] |= std::uint64_t{1} << slot;
    warp.at_barrier = true;
  }
  release_if_complete(cta, id, cycle);
}

void Sm::release_if_complete(Cta& cta, std::uint32_t id, std::uint64_t cycle) {
  const auto arrived = static_cast<std::uint32_t>(std::popcount(cta.arrived[id]));
  if (arrived == 0 || arrived < cta.live) {
    return;
  }
  std::uint64_t waiting = cta.waiting[id];
  cta.waiting[id] = 0;
  cta.arrived[id] = 0;
  for (; waiting != 0; waiting &= waiting - 1) {
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(waiting));
    Warp& warp = warps_[slot];
    warp.at_barrier = false;
    warp.held = cycle + machine_->timing(isa::InstClass::barrier).latency;
    warp.held_reason = Stall::barrier;
    evaluate(slot, cycle);
  }
}

void Sm::execute_depbar(std::uint32_t slot, const isa::StaticInst& inst, std::uint64_t cycle) {
  Warp& warp = warps_[slot];
  if (inst.group == isa::GroupOp::commit_copy) {
    warp.async_groups.push_back(warp.async_open);
    warp.async_open = 0;
    settle_groups(warp);
  }
  if (inst.group == isa::GroupOp::commit_copy || inst.group == isa::GroupOp::commit_bulk) {
    return;
  }
  warp.held = cycle + machine_->timing(isa::InstClass::depbar).latency;
  warp.held_reason = Stall::membar;
  if (inst.group != isa::GroupOp::wait_copy) {
    return;
  }
  const std::int32_t allowed = std::max(0, inst.imm);
  if (warp.async_groups.size() > static_cast<std::size_t>(allowed)) {
    warp.wait_groups = allowed;
  } else {
    warp.held = std::max(warp.held, warp.async_ready);
  }
}

void Sm::settle_groups(Warp& warp) {
  while (!warp.async_groups.empty() && warp.async_groups.front() == 0) {
    warp.async_groups.erase(warp.async_groups.begin());
    ++warp.first_group;
  }
}

void Sm::apply(const Completion& completion, std::uint64_t cycle) {
  Warp& warp = warps_[completion.warp];
  switch (completion.kind) {
    case CompletionKind::registers:
      --warp.loads;
      set_registers(completion.warp, insts_[completion.inst], completion.cycle, completion.reason);
      break;
    case CompletionKind::store:
      --warp.stores;
      if (warp.wait_stores && warp.stores == 0) {
        warp.wait_stores = false;
        warp.held = cycle + machine_->timing(isa::InstClass::membar).latency;
        warp.held_reason = Stall::membar;
      }
      break;
    case CompletionKind::async_copy:
      --warp.copies;
      if (completion.group - warp.first_group < warp.async_groups.size()) {
        --warp.async_groups[completion.group - warp.first_group];
      } else {
        --warp.async_open;
      }
      settle_groups(warp);
      warp.async_ready = std::max(warp.async_ready, completion.cycle);
      if (warp.wait_groups >= 0 && warp.async_groups.size() <= static_cast<std::size_t>(warp.wait_groups)) {
        warp.wait_groups = -1;
        warp.held = std::max({warp.held, cycle + 1, warp.async_ready});
        warp.held_reason = Stall::membar;
      }
      break;
    case CompletionKind::none:
      break;
  }
  const std::uint64_t bit = std::uint64_t{1} << completion.warp;
  if ((draining_ & bit) != 0) {
    if (warp.loads + warp.stores + warp.copies == 0) {
      draining_ &= ~bit;
      --ctas_[warp.cta].draining;
      cores_[subcore_of(completion.warp)].drained = cycle;
      finish_warp(completion.warp, cycle);
    }
  } else if (warp.ready == kPending) {
    evaluate(completion.warp, cycle);
  }
}

void Sm::set_registers(std::uint32_t slot, const isa::StaticInst& inst, std::uint64_t ready, Stall reason) {
  const std::size_t base = std::size_t{slot} * isa::kRegCount;
  for (const isa::RegRange& range : inst.writes()) {
    for (std::size_t r = base + range.first; r < base + range.first + range.count; ++r) {
      register_ready_[r] = ready;
      register_reason_[r] = reason;
    }
  }
}

}  // namespace wg::sm
