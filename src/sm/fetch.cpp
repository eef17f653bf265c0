#include "sm/fetch.hpp"

#include <algorithm>

namespace wg::sm {

FetchUnit::FetchUnit(const config::Machine& machine, Port& port, SmCounters& counters)
    : machine_(&machine),
      clock_(machine.clock.sm),
      port_(&port),
      counters_(&counters),
      line_(machine.icache.line.count()),
      all_sectors_(static_cast<std::uint8_t>((1U << (line_ / machine.l2.sector.count())) - 1U)),
      sets_(static_cast<std::uint32_t>(
          std::max<std::uint64_t>(1, machine.icache.l0_size.count() / line_ / machine.icache.l0_ways))),
      ways_(machine.icache.l0_ways),
      l0_(std::size_t{machine.sm.subcores} * sets_ * ways_),
      l1_(machine.icache.l1_size.count() / line_, machine.icache.l1_ways, static_cast<std::uint32_t>(line_)) {
}

void FetchUnit::begin_kernel(std::uint64_t code) {
  code_ = code;
  clock_tick_ = 0;
  l0_.assign(l0_.size(), {});
  l1_.clear();
  pending_.clear();
}

FetchUnit::L0Line* FetchUnit::find(std::uint32_t subcore, std::uint64_t line) {
  L0Line* const set = &l0_[(std::size_t{subcore} * sets_ + line % sets_) * ways_];
  for (L0Line* entry = set; entry < set + ways_; ++entry) {
    if (entry->line == line) {
      return entry;
    }
  }
  return nullptr;
}

std::uint64_t FetchUnit::access(std::uint32_t subcore, std::uint32_t warp, std::uint64_t pc,
                                std::uint64_t cycle) {
  if (!machine_->icache.enabled) {
    return cycle;
  }
  const std::uint64_t line = line_of(pc);
  ++counters_->l0_instruction_accesses;
  L0Line* entry = find(subcore, line);
  if (entry == nullptr) {
    ++counters_->l0_instruction_misses;
    entry = &request(subcore, line, cycle, 0);
  }
  entry->used = ++clock_tick_;
  const std::uint64_t ready = entry->ready;
  if (ready == kNever) {
    for (Pending& pending : pending_) {
      if (pending.line == line) {
        pending.warps |= std::uint64_t{1} << warp;
      }
    }
  }
  for (std::uint64_t ahead = 1; ahead <= machine_->icache.prefetch_lines; ++ahead) {
    if (find(subcore, line + ahead) == nullptr) {
      request(subcore, line + ahead, cycle, ahead);
    }
  }
  return ready == kNever ? kNever : std::max(ready, cycle);
}

FetchUnit::L0Line& FetchUnit::request(std::uint32_t subcore, std::uint64_t line, std::uint64_t cycle,
                                      std::uint64_t delay) {
  L0Line* const set = &l0_[(std::size_t{subcore} * sets_ + line % sets_) * ways_];
  L0Line& entry =
      *std::min_element(set, set + ways_, [](const L0Line& a, const L0Line& b) { return a.used < b.used; });
  entry = {.line = line, .ready = cycle + machine_->icache.l1_latency + delay, .used = ++clock_tick_};
  const std::uint64_t address = code_ + line * line_;
  const auto pending =
      std::find_if(pending_.begin(), pending_.end(), [line](const Pending& p) { return p.line == line; });
  if (pending != pending_.end()) {
    pending->subcores |= 1U << subcore;
    entry.ready = kNever;
  } else if (l1_.lookup(address, 1) == 0) {
    ++counters_->l1_instruction_misses;
    pending_.push_back({.line = line, .subcores = 1U << subcore, .missing = all_sectors_});
    const std::uint64_t l2_line = machine_->l2.line.count();
    const auto parts = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, line_ / l2_line));
    for (std::uint32_t part = 0; part < parts; ++part) {
      const std::uint64_t at = address + part * l2_line;
      counters_->sectors_requested +=
          static_cast<std::uint64_t>(machine_->icache.line.count()) / machine_->l2.sector.count() / parts;
      port_->send({.line = at / l2_line * l2_line,
                   .access = mem::Access::instruction,
                   .sectors = static_cast<std::uint8_t>(
                       ((1U << (std::min(line_, l2_line) / machine_->l2.sector.count())) - 1U)
                       << (at % l2_line / machine_->l2.sector.count()))},
                  clock_.to_ps(cycle + delay));
    }
    entry.ready = kNever;
  }
  return entry;
}

std::uint64_t FetchUnit::reply(const mem::Reply& reply, std::uint64_t cycle) {
  const std::uint64_t sector = machine_->l2.sector.count();
  std::uint64_t woken = 0;
  for (std::uint32_t bit = 0; bit < 8; ++bit) {
    if ((reply.sectors >> bit & 1) == 0) {
      continue;
    }
    ++counters_->sectors_answered;
    const std::uint64_t offset = reply.line + bit * sector - code_;
    const std::uint64_t line = offset / line_;
    const auto pending =
        std::find_if(pending_.begin(), pending_.end(), [line](const Pending& p) { return p.line == line; });
    if (pending == pending_.end()) {
      continue;
    }
    pending->missing = static_cast<std::uint8_t>(pending->missing & ~(1U << (offset % line_ / sector)));
    if (pending->missing != 0) {
      continue;
    }
    l1_.fill(code_ + line * line_, 1);
    for (std::uint32_t subcore = 0; subcore < machine_->sm.subcores; ++subcore) {
      L0Line* entry = (pending->subcores >> subcore & 1) != 0 ? find(subcore, line) : nullptr;
      if (entry != nullptr && entry->ready == kNever) {
        entry->ready = cycle + 1;
      }
    }
    woken |= pending->warps;
    pending_.erase(pending);
  }
  return woken;
}

}  // namespace wg::sm
