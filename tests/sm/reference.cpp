// Warps, scoreboard and issue of the naive SM.
#include "reference.hpp"

#include <algorithm>
#include <bit>

namespace wg::sm::test {
namespace {

bool is_memory(const isa::StaticInst& inst) {
  using enum isa::InstClass;
  return inst.cls == load || inst.cls == store || inst.cls == atomic || inst.cls == reduction ||
         inst.cls == ldgsts || inst.cls == ldsm || inst.cls == shuffle || inst.cls == texture;
}

Stall busy_reason(config::Pipe pipe) {
  switch (pipe) {
    case config::Pipe::fma:
      return Stall::pipe_fma;
    case config::Pipe::alu:
      return Stall::pipe_alu;
    case config::Pipe::fp16:
      return Stall::pipe_fp16;
    case config::Pipe::fp64:
      return Stall::pipe_fp64;
    case config::Pipe::xu:
      return Stall::pipe_xu;
    case config::Pipe::tensor:
      return Stall::pipe_tensor;
    case config::Pipe::uniform:
      return Stall::pipe_uniform;
    case config::Pipe::branch:
      return Stall::pipe_branch;
    case config::Pipe::lsu:
      return Stall::lsu_queue;
    default:
      return Stall::not_selected;
  }
}

template <class Array, class Index>
auto& at_enum(Array& array, Index index) {
  return array[static_cast<std::size_t>(index)];
}

}  // namespace

NaiveSm::NaiveSm(const config::Machine& machine, const trace::Kernel& kernel, std::uint64_t l1_bytes,
                 std::uint64_t code)
    : machine_(machine),
      decoder_(kernel.decoder()),
      slots_(machine.sm.max_warps, nullptr),
      cores_(machine.sm.subcores) {
  port_.machine = &machine_;
  fetch_.machine = &machine_;
  fetch_.port = &port_;
  fetch_.counters = &counters_;
  fetch_.code = code;
  fetch_.reset();
  lsu_.machine = &machine_;
  lsu_.port = &port_;
  lsu_.counters = &counters_;
  lsu_.kernel = kernel.header();
  constants_ = NaiveTags(machine.constant.l1_size.count() / machine.constant.line.count(), 4,
                         machine.constant.line.count());
  lsu_.tags = NaiveTags(machine.l1.enabled ? l1_bytes / machine.l1.line.count() : 0, machine.l1.ways,
                        machine.l1.line.count());
}

void NaiveSm::step() {
  while (!launches_.empty() && launches_.front().arrival <= Clock(machine_.clock.sm).to_ps(cycle_)) {
    accept(launches_.front());
    launches_.pop_front();
  }
  std::vector<NaiveResult> results;
  for (const mem::Reply& reply : port_.take(cycle_)) {
    if (reply.access == mem::Access::instruction) {
      for (const std::uint32_t slot : fetch_.reply(reply, cycle_)) {
        in_slot(slot)->fetched = cycle_ + 1;
      }
    } else {
      lsu_.reply(reply, cycle_, results);
    }
  }
  lsu_.serve(cycle_, results);
  for (const NaiveResult& result : results) {
    apply(result);
  }
  for (std::uint32_t i = 0; i < cores_.size(); ++i) {
    issue_one(i);
  }
  counters_.warp_cycles += live_warps();
  counters_.active_cycles += live_warps() > 0 ? 1U : 0U;
  ++cycle_;
}

std::size_t NaiveSm::live_warps() const {
  std::size_t count = 0;
  for (const Warp* warp : slots_) {
    count += warp != nullptr && warp->live ? 1U : 0U;
  }
  return count;
}

bool NaiveSm::idle() const {
  return live_warps() == 0 && launches_.empty() && lsu_.idle() && fetch_.pending.empty() &&
         port_.coming.empty() && port_.arrived.empty();
}

NaiveSm::Warp* NaiveSm::in_slot(std::uint32_t slot) { return slots_[slot]; }

void NaiveSm::accept(const CtaLaunch& launch) {
  ctas_.push_back(std::make_unique<Cta>());
  Cta& cta = *ctas_.back();
  decoder_->decode(*launch.blob, cta.trace);
  cta.blob = launch.blob;
  const std::size_t known = insts_.size();
  insts_.assign(decoder_->instructions().begin(), decoder_->instructions().end());
  for (std::size_t i = known; i < insts_.size(); ++i) {
    // Of the LDCs in the order of their numbers, each eighth is the first in its cache line.
    const auto constants =
        std::count_if(insts_.begin(), insts_.begin() + static_cast<std::ptrdiff_t>(i),
                      [](const isa::StaticInst& inst) { return inst.cls == isa::InstClass::constant; });
    constant_touched_.push_back(insts_[i].cls != isa::InstClass::constant || constants % 8 != 0);
    constant_ready_.push_back(0);
  }
  profile_.resize(insts_.size());
  ++counters_.ctas;
  cta.live = static_cast<std::uint32_t>(cta.trace.warps.size());
  for (const trace::WarpTrace& record : cta.trace.warps) {
    const auto slot =
        static_cast<std::uint32_t>(std::find(slots_.begin(), slots_.end(), nullptr) - slots_.begin());
    all_.push_back(std::make_unique<Warp>());
    Warp& warp = *all_.back();
    warp.serial = serial_++;
    warp.slot = slot;
    warp.cta = &cta;
    warp.next = record.first;
    warp.end = record.first + record.count;
    warp.ready.assign(isa::kRegCount, 0);
    warp.reason.assign(isa::kRegCount, Stall::dependence);
    warp.groups.push_back(0);
    slots_[slot] = &warp;
    cta.warps.push_back(&warp);
  }
  std::uint64_t start = cycle_ + machine_.sm.warp_start;
  for (Warp* warp : cta.warps) {
    if (warp->next == warp->end) {
      leave(*warp);
    } else {
      warp->available = start;
      warp->fetched = fetch_.enter(warp->slot % machine_.sm.subcores, warp->slot,
                                   insts_[cta.trace.insts[warp->next].inst].pc, start);
    }
    start += machine_.launch_costs().warp_interval;
  }
}

NaiveSm::Readiness NaiveSm::readiness(const Warp& warp) const {
  if (warp.barrier >= 0) {
    return {kNever, Stall::barrier};
  }
  if (warp.waits_for_stores || warp.groups_allowed >= 0) {
    return {kNever, Stall::membar};
  }
  if (warp.fetched == kNever) {
    return {kNever, Stall::fetch};
  }
  Readiness ready{std::max(warp.available, warp.held), warp.held_reason};
  const auto consider = [&ready](std::uint64_t cycle, Stall reason) {
    if (cycle > ready.cycle) {
      ready = {cycle, reason};
    }
  };
  consider(warp.fetched, Stall::fetch);
  const isa::StaticInst& inst = insts_[warp.cta->trace.insts[warp.next].inst];
  for (const bool written : {false, true}) {
    for (const isa::RegRange& range : written ? inst.writes() : inst.reads()) {
      for (std::uint16_t r = range.first; r < range.first + range.count; ++r) {
        if (warp.ready[r] == kNever) {
          return {kNever, warp.reason[r]};
        }
        // A result may land in the cycle after an older one of the same register.
        const std::uint64_t early = written ? latency(inst) - 1 : 0;
        consider(warp.ready[r] - std::min(warp.ready[r], early), warp.reason[r]);
      }
    }
  }
  return ready;
}

std::uint32_t NaiveSm::interval(const isa::StaticInst& inst) const {
  if (inst.cls != isa::InstClass::tensor && inst.cls != isa::InstClass::wgmma) {
    return machine_.timing(inst.cls).interval;
  }
  const std::uint64_t bits = std::uint64_t{inst.tensor_fma == 0 ? 1 : inst.tensor_fma} *
                             std::max<std::uint64_t>(1, inst.tensor_bits);
  const std::uint64_t bits_per_cycle = std::uint64_t{16} * machine_.sm.tensor_fma;
  std::uint32_t cycles = 1;
  while (cycles * bits_per_cycle < bits) {
    ++cycles;
  }
  return cycles;
}

std::uint32_t NaiveSm::latency(const isa::StaticInst& inst) const {
  if (inst.cls == isa::InstClass::tensor || inst.cls == isa::InstClass::wgmma) {
    return interval(inst) + machine_.sm.tensor_latency;
  }
  return machine_.timing(inst.cls).latency;
}

void NaiveSm::issue_one(std::uint32_t sub_core) {
  SubCore& core = cores_[sub_core];
  std::vector<Warp*> candidates;
  for (Warp* warp : slots_) {
    if (warp == nullptr || !warp->live || warp->slot % machine_.sm.subcores != sub_core ||
        readiness(*warp).cycle > cycle_) {
      continue;
    }
    const config::Pipe pipe = machine_.timing(insts_[warp->cta->trace.insts[warp->next].inst].cls).pipe;
    if (at_enum(core.free, pipe) <= cycle_ && !(pipe == config::Pipe::lsu && lsu_.full(sub_core))) {
      candidates.push_back(warp);
    }
  }
  if (candidates.empty()) {
    core.empty.push_back({cycle_, drains(sub_core)});
  } else {
    issue(core, sub_core, *pick(candidates, core));
  }
}

NaiveSm::Warp* NaiveSm::pick(const std::vector<Warp*>& candidates, const SubCore& core) const {
  const std::string& policy = machine_.sm.scheduler;
  if (policy == "lrr") {
    for (std::uint32_t step = 1; step <= machine_.sm.max_warps; ++step) {
      for (Warp* warp : candidates) {
        if (warp->slot == (core.last + step) % machine_.sm.max_warps) {
          return warp;
        }
      }
    }
  }
  for (Warp* warp : candidates) {
    if (warp->slot == core.last) {
      return warp;
    }
  }
  const auto by_age = [](const Warp* a, const Warp* b) { return a->serial < b->serial; };
  return policy == "gto" ? *std::min_element(candidates.begin(), candidates.end(), by_age)
                         : *std::max_element(candidates.begin(), candidates.end(), by_age);
}

bool NaiveSm::drains(std::uint32_t sub_core) const {
  for (const Warp* warp : slots_) {
    if (warp != nullptr && !warp->live && warp->open > 0 && warp->slot % machine_.sm.subcores == sub_core) {
      return true;
    }
  }
  return false;
}

Stall NaiveSm::nobody(const SubCore& core, const EmptySlot& slot) const {
  if (!core.had_warp && slot.cycle < machine_.launch_costs().kernel_cycles) {
    return Stall::launch;
  }
  return slot.draining ? Stall::drain : Stall::no_warp;
}

void NaiveSm::account(SubCore& core, const Warp& warp, const Readiness& ready, const isa::StaticInst& inst,
                      InstProfile& profile) {
  const config::Pipe pipe = machine_.timing(inst.cls).pipe;
  for (const EmptySlot& slot : core.empty) {
    Stall reason = busy_reason(pipe);
    if (slot.cycle < warp.available) {
      reason = nobody(core, slot);
    } else if (slot.cycle < ready.cycle) {
      reason = ready.reason;
    }
    ++at_enum(counters_.slots, reason);
  }
  core.empty.clear();
  core.had_warp = true;
  for (std::uint64_t cycle = warp.available; cycle < cycle_; ++cycle) {
    Stall reason = Stall::not_selected;
    if (cycle < ready.cycle) {
      reason = ready.reason;
    } else if (cycle < at_enum(core.free, pipe) || pipe == config::Pipe::lsu) {
      reason = busy_reason(pipe);
    }
    ++at_enum(profile.stalls, reason);
  }
}

void NaiveSm::issue(SubCore& core, std::uint32_t sub_core, Warp& warp) {
  const trace::DynInst dyn = warp.cta->trace.insts[warp.next];
  const isa::StaticInst& inst = insts_[dyn.inst];
  InstProfile& profile = profile_[dyn.inst];
  account(core, warp, readiness(warp), inst, profile);
  std::uint32_t active = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    active += dyn.mask >> lane & 1;
  }
  ++counters_.warp_instructions;
  counters_.thread_instructions += active;
  ++at_enum(counters_.classes, inst.cls);
  ++profile.issues;
  profile.threads += active;
  core.last = warp.slot;
  if (active == 0) {
    ++counters_.predicated_off_instructions;
  } else {
    execute(core, sub_core, warp, dyn);
  }
  ++warp.next;
  warp.available = cycle_ + 1;
  if (warp.next == warp.end) {
    leave(warp);
    return;
  }
  const isa::StaticInst& after = insts_[warp.cta->trace.insts[warp.next].inst];
  const std::uint64_t step = machine_.icache.inst_bytes;
  // Where every few instructions a control word stands, falling through skips one place.
  if (!(after.pc > inst.pc && after.pc <= inst.pc + 2 * step)) {
    ++counters_.branches_taken;
    warp.held = std::max(warp.held, cycle_ + 1 + machine_.sm.branch_bubble);
    warp.held_reason = Stall::branch;
  }
  const std::uint64_t line = machine_.icache.line.count();
  if (inst.pc / line != after.pc / line) {
    warp.fetched = fetch_.enter(sub_core, warp.slot, after.pc, cycle_ + 1);
  }
}

std::uint32_t NaiveSm::bank_penalty(SubCore& core, std::uint32_t slot, const isa::StaticInst& inst) const {
  std::array<std::uint16_t, 3> operands{isa::kRegZero, isa::kRegZero, isa::kRegZero};
  for (std::size_t i = 0; i < 3 && i < inst.src_count; ++i) {
    operands[i] = inst.src[i].first;
  }
  const auto [a, b, c] = operands;
  const std::uint32_t banks = machine_.sm.register_banks;
  bool conflict = !is_memory(inst) && a < isa::kRegZero && b < isa::kRegZero && c < isa::kRegZero && a != b &&
                  b != c && a != c && a % banks == b % banks && b % banks == c % banks;
  if (machine_.sm.reuse_cache && core.reuse_slot == slot) {
    conflict = conflict && a != core.reuse[0] && b != core.reuse[1] && c != core.reuse[2];
  }
  core.reuse_slot = slot;
  core.reuse = operands;
  return conflict ? 1 : 0;
}

void NaiveSm::execute(SubCore& core, std::uint32_t sub_core, Warp& warp, const trace::DynInst& dyn) {
  const isa::StaticInst& inst = insts_[dyn.inst];
  const config::ClassTiming& timing = machine_.timing(inst.cls);
  const std::uint32_t penalty = machine_.sm.register_banks > 0 ? bank_penalty(core, warp.slot, inst) : 0;
  counters_.register_bank_conflicts += penalty;
  if (timing.pipe != config::Pipe::none) {
    at_enum(core.free, timing.pipe) = cycle_ + interval(inst) + penalty;
    at_enum(counters_.pipe_busy, timing.pipe) += interval(inst) + penalty;
  }
  if (is_memory(inst)) {
    execute_access(sub_core, warp, dyn);
  } else if (inst.cls == isa::InstClass::barrier) {
    const int id = inst.imm >= 0 && inst.imm < 16 ? inst.imm : 0;
    if (std::find(warp.arrived.begin(), warp.arrived.end(), id) == warp.arrived.end()) {
      warp.arrived.push_back(id);
    }
    warp.barrier = inst.arrive_only ? -1 : id;
    check_barriers(*warp.cta);
  } else if (inst.cls == isa::InstClass::membar) {
    warp.held = cycle_ + timing.latency;
    warp.held_reason = Stall::membar;
    warp.waits_for_stores = warp.stores > 0;
  } else if (inst.cls == isa::InstClass::depbar) {
    execute_depbar(warp, dyn.inst);
  } else if (inst.cls == isa::InstClass::constant) {
    write(warp, inst, constant_ready(warp, dyn), Stall::constant);
  } else {
    const bool variable = timing.scoreboard;
    write(warp, inst, cycle_ + latency(inst) + penalty, variable ? Stall::scoreboard : Stall::dependence);
  }
}

std::uint64_t NaiveSm::constant_ready(const Warp& warp, const trace::DynInst& dyn) {
  const std::uint64_t hit = cycle_ + machine_.constant.latency;
  const std::uint64_t miss = cycle_ + machine_.constant.miss_latency;
  if (dyn.address != trace::DynInst::kNoAddress) {
    const std::uint64_t bytes = machine_.constant.line.count();
    const std::uint64_t line = warp.cta->trace.form(dyn).at(0) / bytes * bytes;
    const bool found = constants_.lookup(line, 1) != 0;
    constants_.fill(line, 1);
    counters_.constant_misses += found ? 0U : 1U;
    return found ? hit : std::max(hit, miss);
  }
  if (!constant_touched_[dyn.inst]) {
    constant_touched_[dyn.inst] = true;
    constant_ready_[dyn.inst] = miss;
    ++counters_.constant_misses;
  }
  return std::max(hit, constant_ready_[dyn.inst]);
}

void NaiveSm::write(Warp& warp, const isa::StaticInst& inst, std::uint64_t ready, Stall reason) {
  for (const isa::RegRange& range : inst.writes()) {
    for (std::uint16_t r = range.first; r < range.first + range.count; ++r) {
      warp.ready[r] = ready;
      warp.reason[r] = reason;
    }
  }
}

void NaiveSm::execute_access(std::uint32_t sub_core, Warp& warp, const trace::DynInst& dyn) {
  auto access = std::make_shared<NaiveAccess>();
  access->warp = warp.serial;
  access->slot = warp.slot;
  access->sub_core = sub_core;
  access->inst = dyn.inst;
  access->info = insts_[dyn.inst];
  access->group = static_cast<std::uint32_t>(warp.groups.size() - 1);
  access->issued = cycle_;
  write(warp, access->info, kNever, Stall::memory_l2);
  lsu_.push(access, dyn, warp.cta->trace);
  const bool on_chip = access->kind == NaiveAccess::Kind::fixed || access->kind == NaiveAccess::Kind::shared;
  warp.open += on_chip && access->info.dst_count == 0 ? 0U : 1U;
  if (access->writes()) {
    ++warp.stores;
  }
  if (access->kind == NaiveAccess::Kind::async_copy) {
    ++warp.groups.back();
  }
}

std::size_t NaiveSm::open_groups(const Warp& warp) const {
  // Groups close in order: one with nothing outstanding stays open behind an older one that waits.
  std::size_t oldest = 0;
  while (oldest + 1 < warp.groups.size() && warp.groups[oldest] == 0) {
    ++oldest;
  }
  return warp.groups.size() - 1 - oldest;
}

void NaiveSm::execute_depbar(Warp& warp, std::uint32_t inst) {
  const isa::GroupOp group = insts_[inst].group;
  if (group == isa::GroupOp::commit_copy) {
    warp.groups.push_back(0);
  }
  if (group == isa::GroupOp::commit_copy || group == isa::GroupOp::commit_bulk) {
    return;
  }
  warp.held = cycle_ + machine_.timing(isa::InstClass::depbar).latency;
  warp.held_reason = Stall::membar;
  if (group != isa::GroupOp::wait_copy) {
    return;
  }
  const int allowed = std::max(0, insts_[inst].imm);
  if (open_groups(warp) > static_cast<std::size_t>(allowed)) {
    warp.groups_allowed = allowed;
  } else {
    warp.held = std::max(warp.held, warp.copies_there);
  }
}

void NaiveSm::apply(const NaiveResult& result) {
  Warp& warp = *all_[result.access->warp];
  --warp.open;
  if (!warp.live) {
    finish_cta(*warp.cta);
    return;
  }
  if (result.access->writes()) {
    --warp.stores;
    if (warp.waits_for_stores && warp.stores == 0) {
      warp.waits_for_stores = false;
      warp.held = cycle_ + machine_.timing(isa::InstClass::membar).latency;
      warp.held_reason = Stall::membar;
    }
  } else if (result.access->kind == NaiveAccess::Kind::async_copy) {
    --warp.groups[result.access->group];
    warp.copies_there = std::max(warp.copies_there, result.ready);
    if (warp.groups_allowed >= 0 && open_groups(warp) <= static_cast<std::size_t>(warp.groups_allowed)) {
      warp.groups_allowed = -1;
      warp.held = std::max({warp.held, cycle_ + 1, warp.copies_there});
      warp.held_reason = Stall::membar;
    }
  } else {
    write(warp, result.access->info, result.ready, result.reason);
  }
}

void NaiveSm::check_barriers(Cta& cta) {
  for (int id = 0; id < 16; ++id) {
    std::uint32_t arrived = 0;
    for (const Warp* warp : cta.warps) {
      const bool here = std::find(warp->arrived.begin(), warp->arrived.end(), id) != warp->arrived.end();
      arrived += warp->live && here ? 1U : 0U;
    }
    if (arrived == 0 || arrived < cta.live) {
      continue;
    }
    for (Warp* warp : cta.warps) {
      std::erase(warp->arrived, id);
      if (warp->barrier == id) {
        warp->barrier = -1;
        warp->held = cycle_ + machine_.timing(isa::InstClass::barrier).latency;
        warp->held_reason = Stall::barrier;
      }
    }
  }
}

void NaiveSm::leave(Warp& warp) {
  warp.live = false;
  Cta& cta = *warp.cta;
  --cta.live;
  if (cta.live > 0) {
    check_barriers(cta);
  }
  finish_cta(cta);
}

/// Frees the CTA once its warps have exited and their accesses are over.
void NaiveSm::finish_cta(Cta& cta) {
  for (const Warp* member : cta.warps) {
    if (member->live || member->open > 0) {
      return;
    }
  }
  for (const Warp* member : cta.warps) {
    slots_[member->slot] = nullptr;
  }
  last_exit_ = cycle_;
  done_.push_back({.arrival = Clock(machine_.clock.sm).to_ps(cycle_) +
                              machine_.xbar.latency * Clock(machine_.clock.l2).period_ps(),
                   .sequence = done_sequence_++,
                   .cycle = cycle_,
                   .blob = cta.blob});
}

void NaiveSm::close(std::uint64_t end) {
  for (std::uint32_t i = 0; i < cores_.size(); ++i) {
    SubCore& core = cores_[i];
    for (std::uint64_t cycle = cycle_; cycle < end; ++cycle) {
      core.empty.push_back({cycle, drains(i)});
    }
    const Warp* first = nullptr;
    for (const Warp* warp : slots_) {
      if (first == nullptr && warp != nullptr && warp->live && warp->slot % machine_.sm.subcores == i) {
        first = warp;
      }
    }
    for (const EmptySlot& slot : core.empty) {
      if (slot.cycle < end) {
        ++at_enum(counters_.slots, first != nullptr ? readiness(*first).reason : nobody(core, slot));
      }
    }
    core.empty.clear();
  }
  counters_.request_packets = port_.packets_out;
  counters_.request_bytes = port_.bytes_out;
  counters_.reply_packets = port_.packets_in;
  counters_.reply_bytes = port_.bytes_in;
}

}  // namespace wg::sm::test
