// The load/store unit, the port and the cache tags of the naive SM.
#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "reference.hpp"

namespace wg::sm::test {
namespace {

using Kind = NaiveAccess::Kind;

constexpr std::uint64_t kWindow = 16 * 1024 * 1024;
constexpr std::uint64_t kLocalRegion = std::uint64_t{0x60} << 40;
constexpr std::uint64_t kLocalPerWarp = 16 * 1024 * 1024;

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

std::uint32_t count(std::uint8_t sectors) { return static_cast<std::uint32_t>(std::popcount(sectors)); }

std::uint8_t without(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a & ~b); }

/// Lines in the order in which the lanes touch them, byte by byte.
std::vector<NaiveAccess::Line> coalesce_bytes(const std::vector<std::uint64_t>& lanes, std::uint32_t width,
                                              std::uint64_t line_bytes, std::uint64_t sector_bytes) {
  std::vector<NaiveAccess::Line> lines;
  std::set<std::uint64_t> touched;
  std::map<std::uint64_t, std::uint32_t> lanes_at;
  const auto line_of = [&](std::uint64_t address) -> NaiveAccess::Line& {
    for (NaiveAccess::Line& line : lines) {
      if (line.address == address / line_bytes * line_bytes) {
        return line;
      }
    }
    lines.push_back({.address = address / line_bytes * line_bytes});
    return lines.back();
  };
  for (const std::uint64_t lane : lanes) {
    for (std::uint64_t byte = lane; byte < lane + width; ++byte) {
      touched.insert(byte);
      line_of(byte).sectors |= static_cast<std::uint8_t>(1U << (byte % line_bytes / sector_bytes));
    }
    NaiveAccess::Line& line = line_of(lane);
    ++line.operations;
    line.same = std::max(line.same, static_cast<std::uint8_t>(++lanes_at[lane]));
  }
  for (NaiveAccess::Line& line : lines) {
    for (std::uint32_t sector = 0; sector < line_bytes / sector_bytes; ++sector) {
      bool full = true;
      for (std::uint64_t byte = 0; byte < sector_bytes; ++byte) {
        full = full && touched.contains(line.address + sector * sector_bytes + byte);
      }
      line.full |= static_cast<std::uint8_t>(full ? 1U << sector : 0U);
    }
  }
  return lines;
}

/// `lanes[i]` belongs to the i-th bit that is set in `mask`.
std::uint32_t passes_of(const std::vector<std::uint64_t>& lanes, std::uint32_t mask, std::uint32_t width,
                        std::uint32_t banks) {
  if (std::set<std::uint64_t>(lanes.begin(), lanes.end()).size() == 1) {
    return 1;
  }
  const std::uint32_t group = width > 8 ? 8 : width > 4 ? 16 : 32;
  std::uint32_t passes = 0;
  std::size_t active = 0;
  for (std::uint32_t first = 0; first < 32; first += group) {
    std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
    for (std::uint32_t lane = first; lane < first + group; ++lane) {
      if ((mask >> lane & 1) == 0) {
        continue;
      }
      for (std::uint64_t byte = lanes[active]; byte < lanes[active] + width; ++byte) {
        words_of_bank[byte / 4 % banks].insert(byte / 4);
      }
      ++active;
    }
    std::size_t most = 0;
    for (const auto& [bank, words] : words_of_bank) {
      most = std::max(most, words.size());
    }
    passes += static_cast<std::uint32_t>(most);
  }
  return std::max(1U, passes);
}

}  // namespace

// --- port

void NaivePort::send(mem::Request request, std::uint64_t cycle) {
  const std::uint64_t l2_ps = Clock(machine->clock.l2).period_ps();
  const std::uint64_t bytes = machine->xbar.header + request.bytes;
  send_free = std::max(send_free, Clock(machine->clock.sm).to_ps(cycle)) +
              divide_up(bytes * l2_ps, machine->xbar.sm_send);
  request.arrival = send_free + machine->xbar.latency * l2_ps;
  request.source = sm;
  request.sequence = sequence++;
  ++packets_out;
  bytes_out += bytes;
  sent.push_back(request);
}

std::vector<mem::Reply> NaivePort::take(std::uint64_t cycle) {
  const Clock clock(machine->clock.sm);
  for (;;) {
    const auto first = std::min_element(coming.begin(), coming.end(), mem::earlier<mem::Reply>);
    if (first == coming.end() || first->arrival > clock.to_ps(cycle)) {
      break;
    }
    const bool data = first->access != mem::Access::store && first->access != mem::Access::reduction;
    const std::uint64_t bytes =
        machine->xbar.header + (data ? count(first->sectors) * machine->l2.sector.count() : 0);
    receive_free = std::max(receive_free, first->arrival) +
                   divide_up(bytes * Clock(machine->clock.l2).period_ps(), machine->xbar.sm_receive);
    ++packets_in;
    bytes_in += bytes;
    arrived.emplace_back(divide_up(receive_free, clock.period_ps()), *first);
    coming.erase(first);
  }
  std::vector<mem::Reply> taken;
  while (!arrived.empty() && arrived.front().first <= cycle) {
    taken.push_back(arrived.front().second);
    arrived.pop_front();
  }
  return taken;
}

// --- tags

NaiveTags::NaiveTags(std::uint64_t lines, std::size_t ways_of_set, std::uint64_t bytes)
    : sets(lines / ways_of_set), ways(ways_of_set), line_bytes(bytes) {}

std::list<NaiveTags::Line>& NaiveTags::set_of(std::uint64_t address) {
  const std::uint64_t number = address / line_bytes;
  return sets[(number ^ (number / 128) ^ (number / 32768)) % sets.size()];
}

std::uint8_t NaiveTags::lookup(std::uint64_t address, std::uint8_t sectors) {
  if (sets.empty()) {
    return 0;
  }
  std::list<Line>& set = set_of(address);
  for (auto line = set.begin(); line != set.end(); ++line) {
    if (line->address == address) {
      set.splice(set.end(), set, line);
      return set.back().sectors & sectors;
    }
  }
  return 0;
}

void NaiveTags::fill(std::uint64_t address, std::uint8_t sectors) {
  if (sets.empty()) {
    return;
  }
  std::list<Line>& set = set_of(address);
  for (auto line = set.begin(); line != set.end(); ++line) {
    if (line->address == address) {
      line->sectors |= sectors;
      line->coming = without(line->coming, sectors);
      set.splice(set.end(), set, line);
      return;
    }
  }
  if (make_room(set)) {
    set.push_back({address, sectors, 0});
  }
}

bool NaiveTags::make_room(std::list<Line>& set) const {
  if (set.size() < ways) {
    return true;
  }
  const auto victim = std::find_if(set.begin(), set.end(), [](const Line& line) { return line.coming == 0; });
  if (victim == set.end()) {
    return false;
  }
  set.erase(victim);
  return true;
}

bool NaiveTags::reserve(std::uint64_t address, std::uint8_t sectors) {
  if (sets.empty()) {
    return true;
  }
  std::list<Line>& set = set_of(address);
  auto line = std::find_if(set.begin(), set.end(), [&](const Line& l) { return l.address == address; });
  if (line == set.end()) {
    if (!make_room(set)) {
      return false;
    }
    line = set.insert(set.end(), {address, 0, 0});
  }
  line->coming |= sectors;
  set.splice(set.end(), set, line);
  return true;
}

// --- load/store unit

bool NaiveLsu::full(std::uint32_t sub_core) const {
  std::uint32_t waiting = 0;
  for (const std::shared_ptr<NaiveAccess>& access : queue) {
    waiting += access->sub_core == sub_core ? 1U : 0U;
  }
  return waiting == machine->l1.queue;
}

bool NaiveLsu::idle() const { return queue.empty() && mshrs.empty() && packets_open == 0; }

void NaiveLsu::push(const std::shared_ptr<NaiveAccess>& access, const trace::DynInst& dyn,
                    const trace::CtaTrace& cta) {
  queue.push_back(access);
  const isa::StaticInst& info = access->info;
  if (dyn.address == trace::DynInst::kNoAddress || info.cls == isa::InstClass::shuffle || info.width == 0) {
    return;
  }
  const trace::AddressForm form = cta.form(dyn);
  std::vector<std::uint64_t> lanes;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(std::popcount(dyn.mask)); ++i) {
    lanes.push_back(form.at(i));
  }
  isa::Space space = info.space;
  std::uint64_t window = 0;
  if (space == isa::Space::generic) {
    const bool shared = lanes[0] >= kernel.shared_base && lanes[0] < kernel.shared_base + kWindow;
    const bool local = lanes[0] >= kernel.local_base && lanes[0] < kernel.local_base + kWindow;
    space = shared ? isa::Space::shared : local ? isa::Space::local : isa::Space::global;
    window = shared ? kernel.shared_base : local ? kernel.local_base : 0;
  }
  const bool stores = info.cls == isa::InstClass::store;
  if (space == isa::Space::shared && info.cls != isa::InstClass::ldgsts) {
    for (std::uint64_t& lane : lanes) {
      lane -= window;
    }
    classify_shared(*access, dyn.mask, lanes);
    return;
  }
  access->lines = coalesce_bytes(lanes, info.width, machine->l1.line.count(), machine->l1.sector.count());
  if (info.cls == isa::InstClass::atomic || info.cls == isa::InstClass::reduction) {
    access->kind = info.cls == isa::InstClass::atomic ? Kind::atomic : Kind::reduction;
    ++counters->atomic_instructions;
  } else if (space == isa::Space::local) {
    access->local = true;
    access->kind = stores ? Kind::store : Kind::load;
    ++(stores ? counters->local_store_instructions : counters->local_load_instructions);
    local_lines(*access, dyn.mask, lanes, window);
  } else if (stores) {
    access->kind = Kind::store;
    ++counters->global_store_instructions;
  } else {
    ++counters->global_load_instructions;
    const bool around = info.bypass_l1 || !machine->l1.enabled;
    access->kind = info.cls == isa::InstClass::ldgsts ? Kind::async_copy : around ? Kind::bypass : Kind::load;
    if (access->kind != Kind::bypass && access->lines.size() > 1 && machine->l1.conflict_latency != 0) {
      const std::uint32_t passes = passes_of(lanes, dyn.mask, info.width, machine->shared.banks);
      const auto ideal =
          static_cast<std::uint32_t>(divide_up(lanes.size() * info.width, 4 * machine->shared.banks));
      const std::uint32_t more = passes > ideal ? passes - ideal : 0;
      counters->l1_conflict_passes += more;
      access->turns = more * machine->l1.conflict_latency;
    }
  }
}

void NaiveLsu::classify_shared(NaiveAccess& access, std::uint32_t mask,
                               const std::vector<std::uint64_t>& lanes) {
  const isa::StaticInst& info = access.info;
  access.kind = Kind::shared;
  std::uint32_t width = info.width;
  std::uint32_t used = mask;
  if (info.cls == isa::InstClass::ldsm) {
    width = 16;
    for (std::uint32_t lane = info.address_lanes; lane < 32; ++lane) {
      used &= ~(1U << lane);
    }
  }
  access.passes = passes_of(lanes, used, width, machine->shared.banks);
  const auto ideal =
      info.cls == isa::InstClass::ldsm
          ? info.address_lanes / 8U
          : static_cast<std::uint32_t>(divide_up(lanes.size() * width, 4 * machine->shared.banks));
  if (info.cls == isa::InstClass::atomic || info.cls == isa::InstClass::reduction) {
    std::map<std::uint64_t, std::uint32_t> lanes_at;
    std::uint32_t same = 1;
    for (const std::uint64_t lane : lanes) {
      same = std::max(same, ++lanes_at[lane]);
    }
    access.passes += same - 1;
    if (machine->shared.atomic_latency > machine->shared.latency) {
      access.extra = machine->shared.atomic_latency - machine->shared.latency;
    }
    ++counters->atomic_instructions;
  }
  const bool stores = info.cls == isa::InstClass::store || info.cls == isa::InstClass::reduction;
  ++(stores ? counters->shared_store_instructions : counters->shared_load_instructions);
  counters->shared_passes += access.passes;
  if (access.passes > std::max(1U, ideal)) {
    counters->shared_conflict_passes += access.passes - std::max(1U, ideal);
    access.extra += (access.passes - std::max(1U, ideal)) * machine->shared.conflict_latency;
  }
  if (info.dst_count > 0) {
    access.extra += (info.dst[0].count - 1U) * machine->shared.register_latency;
  }
}

void NaiveLsu::local_lines(NaiveAccess& access, std::uint32_t mask, const std::vector<std::uint64_t>& lanes,
                           std::uint64_t window) {
  // Word w of lane l lies at (w * 32 + l) * 4 of the warp's region.
  const std::uint64_t region =
      kLocalRegion + (std::uint64_t{sm} * machine->sm.max_warps + access.slot) * kLocalPerWarp;
  const std::uint64_t line_bytes = machine->l1.line.count();
  access.lines.clear();
  std::size_t active = 0;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) {
      continue;
    }
    const std::uint64_t first = (lanes[active++] - window) % (kLocalPerWarp / 32) / 4;
    for (std::uint64_t word = first; word < first + std::max(1U, access.info.width / 4U); ++word) {
      const std::uint64_t address = region + (word * 32 + lane) * 4;
      auto line = std::find_if(access.lines.begin(), access.lines.end(), [&](const NaiveAccess::Line& l) {
        return l.address == address / line_bytes * line_bytes;
      });
      if (line == access.lines.end()) {
        line = access.lines.insert(line, {.address = address / line_bytes * line_bytes});
      }
      line->sectors |= static_cast<std::uint8_t>(1U << (address % line_bytes / machine->l1.sector.count()));
    }
  }
  const bool one_offset =
      std::all_of(lanes.begin(), lanes.end(), [&](std::uint64_t l) { return l == lanes[0]; });
  for (NaiveAccess::Line& line : access.lines) {
    line.full = one_offset && lanes.size() == 32 && access.info.width >= 4 ? line.sectors : std::uint8_t{0};
  }
}

void NaiveLsu::serve(std::uint64_t cycle, std::vector<NaiveResult>& results) {
  if (queue.empty() || cycle < free || queue.front()->issued + 1 > cycle) {
    return;
  }
  const std::shared_ptr<NaiveAccess> access = queue.front();
  if (access->kind == Kind::fixed || access->kind == Kind::shared) {
    queue.pop_front();
    free = cycle + access->passes;
    counters->lsu_busy_cycles += access->passes;
    const isa::InstClass cls = access->info.cls;
    if (access->info.dst_count == 0) {
      return;
    }
    const bool own = cls == isa::InstClass::shuffle || cls == isa::InstClass::texture;
    const bool shared = access->kind == Kind::shared || cls == isa::InstClass::shuffle ||
                        access->info.space == isa::Space::shared;
    const std::uint32_t latency = own      ? machine->timing(cls).latency
                                  : shared ? machine->shared.latency
                                           : machine->l1.latency;
    // Issue was a cycle ago at the earliest: a conflict-free load is there `latency` cycles after that.
    results.push_back(
        {access, cycle - 1 + latency + access->extra, shared ? Stall::shared : Stall::memory_l1});
    return;
  }
  // One line a cycle from now on; all of them see the caches as they are now.
  std::uint64_t at = cycle;
  bool by_credit = false;
  while (access->next_line < access->lines.size()) {
    if (!serve_line(access, access->lines[access->next_line], at, by_credit)) {
      if (at == cycle) {
        ++(by_credit ? counters->lsu_credit_stall_cycles : counters->lsu_mshr_stall_cycles);
      }
      free = at;
      return;
    }
    ++access->next_line;
    ++at;
    ++counters->lsu_busy_cycles;
  }
  free = at;
  queue.pop_front();
  if (access->unanswered == 0) {
    finish(access, results);
  }
}

bool NaiveLsu::serve_line(const std::shared_ptr<NaiveAccess>& access, const NaiveAccess::Line& line,
                          std::uint64_t cycle, bool& by_credit) {
  if (access->kind == Kind::load || access->kind == Kind::async_copy) {
    return serve_cached(access, line, cycle);
  }
  const std::uint32_t sectors = count(line.sectors);
  mem::Request request{.line = line.address,
                       .token = static_cast<std::uint32_t>(packets.size()),
                       .access = mem::Access::load,
                       .sectors = line.sectors,
                       .full_sectors = line.full,
                       .operations = line.operations,
                       .same_address = line.same};
  if (access->kind == Kind::bypass) {
    counters->bypass_sectors += sectors;
  } else {
    if (credits_used > 0 && credits_used + sectors > machine->l1.max_stores) {
      by_credit = true;
      return false;
    }
    credits_used += sectors;
    request.bytes = static_cast<std::uint16_t>(sectors * machine->l1.sector.count());
    if (access->kind == Kind::store) {
      request.access = mem::Access::store;
      ++counters->l1_store_requests;
      counters->l1_store_sectors += sectors;
      counters->l1_store_sector_hits += count(tags.lookup(line.address, line.sectors));
    } else {
      request.access = access->kind == Kind::atomic ? mem::Access::atomic : mem::Access::reduction;
      counters->atomic_sectors += sectors;
      counters->atomic_operations += line.operations;
    }
  }
  access->unanswered += sectors;
  counters->sectors_requested += sectors;
  packets.push_back(access);
  packets_open += sectors;
  port->send(request, cycle);
  return true;
}

bool NaiveLsu::serve_cached(const std::shared_ptr<NaiveAccess>& access, const NaiveAccess::Line& line,
                            std::uint64_t cycle) {
  const std::uint8_t hits = tags.lookup(line.address, line.sectors);
  const std::uint8_t missing = without(line.sectors, hits);
  auto mshr =
      std::find_if(mshrs.begin(), mshrs.end(), [&](const NaiveMshr& m) { return m.line == line.address; });
  std::uint8_t coming = 0;
  if (missing != 0) {
    if (mshr == mshrs.end() && mshrs.size() == machine->l1.mshrs) {
      return false;
    }
    if (machine->l1.allocation == "on-miss" && !tags.reserve(line.address, missing)) {
      return false;
    }
    if (mshr == mshrs.end()) {
      mshr = mshrs.insert(mshrs.end(), {.line = line.address, .waiters = {}});
    }
    for (const NaiveMshr::Waiter& waiter : mshr->waiters) {
      coming |= waiter.sectors;
    }
    mshr->waiters.push_back({access, missing});
    access->unanswered += count(missing);
  }
  if (hits != 0) {
    access->ready = std::max(access->ready, cycle - 1 + machine->l1.latency + access->turns);
  }
  if (access->local) {
    counters->l1_local_sectors += count(line.sectors);
    counters->l1_local_sector_hits += count(hits);
  } else {
    ++counters->l1_load_requests;
    counters->l1_load_sectors += count(line.sectors);
    counters->l1_load_sector_hits += count(hits);
    counters->l1_load_sector_merges += count(missing & coming);
  }
  const std::uint8_t fresh = without(missing, coming);
  if (fresh != 0) {
    counters->sectors_requested += count(fresh);
    port->send({.line = line.address, .token = ~0U, .access = mem::Access::load, .sectors = fresh}, cycle);
  }
  return true;
}

void NaiveLsu::reply(const mem::Reply& reply, std::uint64_t cycle, std::vector<NaiveResult>& results) {
  counters->sectors_answered += count(reply.sectors);
  if (reply.token != ~0U) {
    const std::shared_ptr<NaiveAccess> access = packets[reply.token];
    packets_open -= count(reply.sectors);
    if (access->kind != Kind::bypass) {
      credits_used -= count(reply.sectors);
    }
    answer(access, count(reply.sectors), reply.level, cycle, results);
    return;
  }
  tags.fill(reply.line, reply.sectors);
  for (auto mshr = mshrs.begin(); mshr != mshrs.end(); ++mshr) {
    if (mshr->line != reply.line) {
      continue;
    }
    std::uint8_t left = 0;
    for (NaiveMshr::Waiter& waiter : mshr->waiters) {
      const auto now = static_cast<std::uint8_t>(waiter.sectors & reply.sectors);
      waiter.sectors = without(waiter.sectors, now);
      left |= waiter.sectors;
      if (now != 0) {
        answer(waiter.access, count(now), reply.level, cycle, results);
      }
    }
    if (left == 0) {
      mshrs.erase(mshr);
    }
    return;
  }
}

void NaiveLsu::answer(const std::shared_ptr<NaiveAccess>& access, std::uint32_t sectors, mem::Level level,
                      std::uint64_t cycle, std::vector<NaiveResult>& results) {
  access->unanswered -= sectors;
  access->level = std::max(access->level, level);
  access->ready = std::max(access->ready, cycle + (access->writes() ? 0 : machine->l1.fill_latency));
  if (access->unanswered == 0 && access->next_line == access->lines.size()) {
    finish(access, results);
  }
}

void NaiveLsu::finish(const std::shared_ptr<NaiveAccess>& access, std::vector<NaiveResult>& results) {
  const Stall reason = access->level == mem::Level::l1   ? Stall::memory_l1
                       : access->level == mem::Level::l2 ? Stall::memory_l2
                                                         : Stall::memory_dram;
  results.push_back({access, access->ready, reason});
}

}  // namespace wg::sm::test
