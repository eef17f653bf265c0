#include "mem/dram.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "mem/bytes.hpp"
#include "mem/partition.hpp"

namespace wg::mem {
namespace {

/// Lowest set bit's number, and the mask without it.
std::uint32_t take_lowest(std::uint64_t& mask) {
  const auto bit = static_cast<std::uint32_t>(std::countr_zero(mask));
  mask &= mask - 1;
  return bit;
}

constexpr std::uint64_t bit(std::uint32_t bank) { return std::uint64_t{1} << bank; }

}  // namespace

DramMap::DramMap(const config::DramConfig& config, std::uint64_t line_bytes)
    : line_(line_bytes),
      groups_(config.bank_groups),
      lines_per_row_(std::max<std::uint64_t>(1, config.row.count() / line_bytes)),
      banks_per_group_(config.banks / config.bank_groups),
      banks_(config.banks) {}

DramPlace DramMap::place(std::uint64_t address) const {
  const std::uint64_t line = line_.quotient(address);
  const std::uint64_t over_groups = groups_.quotient(line);
  const std::uint64_t over_columns = lines_per_row_.quotient(over_groups);
  const std::uint64_t row = banks_per_group_.quotient(over_columns);
  const std::uint64_t bank = (line - over_groups * groups_.divisor()) +
                             (over_columns - row * banks_per_group_.divisor()) * groups_.divisor();
  const std::uint64_t turn = (row * 0x9E3779B97F4A7C15ULL >> 32) * banks_ >> 32;
  const std::uint64_t turned = bank + turn;
  return {static_cast<std::uint32_t>(turned >= banks_ ? turned - banks_ : turned),
          static_cast<std::uint32_t>(row)};
}

DramChannel::DramChannel(const config::Machine& machine, PartitionCounters& counters)
    : config_(machine.dram),
      map_(machine.dram, machine.l2.line.count()),
      period_(Clock(machine.clock.dram).period_ps()),
      counters_(&counters) {
  const std::uint64_t sector = machine.l2.sector.count();
  const std::uint64_t burst = config_.burst.count();
  const std::uint64_t unit = std::min(std::max(sector, burst), machine.l2.line.count());
  const std::uint64_t columns = std::max<std::uint64_t>(1, unit / burst);
  unit_bytes_ = static_cast<std::uint32_t>(std::max(unit, burst));
  sectors_per_unit_ = static_cast<std::uint32_t>(unit / sector);
  data_clocks_ = static_cast<std::uint32_t>((unit_bytes_ + config_.bus.count() - 1) / config_.bus.count());
  other_group_ = std::max(data_clocks_, static_cast<std::uint32_t>(columns) * config_.tCCD_S);
  same_group_ = std::max(data_clocks_, static_cast<std::uint32_t>(columns) * config_.tCCD_L);
  read_capacity_ = config_.queue;
  write_capacity_ = config_.write_queue;
  const auto per_line = static_cast<std::uint32_t>(machine.l2.line.count() / sector);
  // A full queue must begin to drain even while reads keep coming, also when it is full only for a whole
  // line.
  const std::uint32_t full = write_capacity_ >= per_line ? write_capacity_ - per_line + 1 : 1;
  write_high_ = std::clamp(config_.write_high, 1U, full);
  entries_.resize(std::size_t{std::max(read_capacity_, per_line)} +
                  std::size_t{std::max(write_capacity_, per_line)});
  assert(entries_.size() < kNone && config_.banks <= kMaxBanks);
  for (std::size_t i = entries_.size(); i-- > 0;) {
    entries_[i].next = free_;
    free_ = static_cast<std::uint16_t>(i);
  }
  for (std::uint32_t b = 0; b < config_.banks; ++b) {
    group_of_[b] = static_cast<std::uint8_t>(b % config_.bank_groups);
  }
  reset(true);
}

std::uint32_t DramChannel::entries(std::uint32_t sectors) const {
  if (sectors_per_unit_ == 1) {
    return static_cast<std::uint32_t>(0x4332322132212110ULL >> (4 * sectors)) & 7U;
  }
  std::uint32_t count = 0;
  const std::uint32_t unit = (1U << sectors_per_unit_) - 1;
  for (; sectors != 0; sectors >>= sectors_per_unit_) {
    count += (sectors & unit) != 0 ? 1U : 0U;
  }
  return count;
}

void DramChannel::read(std::uint64_t now, std::uint64_t address, std::uint32_t sectors, std::uint32_t slice,
                       std::uint32_t slot) {
  enqueue(kRead, now, address, sectors, slice, slot);
}

void DramChannel::write(std::uint64_t now, std::uint64_t address, std::uint32_t sectors) {
  enqueue(kWrite, now, address, sectors, 0, 0);
}

void DramChannel::enqueue(std::size_t kind, std::uint64_t now, std::uint64_t address, std::uint32_t sectors,
                          std::uint32_t slice, std::uint32_t slot) {
  const std::uint64_t clock = period_.ceiling(now);
  const DramPlace place = map_.place(address);
  const std::uint32_t unit = (1U << sectors_per_unit_) - 1;
  for (std::uint32_t first = 0; sectors >> first != 0; first += sectors_per_unit_) {
    const std::uint32_t part = sectors & unit << first;
    if (part != 0) {
      Entry& entry = append(kinds_[kind], place);
      entry.order = ++order_;
      entry.arrival = clock;
      entry.slot = slot;
      entry.slice = static_cast<std::uint8_t>(slice);
      entry.sectors = static_cast<std::uint8_t>(part);
    }
  }
  choose_kind(clock);
  if (kind == kind_) {
    expect_command(place.bank, clock);
  }
  wake();
}

/// A bank of the kind being served has changed: bounds its next command, from `clock` on.
void DramChannel::expect_command(std::uint32_t b, std::uint64_t clock) {
  const Kind& kind = kinds_[kind_];
  if ((kind.hits >> b & 1) != 0) {
    column_at_ = std::min(column_at_, std::max(clock, column_ready(kind, b)));
  } else if ((kind.waiting >> b & 1) != 0) {
    row_at_ = std::min(row_at_, std::max(clock, row_ready(banks_[b])));
  }
}

/// A new entry at the end of its bank's list, with its row and links set.
DramChannel::Entry& DramChannel::append(Kind& kind, const DramPlace& place) {
  assert(free_ != kNone);
  const std::uint16_t index = free_;
  Entry& entry = entries_[index];
  free_ = entry.next;
  List& list = kind.lists[place.bank];
  entry.row = place.row;
  entry.next = kNone;
  entry.previous = list.tail;
  if (list.tail == kNone) {
    list.head = index;
    kind.waiting |= bit(place.bank);
  } else {
    entries_[list.tail].next = index;
  }
  list.tail = index;
  if (list.hit == kNone && banks_[place.bank].row == place.row) {
    list.hit = index;
    kind.hits |= bit(place.bank);
  }
  ++kind.used;
  return entry;
}

void DramChannel::remove(Kind& kind, std::uint32_t bank, std::uint16_t index) {
  List& list = kind.lists[bank];
  Entry& entry = entries_[index];
  (entry.previous == kNone ? list.head : entries_[entry.previous].next) = entry.next;
  (entry.next == kNone ? list.tail : entries_[entry.next].previous) = entry.previous;
  std::uint16_t hit = entry.next;
  while (hit != kNone && entries_[hit].row != entry.row) {
    hit = entries_[hit].next;
  }
  list.hit = hit;
  if (hit == kNone) {
    kind.hits &= ~bit(bank);
    if (list.head == kNone) {
      kind.waiting &= ~bit(bank);
    }
  }
  entry.next = free_;
  free_ = index;
  --kind.used;
}

/// After the bank's row changed.
void DramChannel::find_hits(std::uint32_t bank) {
  for (Kind& kind : kinds_) {
    List& list = kind.lists[bank];
    const std::uint32_t row = banks_[bank].row;
    std::uint16_t hit = row == kNoRow ? kNone : list.head;
    while (hit != kNone && entries_[hit].row != row) {
      hit = entries_[hit].next;
    }
    list.hit = hit;
    kind.hits = hit == kNone ? kind.hits & ~bit(bank) : kind.hits | bit(bank);
  }
}

void DramChannel::wake() {
  next_ = std::min(row_at_, column_at_);
  next_ps_ = next_ == kNever ? kNever : next_ * period_.divisor();
}

/// Catches up with the refreshes due. Nothing can have happened since the last one was due, so only that one
/// can still be felt.
void DramChannel::refresh(std::uint64_t now) {
  const std::uint64_t missed = (now - refresh_at_) / config_.tREFI;
  std::uint64_t start = refresh_at_ + missed * config_.tREFI;
  refresh_at_ = start + config_.tREFI;
  counters_->dram_refresh_cycles += (missed + 1) * config_.tRFC;
  for (std::uint32_t b = 0; b < config_.banks; ++b) {
    const Bank& bank = banks_[b];
    start = std::max(start, bank.row == kNoRow ? bank.activate_ready : bank.precharge_ready + config_.tRP);
  }
  for (std::uint32_t b = 0; b < config_.banks; ++b) {
    banks_[b].row = kNoRow;
    banks_[b].conflict = false;
    banks_[b].activate_ready = start + config_.tRFC;
    find_hits(b);
  }
  too_long_ = 0;
  row_at_ = column_at_ = now;
  log(DramCommand::Kind::refresh, start, 0, 0);
}

/// Which queue to serve from `clock` on.
void DramChannel::choose_kind(std::uint64_t clock) {
  const std::uint32_t reads = kinds_[kRead].used;
  const std::uint32_t writes = kinds_[kWrite].used;
  if (draining_) {
    draining_ = writes != 0 && (reads == 0 || writes > config_.write_low);
  } else {
    draining_ = writes >= write_high_;
  }
  const std::size_t kind = (draining_ || reads == 0) ? kWrite : kRead;
  if (kind != kind_) {
    kind_ = kind;
    too_long_ = 0;
    row_at_ = column_at_ = clock;
  }
}

/// Whether row hits have passed the bank's oldest entry for too long.
bool DramChannel::passed_too_long(const List& list, std::uint64_t now) const {
  return list.head != list.hit && entries_[list.head].arrival + config_.age_cap < now;
}

DramStep DramChannel::step() {
  const std::uint64_t now = next_;
  assert(now != kNever);
  if (now >= refresh_at_) {
    refresh(now);
  }
  DramStep result;
  if (column_at_ <= now) {
    column_command(now, result);
  }
  if (row_at_ <= now) {
    row_commands(now);
  }
  if (result.freed) {
    choose_kind(now + 1);
    if (kinds_[kRead].used + kinds_[kWrite].used == 0) {
      row_at_ = column_at_ = kNever;
    }
  }
  wake();
  return result;
}

void DramChannel::row_commands(std::uint64_t now) {
  const Kind& kind = kinds_[kind_];
  row_at_ = kNever;
  std::uint32_t chosen = kMaxBanks;
  std::uint64_t oldest = kNever;
  bool others = false;
  for (std::uint64_t left = kind.waiting & (~kind.hits | too_long_); left != 0;) {
    const std::uint32_t b = take_lowest(left);
    const Bank& bank = banks_[b];
    if (bank.row != kNoRow && bank.precharge_ready <= now) {
      precharge(b, now);
    }
    const std::uint64_t ready = row_ready(bank);
    if (ready > now) {
      row_at_ = std::min(row_at_, ready);
      continue;
    }
    others = others || chosen != kMaxBanks;
    const std::uint64_t order = entries_[kind.lists[b].head].order;
    if (order < oldest) {
      chosen = b;
      oldest = order;
    }
  }
  if (chosen != kMaxBanks) {
    activate(chosen, now);
    column_at_ = std::min(column_at_, banks_[chosen].column_ready);
    if (others) {
      row_at_ = std::min(row_at_, std::max(now + 1, activate_gate_));
    }
  }
}

void DramChannel::precharge(std::uint32_t b, std::uint64_t now) {
  Bank& bank = banks_[b];
  bank.row = kNoRow;
  bank.conflict = true;
  bank.activate_ready = now + config_.tRP;
  find_hits(b);
  log(DramCommand::Kind::precharge, now, b, 0);
}

void DramChannel::activate(std::uint32_t b, std::uint64_t now) {
  Bank& bank = banks_[b];
  bank.row = entries_[kinds_[kind_].lists[b].head].row;
  bank.fresh = true;
  bank.column_ready = now + config_.tRCD;
  bank.precharge_ready = now + config_.tRAS;
  find_hits(b);
  too_long_ &= ~bit(b);
  activates_[oldest_activate_] = now + config_.tFAW;
  oldest_activate_ = (oldest_activate_ + 1) % 4;
  activate_gate_ = std::max(now + config_.tRRD, activates_[oldest_activate_]);
  log(DramCommand::Kind::activate, now, b, bank.row);
}

/// The bank with the oldest row hit that can go now, or kMaxBanks; sets column_at_ for the others.
std::uint32_t DramChannel::oldest_hit(std::uint64_t now) {
  const Kind& kind = kinds_[kind_];
  column_at_ = kNever;
  std::uint32_t chosen = kMaxBanks;
  std::uint64_t oldest = kNever;
  for (std::uint64_t left = kind.hits & ~too_long_; left != 0;) {
    const std::uint32_t b = take_lowest(left);
    const std::uint64_t ready = column_ready(kind, b);
    if (ready > now) {
      column_at_ = std::min(column_at_, ready);
      continue;
    }
    const std::uint64_t order = entries_[kind.lists[b].hit].order;
    if (order < oldest) {
      chosen = b;
      oldest = order;
    }
  }
  return chosen;
}

void DramChannel::column_command(std::uint64_t now, DramStep& step) {
  const Kind& kind = kinds_[kind_];
  std::uint32_t chosen = oldest_hit(now);
  while (chosen != kMaxBanks && passed_too_long(kind.lists[chosen], now)) {
    too_long_ |= bit(chosen);
    row_at_ = std::min(row_at_, now);
    chosen = oldest_hit(now);
  }
  if (chosen == kMaxBanks) {
    return;
  }
  const std::uint64_t others = kind.hits & ~too_long_ & ~bit(chosen);
  access(chosen, now, step);
  if (others != 0) {
    column_at_ = std::min(column_at_, kind.gate);
  }
  expect_command(chosen, now);
}

void DramChannel::access(std::uint32_t b, std::uint64_t now, DramStep& step) {
  Kind& kind = kinds_[kind_];
  Bank& bank = banks_[b];
  const std::uint16_t index = kind.lists[b].hit;
  const Entry& entry = entries_[index];
  std::uint64_t latency = 0;
  std::uint64_t data_end = 0;
  if (kind_ == kRead) {
    data_end = now + config_.tCL + data_clocks_;
    bank.precharge_ready = std::max(bank.precharge_ready, now + config_.tRTP);
    const std::uint64_t bus = data_end > config_.tCWL ? data_end - config_.tCWL : 0;
    kinds_[kWrite].gate = std::max(now + config_.tRTW, bus);
    const std::uint64_t ready = data_end + config_.extra_latency;
    step.data = {ready * period_.divisor(), entry.slot, entry.slice, entry.sectors};
    latency = ready - entry.arrival;
  } else {
    data_end = now + config_.tCWL + data_clocks_;
    bank.precharge_ready = std::max(bank.precharge_ready, data_end + config_.tWR);
    kinds_[kRead].gate = data_end + config_.tWTR;
  }
  kind.gate = now + other_group_;
  group_ready_[group_of_[b]] = now + same_group_;
  if (entry.slice != kCopySlice) {
    count(bank, latency);
  }
  bank.fresh = false;
  bank.conflict = false;
  step.freed = true;
  log(kind_ == kRead ? DramCommand::Kind::read : DramCommand::Kind::write, now, b, bank.row);
  remove(kind, b, index);
}

void DramChannel::count(const Bank& bank, std::uint64_t latency) {
  if (kind_ == kRead) {
    counters_->dram_read_latency_cycles += latency;
    counters_->dram_read_bytes += unit_bytes_;
    ++counters_->dram_reads;
  } else {
    counters_->dram_write_bytes += unit_bytes_;
  }
  counters_->dram_busy_cycles += data_clocks_;
  std::uint64_t& kind_of_access = !bank.fresh     ? counters_->dram_row_hits
                                  : bank.conflict ? counters_->dram_row_conflicts
                                                  : counters_->dram_row_misses;
  ++kind_of_access;
}

void DramChannel::reset(bool cold) {
  assert(kinds_[kRead].used + kinds_[kWrite].used == 0);
  for (Bank& bank : banks_) {
    bank = Bank{.row = cold ? kNoRow : bank.row};
  }
  group_ready_ = {};
  for (Kind& kind : kinds_) {
    kind.gate = 0;
  }
  activate_gate_ = 0;
  activates_ = {};
  oldest_activate_ = 0;
  refresh_at_ = config_.tREFI == 0 ? kNever : config_.tREFI;
  draining_ = false;
  kind_ = kRead;
  too_long_ = 0;
  row_at_ = column_at_ = kNever;
  wake();
}

void DramChannel::save(std::vector<std::uint8_t>& out) const {
  put(out, config_.banks);
  for (std::uint32_t b = 0; b < config_.banks; ++b) {
    put(out, banks_[b].row);
  }
}

std::size_t DramChannel::load(std::span<const std::uint8_t> in) {
  ByteReader reader(in);
  if (reader.get<std::uint32_t>() != config_.banks) {
    return 0;
  }
  for (std::uint32_t b = 0; b < config_.banks; ++b) {
    banks_[b].row = reader.get<std::uint32_t>();
  }
  return reader.ok() ? reader.position() : 0;
}

void DramChannel::log(DramCommand::Kind kind, std::uint64_t clock, std::uint32_t bank,
                      std::uint32_t row) const {
  if (log_ != nullptr) {
    log_->push_back({clock, kind, static_cast<std::uint16_t>(bank), row});
  }
}

}  // namespace wg::mem
