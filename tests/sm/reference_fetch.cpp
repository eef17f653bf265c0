// Instruction supply of the naive SM.
#include <algorithm>

#include "reference.hpp"

namespace wg::sm::test {

void NaiveFetch::reset() {
  const std::uint64_t line = machine->icache.line.count();
  const std::uint64_t sets =
      std::max<std::uint64_t>(1, machine->icache.l0_size.count() / line / machine->icache.l0_ways);
  l0.assign(machine->sm.subcores, std::vector<std::list<Line>>(sets));
  l1 = NaiveTags(machine->icache.l1_size.count() / line, machine->icache.l1_ways, line);
}

NaiveFetch::Line* NaiveFetch::find(std::uint32_t sub_core, std::uint64_t number) {
  for (std::list<Line>& set : l0[sub_core]) {
    for (Line& line : set) {
      if (line.number == number) {
        return &line;
      }
    }
  }
  return nullptr;
}

std::uint64_t NaiveFetch::enter(std::uint32_t sub_core, std::uint32_t slot, std::uint64_t pc,
                                std::uint64_t cycle) {
  if (!machine->icache.enabled) {
    return cycle;
  }
  const std::uint64_t number = pc / machine->icache.line.count();
  ++counters->l0_instruction_accesses;
  std::uint64_t ready = 0;
  if (const Line* line = find(sub_core, number)) {
    ready = line->ready;
    std::list<Line>& set = l0[sub_core][number % l0[sub_core].size()];
    const auto found =
        std::find_if(set.begin(), set.end(), [&](const Line& l) { return l.number == number; });
    set.splice(set.end(), set, found);
  } else {
    ++counters->l0_instruction_misses;
    ready = bring(sub_core, number, cycle, 0);
  }
  if (ready == kNever) {
    for (Pending& line : pending) {
      if (line.number == number) {
        line.warps.push_back(slot);
      }
    }
  }
  for (std::uint64_t ahead = 1; ahead <= machine->icache.prefetch_lines; ++ahead) {
    if (find(sub_core, number + ahead) == nullptr) {
      bring(sub_core, number + ahead, cycle, ahead);
    }
  }
  return ready == kNever ? kNever : std::max(ready, cycle);
}

std::uint64_t NaiveFetch::bring(std::uint32_t sub_core, std::uint64_t number, std::uint64_t cycle,
                                std::uint64_t delay) {
  const std::uint64_t line_bytes = machine->icache.line.count();
  const std::uint64_t sector_bytes = machine->l2.sector.count();
  const std::uint64_t l2_line = machine->l2.line.count();
  const std::uint64_t address = code + number * line_bytes;
  std::uint64_t ready = cycle + machine->icache.l1_latency + delay;
  const auto same =
      std::find_if(pending.begin(), pending.end(), [&](const Pending& p) { return p.number == number; });
  if (same != pending.end()) {
    same->sub_cores.push_back(sub_core);
    ready = kNever;
  } else if (l1.lookup(address, 1) == 0) {
    ready = kNever;
    ++counters->l1_instruction_misses;
    pending.push_back({.number = number, .missing = {}, .warps = {}, .sub_cores = {sub_core}});
    for (std::uint64_t at = address; at < address + line_bytes;) {
      mem::Request request{.line = at / l2_line * l2_line, .access = mem::Access::instruction};
      for (; at < std::min(address + line_bytes, request.line + l2_line); at += sector_bytes) {
        request.sectors |= static_cast<std::uint8_t>(1U << ((at - request.line) / sector_bytes));
        pending.back().missing.push_back(at);
        ++counters->sectors_requested;
      }
      port->send(request, cycle + delay);
    }
  }
  std::list<Line>& set = l0[sub_core][number % l0[sub_core].size()];
  if (set.size() == machine->icache.l0_ways) {
    set.pop_front();
  }
  set.push_back({number, ready});
  return ready;
}

std::vector<std::uint32_t> NaiveFetch::reply(const mem::Reply& reply, std::uint64_t cycle) {
  std::vector<std::uint32_t> woken;
  for (std::uint32_t sector = 0; sector < 8; ++sector) {
    if ((reply.sectors >> sector & 1) == 0) {
      continue;
    }
    ++counters->sectors_answered;
    const std::uint64_t at = reply.line + sector * machine->l2.sector.count();
    for (std::size_t i = 0; i < pending.size(); ++i) {
      Pending& line = pending[i];
      if (std::erase(line.missing, at) == 0 || !line.missing.empty()) {
        continue;
      }
      l1.fill(code + line.number * machine->icache.line.count(), 1);
      for (const std::uint32_t sub_core : line.sub_cores) {
        Line* entry = find(sub_core, line.number);
        if (entry != nullptr && entry->ready == kNever) {
          entry->ready = cycle + 1;
        }
      }
      woken.insert(woken.end(), line.warps.begin(), line.warps.end());
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
  return woken;
}

}  // namespace wg::sm::test
