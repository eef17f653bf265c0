#include "sm/lsu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace wg::sm {
namespace {

constexpr std::uint64_t kLocalRegion = std::uint64_t{0x60} << 40;  // where local memory is laid out
constexpr std::uint64_t kLocalPerWarp = std::uint64_t{1} << 24;    // 512 KiB a thread

Stall reason_of(mem::Level level) {
  switch (level) {
    case mem::Level::l1:
      return Stall::memory_l1;
    case mem::Level::l2:
      return Stall::memory_l2;
    case mem::Level::dram:
      return Stall::memory_dram;
  }
  return Stall::memory_dram;
}

bool writes_memory(const isa::StaticInst& info) {
  return info.cls == isa::InstClass::store || info.cls == isa::InstClass::reduction;
}

bool is_atomic(const isa::StaticInst& info) {
  return info.cls == isa::InstClass::atomic || info.cls == isa::InstClass::reduction;
}

}  // namespace

bool uses_lsu(isa::InstClass cls) {
  switch (cls) {
    case isa::InstClass::load:
    case isa::InstClass::store:
    case isa::InstClass::atomic:
    case isa::InstClass::reduction:
    case isa::InstClass::ldgsts:
    case isa::InstClass::ldsm:
    case isa::InstClass::shuffle:
    case isa::InstClass::texture:
      return true;
    default:
      return false;
  }
}

LoadStoreUnit::LoadStoreUnit(const config::Machine& machine, std::uint32_t sm, Port& port,
                             SmCounters& counters)
    : machine_(&machine),
      clock_(machine.clock.sm),
      sm_(sm),
      geometry_{static_cast<std::uint32_t>(machine.l2.line.count()),
                static_cast<std::uint32_t>(machine.l2.sector.count())},
      queue_limit_(machine.l1.queue),
      allocate_on_miss_(machine.l1.allocation == "on-miss"),
      port_(&port),
      pages_(machine, sm),
      counters_(&counters),
      tags_(0, machine.l1.ways, geometry_.line),
      mshrs_(machine.l1.mshrs),
      ring_(std::size_t{machine.l1.queue} * machine.sm.subcores),
      queued_(machine.sm.subcores, 0) {}

void LoadStoreUnit::begin_kernel(const trace::KernelHeader& kernel, std::uint64_t l1_bytes) {
  kernel_ = kernel;
  const std::uint64_t lines = machine_->l1.enabled ? l1_bytes / geometry_.line : 0;
  const std::uint64_t usable = lines / machine_->l1.ways * machine_->l1.ways;
  if (usable == tags_.lines()) {
    tags_.clear();
  } else {
    tags_ = mem::SectorTags(usable, machine_->l1.ways, geometry_.line);
  }
  head_ = count_ = 0;
  free_ = 0;
  blocked_ = false;
  blocked_by_ = Block::none;
  held_.clear();
  waiting_.clear();
  pages_.begin_kernel();
}

isa::Space LoadStoreUnit::resolve(const MemInst& inst, std::uint64_t& window) const {
  window = 0;
  if (inst.info->space != isa::Space::generic) {
    return inst.info->space;
  }
  const std::uint64_t address = inst.form.at(0);
  if (address - kernel_.shared_base < trace::KernelHeader::kWindowBytes) {
    window = kernel_.shared_base;
    return isa::Space::shared;
  }
  if (address - kernel_.local_base < trace::KernelHeader::kWindowBytes) {
    window = kernel_.local_base;
    return isa::Space::local;
  }
  return isa::Space::global;
}

CompletionKind LoadStoreUnit::push(const MemInst& inst, std::uint64_t cycle) {
  Entry& entry = slot(static_cast<std::uint32_t>(count_));
  ++count_;
  ++queued_[inst.subcore];
  entry.inst = inst;
  entry.ready = cycle + 1;
  entry.passes = 1;
  entry.conflicts = 0;
  entry.next_line = 0;
  entry.operation = kNone;
  entry.local = false;
  classify(entry);
  entry.inst.form = {};  // what these point to may move while the entry waits
  entry.inst.info = nullptr;
  const bool on_chip = entry.kind == Kind::fixed || entry.kind == Kind::shared;
  return on_chip && !entry.answers ? CompletionKind::none : completion_of(entry.kind);
}

CompletionKind LoadStoreUnit::completion_of(Kind kind) {
  switch (kind) {
    case Kind::store:
    case Kind::reduction:
      return CompletionKind::store;
    case Kind::async_copy:
      return CompletionKind::async_copy;
    default:
      return CompletionKind::registers;
  }
}

void LoadStoreUnit::classify(Entry& entry) {
  const MemInst& inst = entry.inst;
  const isa::StaticInst& info = *inst.info;
  entry.lines.clear();
  if (!inst.has_address || info.cls == isa::InstClass::shuffle || info.width == 0) {
    classify_fixed(entry);
    return;
  }
  std::uint64_t window = 0;
  const isa::Space space = resolve(inst, window);
  if (space == isa::Space::shared && info.cls != isa::InstClass::ldgsts) {
    classify_shared(entry, window);
    return;
  }
  if (is_atomic(info)) {
    entry.kind = info.cls == isa::InstClass::atomic ? Kind::atomic : Kind::reduction;
    ++counters_->atomic_instructions;
    mem::coalesce(inst.form, inst.mask, info.width, geometry_, false, true, entry.lines);
    return;
  }
  const bool store = info.cls == isa::InstClass::store;
  if (space == isa::Space::local) {
    entry.local = true;
    entry.kind = store ? Kind::store : Kind::load;
    ++(store ? counters_->local_store_instructions : counters_->local_load_instructions);
    local_lines(inst, window, entry.lines);
    return;
  }
  ++(store ? counters_->global_store_instructions : counters_->global_load_instructions);
  entry.kind = store                                     ? Kind::store
               : info.cls == isa::InstClass::ldgsts      ? Kind::async_copy
               : info.bypass_l1 || !machine_->l1.enabled ? Kind::bypass
                                                         : Kind::load;
  mem::coalesce(inst.form, inst.mask, info.width, geometry_, store, false, entry.lines);
  if (entry.kind == Kind::load || entry.kind == Kind::async_copy) {
    entry.conflicts = global_conflicts(entry);
    counters_->l1_conflict_passes += entry.conflicts;
  }
}

/// Passes of as many bytes when no bank is asked twice.
std::uint32_t LoadStoreUnit::least_passes(std::uint32_t mask, std::uint32_t width) const {
  const std::uint32_t pass = machine_->shared.banks * 4;
  return (static_cast<std::uint32_t>(std::popcount(mask)) * width + pass - 1) / pass;
}

/// The L1's data are in the banks of shared memory: lanes whose words share a bank take turns.
std::uint32_t LoadStoreUnit::global_conflicts(const Entry& entry) const {
  if (entry.lines.lines().size() < 2 || machine_->l1.conflict_latency == 0) {
    return 0;
  }
  const MemInst& inst = entry.inst;
  const std::uint32_t width = inst.info->width;
  const std::uint32_t passes = mem::shared_passes(inst.form, inst.mask, width, machine_->shared.banks);
  return passes - std::min(passes, std::max(1U, least_passes(inst.mask, width)));
}

void LoadStoreUnit::classify_fixed(Entry& entry) {
  const isa::StaticInst& info = *entry.inst.info;
  const bool shuffle = info.cls == isa::InstClass::shuffle;
  entry.kind = Kind::fixed;
  entry.answers = info.dst_count > 0;
  entry.shared = shuffle || info.space == isa::Space::shared;
  entry.latency = shuffle || info.cls == isa::InstClass::texture ? machine_->timing(info.cls).latency
                  : entry.shared                                 ? machine_->shared.latency
                                                                 : machine_->l1.latency;
}

void LoadStoreUnit::classify_shared(Entry& entry, std::uint64_t window) {
  const MemInst& inst = entry.inst;
  const isa::StaticInst& info = *inst.info;
  entry.kind = Kind::shared;
  entry.answers = info.dst_count > 0;
  entry.shared = true;
  entry.latency = machine_->shared.latency;
  trace::AddressForm form = inst.form;
  form.base -= window;
  std::uint32_t mask = inst.mask;
  std::uint32_t width = info.width;
  std::uint32_t floor = least_passes(mask, width);
  if (info.cls == isa::InstClass::ldsm) {
    // Each of the first lanes gives the address of a 16-byte row; eight rows are a matrix and one pass.
    mask &= info.address_lanes >= 32 ? ~0U : (1U << info.address_lanes) - 1U;
    floor = std::max(1U, info.address_lanes / 8U);
  }
  entry.passes = std::max(1U, mem::shared_passes(form, mask, width, machine_->shared.banks));
  if (is_atomic(info)) {
    mem::coalesce(form, mask, width, geometry_, false, true, entry.lines);
    std::uint32_t same = 1;
    for (const mem::LineAccess& line : entry.lines.lines()) {
      same = std::max<std::uint32_t>(same, line.same_address);
    }
    entry.passes += same - 1;
    entry.latency = std::max(machine_->shared.atomic_latency, machine_->shared.latency);
    ++counters_->atomic_instructions;
  }
  const std::uint32_t conflicts = entry.passes - std::min(entry.passes, std::max(1U, floor));
  const std::uint32_t registers = info.dst_count > 0 ? info.dst[0].count : 1U;
  entry.latency +=
      conflicts * machine_->shared.conflict_latency + (registers - 1) * machine_->shared.register_latency;
  ++(writes_memory(info) ? counters_->shared_store_instructions : counters_->shared_load_instructions);
  counters_->shared_passes += entry.passes;
  counters_->shared_conflict_passes += conflicts;
}

void LoadStoreUnit::local_lines(const MemInst& inst, std::uint64_t window, mem::LineList& out) const {
  // Word w of every thread of a warp lies side by side, so that lanes with one offset share a line.
  const std::uint64_t base =
      kLocalRegion + (std::uint64_t{sm_} * machine_->sm.max_warps + inst.warp) * kLocalPerWarp;
  const std::uint32_t words = std::clamp(inst.info->width / 4U, 1U, 4U);
  std::uint32_t active = 0;
  for (std::uint32_t mask = inst.mask; mask != 0; mask &= mask - 1, ++active) {
    const auto lane = static_cast<std::uint64_t>(std::countr_zero(mask));
    const std::uint64_t first = (inst.form.at(active) - window) % (kLocalPerWarp / 32) / 4;
    for (std::uint64_t word = first; word < first + words; ++word) {
      const std::uint64_t address = base + word * 128 + lane * 4;
      const std::uint64_t line = address & ~std::uint64_t{geometry_.line - 1};
      out.find_or_add(line).sectors |= static_cast<std::uint8_t>(1U << ((address - line) / geometry_.sector));
    }
  }
  const bool whole_words = inst.info->width >= 4 && inst.mask == ~0U;
  if (whole_words && inst.form.strided && inst.form.stride == 0) {
    for (const mem::LineAccess& access : out.lines()) {
      out.find_or_add(access.line).full_sectors = access.sectors;
    }
  }
}

std::uint32_t LoadStoreUnit::run(std::uint64_t cycle, std::vector<Completion>& done) {
  std::uint32_t gained = 0;
  if (!retry_.empty()) {
    serve_retries(cycle, done);
  }
  while (retry_.empty() && count_ > 0 && !blocked_ && free_ <= cycle && ring_[head_].ready <= cycle) {
    Entry& entry = ring_[head_];
    if (entry.kind == Kind::fixed || entry.kind == Kind::shared) {
      serve_shared(entry, cycle, done);
    } else if (!serve_lines(entry, cycle, done)) {
      blocked_ = true;
      blocked_since_ = free_;
      break;
    }
    held_.end(cycle);
    gained |= 1U << entry.inst.subcore;
    --queued_[entry.inst.subcore];
    head_ = (head_ + 1) % ring_.size();
    --count_;
  }
  return gained;
}

void LoadStoreUnit::serve_shared(Entry& entry, std::uint64_t cycle, std::vector<Completion>& done) {
  free_ = cycle + entry.passes;
  counters_->lsu_busy_cycles += entry.passes;
  if (!entry.answers) {
    return;
  }
  done.push_back({.warp = entry.inst.warp,
                  .inst = entry.inst.inst,
                  .cycle = cycle + entry.latency - 1,
                  .kind = CompletionKind::registers,
                  .reason = entry.shared ? Stall::shared : Stall::memory_l1});
}

bool LoadStoreUnit::serve_lines(Entry& entry, std::uint64_t cycle, std::vector<Completion>& done) {
  if (entry.operation == kNone) {
    entry.operation = new_operation(entry);
  }
  const std::span<const mem::LineAccess> lines = entry.lines.lines();
  std::uint64_t at = cycle;
  bool served = true;
  for (; entry.next_line < lines.size(); ++entry.next_line, ++at) {
    const mem::LineAccess& line = lines[entry.next_line];
    served = pages_.on() ? serve_managed(entry, line, cycle, at) : serve_line(entry.operation, line, at);
    if (!served) {
      break;
    }
  }
  counters_->lsu_busy_cycles += at - cycle;
  free_ = std::max(at, cycle + (served ? 1 : 0));
  if (served) {
    operations_[entry.operation].serving = false;
    if (operations_[entry.operation].remaining == 0 && operations_[entry.operation].parked == 0) {
      finish(entry.operation, done);
    }
  }
  return served;
}

bool LoadStoreUnit::serve_line(std::uint32_t index, const mem::LineAccess& line, std::uint64_t cycle) {
  const Kind kind = operations_[index].kind;
  return kind == Kind::load || kind == Kind::async_copy ? serve_load_line(index, line, cycle)
                                                        : serve_packet(index, line, cycle);
}

bool LoadStoreUnit::serve_load_line(std::uint32_t index, const mem::LineAccess& line, std::uint64_t cycle) {
  const std::uint8_t hits = tags_.lookup(line.line, line.sectors);
  const auto missing = static_cast<std::uint8_t>(line.sectors & ~hits);
  const auto fresh = static_cast<std::uint8_t>(missing & ~mshrs_.in_flight(line.line));
  Operation& operation = operations_[index];
  if (missing != 0) {
    // With allocation on miss a set whose ways all wait for data blocks the unit, as a full MSHR file does.
    const bool room = !mshrs_.full() || mshrs_.in_flight(line.line) != 0;
    if (!room || (allocate_on_miss_ && !tags_.reserve(line.line, missing))) {
      blocked_by_ = Block::mshr;
      return false;
    }
    mshrs_.wait(line.line, missing, index);
    operation.remaining += static_cast<std::uint32_t>(std::popcount(missing));
  }
  const auto count = [](std::uint8_t sectors) { return static_cast<std::uint64_t>(std::popcount(sectors)); };
  if (hits != 0) {
    const std::uint32_t turns = operation.conflicts * machine_->l1.conflict_latency;
    operation.ready = std::max(operation.ready, cycle + machine_->l1.latency - 1 + turns);
  }
  if (operation.local) {
    counters_->l1_local_sectors += count(line.sectors);
    counters_->l1_local_sector_hits += count(hits);
  } else {
    ++counters_->l1_load_requests;
    counters_->l1_load_sectors += count(line.sectors);
    counters_->l1_load_sector_hits += count(hits);
    counters_->l1_load_sector_merges += count(static_cast<std::uint8_t>(missing & ~fresh));
  }
  if (fresh != 0) {
    counters_->sectors_requested += count(fresh);
    port_->send({.line = line.line, .token = kMshrToken, .access = mem::Access::load, .sectors = fresh},
                clock_.to_ps(cycle));
  }
  return true;
}

bool LoadStoreUnit::serve_packet(std::uint32_t index, const mem::LineAccess& line, std::uint64_t cycle) {
  Operation& operation = operations_[index];
  const bool load = operation.kind == Kind::bypass;
  const auto sectors = static_cast<std::uint32_t>(std::popcount(line.sectors));
  if (!load && credits_used_ > 0 && credits_used_ + sectors > machine_->l1.max_stores) {
    blocked_by_ = Block::credit;
    return false;
  }
  operation.remaining += sectors;
  mem::Request request{.line = line.line,
                       .token = index,
                       .sectors = line.sectors,
                       .full_sectors = line.full_sectors,
                       .operations = line.operations,
                       .same_address = line.same_address};
  if (load) {
    counters_->bypass_sectors += sectors;
    request.access = mem::Access::load;
  } else {
    credits_used_ += sectors;
    request.bytes = static_cast<std::uint16_t>(sectors * geometry_.sector);
    if (operation.kind == Kind::store) {
      request.access = mem::Access::store;
      ++counters_->l1_store_requests;
      counters_->l1_store_sectors += sectors;
      counters_->l1_store_sector_hits +=
          static_cast<std::uint64_t>(std::popcount(tags_.lookup(line.line, line.sectors)));
    } else {
      request.access = operation.kind == Kind::atomic ? mem::Access::atomic : mem::Access::reduction;
      counters_->atomic_sectors += sectors;
      counters_->atomic_operations += line.operations;
    }
  }
  counters_->sectors_requested += sectors;
  port_->send(request, clock_.to_ps(cycle));
  return true;
}

std::uint32_t LoadStoreUnit::new_operation(const Entry& entry) {
  std::uint32_t index = free_operation_;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(operations_.size());
    operations_.emplace_back();
  } else {
    free_operation_ = operations_[index].next_free;
  }
  operations_[index] = {.inst = entry.inst,
                        .kind = entry.kind,
                        .serving = true,
                        .local = entry.local,
                        .conflicts = entry.conflicts};
  ++in_flight_;
  return index;
}

void LoadStoreUnit::finish(std::uint32_t index, std::vector<Completion>& done) {
  Operation& operation = operations_[index];
  done.push_back({.warp = operation.inst.warp,
                  .inst = operation.inst.inst,
                  .group = operation.inst.group,
                  .cycle = operation.ready,
                  .kind = completion_of(operation.kind),
                  .reason = operation.faulted ? Stall::far_fault : reason_of(operation.level)});
  operation.next_free = free_operation_;
  free_operation_ = index;
  --in_flight_;
}

void LoadStoreUnit::answer(std::uint32_t index, std::uint32_t amount, mem::Level level, std::uint64_t cycle,
                           std::vector<Completion>& done) {
  Operation& operation = operations_[index];
  operation.remaining -= amount;
  operation.level = std::max(operation.level, level);
  const bool data = operation.kind != Kind::store && operation.kind != Kind::reduction;
  operation.ready = std::max(operation.ready, cycle + (data ? machine_->l1.fill_latency : 0));
  if (operation.remaining == 0 && !operation.serving && operation.parked == 0) {
    finish(index, done);
  }
}

void LoadStoreUnit::reply(const mem::Reply& reply, std::uint64_t cycle, std::vector<Completion>& done) {
  const auto sectors = static_cast<std::uint32_t>(std::popcount(reply.sectors));
  counters_->sectors_answered += sectors;
  if (reply.token == kMshrToken) {
    tags_.fill(reply.line, reply.sectors);
    woken_.clear();
    mshrs_.arrive(reply.line, reply.sectors, woken_);
    for (const mem::MshrFile::Woken& woken : woken_) {
      answer(woken.operation, static_cast<std::uint32_t>(std::popcount(woken.sectors)), reply.level, cycle,
             done);
    }
  } else {
    if (operations_[reply.token].kind != Kind::bypass) {
      credits_used_ -= sectors;
    }
    answer(reply.token, sectors, reply.level, cycle, done);
  }
  count_blocked(cycle);
  blocked_ = false;
}

void LoadStoreUnit::count_blocked(std::uint64_t cycle) {
  if (blocked_ && cycle > blocked_since_) {
    (blocked_by_ == Block::credit  ? counters_->lsu_credit_stall_cycles
     : blocked_by_ == Block::fault ? counters_->lsu_fault_stall_cycles
                                   : counters_->lsu_mshr_stall_cycles) += cycle - blocked_since_;
    blocked_since_ = cycle;
  }
}

void LoadStoreUnit::close(std::uint64_t cycle) { count_blocked(cycle); }

std::uint64_t LoadStoreUnit::next_cycle(std::uint64_t cycle) const {
  if (!retry_.empty()) {
    return blocked_ ? kNever : std::max(cycle + 1, free_);
  }
  if (count_ == 0 || blocked_) {
    return kNever;
  }
  return std::max({cycle + 1, free_, ring_[head_].ready});
}

std::string LoadStoreUnit::state_text() const {
  const char* why = !blocked_                      ? ""
                    : blocked_by_ == Block::credit ? ", waiting for a store credit"
                    : blocked_by_ == Block::fault  ? ", waiting for room in the uTLB"
                                                   : ", waiting for an MSHR";
  std::string text = fmt::format("{} instructions queued, {} operations and {} lines in flight{}", count_,
                                 in_flight_, mshrs_.used(), why);
  return parked_.empty() ? text : fmt::format("{}, {} lines waiting for their pages", text, parked_.size());
}

}  // namespace wg::sm
