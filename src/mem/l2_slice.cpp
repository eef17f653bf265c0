#include "mem/l2_slice.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <tuple>

#include "mem/partition.hpp"

namespace wg::mem {
namespace {

/// Set bits of a mask of up to four sectors.
std::uint32_t count_of(std::uint32_t sectors) {
  return static_cast<std::uint32_t>(0x4332322132212110ULL >> (4 * sectors)) & 7U;
}

bool modifies(Access access) {
  return access == Access::store || access == Access::atomic || access == Access::reduction;
}

bool is_atomic(Access access) { return access == Access::atomic || access == Access::reduction; }

}  // namespace

L2Slice::L2Slice(const config::Machine& machine, std::uint32_t channel, std::uint32_t index,
                 PartitionCounters& counters)
    : counters_(&counters),
      tags_(machine.l2, machine.slices(), std::uint64_t{channel} * machine.l2.slices_per_channel + index),
      mshr_of_(tags_.slots()),
      mshrs_(machine.l2.mshrs),
      ingress_(machine.xbar.slice_receive),
      data_(machine.l2.sectors_per_cycle),
      data_width_(machine.l2.sectors_per_cycle),
      egress_(machine.xbar.slice_send),
      period_(Clock(machine.clock.l2).period_ps()),
      send_delay_ps_((std::uint64_t{machine.l2.latency} + machine.xbar.latency) * period_.divisor()),
      far_ps_(0),
      header_(machine.xbar.header),
      atomic_interval_(machine.l2.atomic_interval),
      atomic_latency_(machine.l2.atomic_latency),
      dirty_ways_(std::max(1U, machine.l2.ways * machine.l2.dirty_percent / 100)),
      replicate_(machine.l2.replicate && machine.l2.partitions == 2),
      coalesce_(machine.l2.coalesce),
      sector_bytes_(static_cast<std::uint32_t>(machine.l2.sector.count())),
      line_shift_(static_cast<std::uint32_t>(std::countr_zero(machine.l2.line.count()))),
      block_lines_(machine.l2.interleave.count() / machine.l2.line.count()),
      slices_per_channel_(machine.l2.slices_per_channel),
      far_from_(~0U),
      channel_(static_cast<std::uint16_t>(channel)),
      index_(static_cast<std::uint8_t>(index)),
      upper_half_(false) {
  if (machine.l2.partitions == 2) {
    far_ps_ = machine.l2.far_latency * period_.divisor();
    far_from_ = (machine.sm.count + 1) / 2;
    upper_half_ = channel * 2 >= machine.dram.channels;
  }
  reset(true);
}

void L2Slice::reset(bool cold) {
  assert(head_ == pending_.size() && batch_.empty() && fills_.empty() && results_.empty());
  if (cold) {
    tags_.clear();
  }
  free_mshr_ = kNone16;
  for (std::size_t i = mshrs_.size(); i-- > 0;) {
    mshrs_[i] = Mshr{.next_free = free_mshr_};
    free_mshr_ = static_cast<std::uint16_t>(i);
  }
  pending_.clear();
  leaving_ = {};
  head_ = 0;
  ingress_.reset();
  data_.reset();
  egress_.reset();
  data_rest_ = 0;
  tag_free_ = atomic_free_ = atomic_chain_ = atomic_last_ = 0;
  atomic_line_ = kNever;
  blocked_ = Blocked::no;
  probed_ = false;
  plan_lookup();
}

std::uint64_t L2Slice::dram_address(std::uint64_t line) const {
  const std::uint64_t block = block_lines_.quotient(line);
  const std::uint64_t offset = line - block * block_lines_.divisor();
  return ((block * slices_per_channel_ + index_) * block_lines_.divisor() + offset) << line_shift_;
}

// ---- requests in the order of arrival -------------------------------------------------------------------

void L2Slice::deliver(const Request& request, std::uint64_t local) {
  assert(request.sectors != 0);
  Pending& pending = batch_.emplace_back(Pending{request, local >> line_shift_});
  if (is_far(request.source, request.access) && !may_use_copy(request)) {
    pending.request.arrival += far_ps_;
  }
}

void L2Slice::sort_batch() {
  keys_.clear();
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const Request& request = batch_[i].request;
    keys_.push_back({request.arrival, std::uint64_t{request.source} << 32 | request.sequence,
                     static_cast<std::uint32_t>(i)});
  }
  std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) {
    return a.arrival != b.arrival ? a.arrival < b.arrival : a.rest < b.rest;
  });
}

/// Merges from the back, so that what has long been waiting stays where it is.
void L2Slice::merge() {
  if (batch_.empty()) {
    return;
  }
  sort_batch();
  if (head_ > pending_.size() / 2) {
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  std::size_t old = pending_.size();
  std::size_t to = old + keys_.size();
  pending_.resize(to);
  for (std::size_t i = keys_.size(); i-- > 0;) {
    const Pending& next = batch_[keys_[i].index];
    while (old > head_ && earlier(next.request, pending_[old - 1].request)) {
      pending_[--to] = pending_[--old];
    }
    pending_[--to] = next;
  }
  batch_.clear();
  plan_lookup();
}

// ---- events ---------------------------------------------------------------------------------------------

/// To be called when the oldest request, or what its lookup waits for, has changed.
void L2Slice::plan_lookup() {
  lookup_at_ = kNever;
  if (head_ < pending_.size() && blocked_ == Blocked::no) {
    const Request& request = pending_[head_].request;
    lookup_at_ = std::max(ingress_.end(period_.ceiling(request.arrival), request.bytes + header_), tag_free_);
  }
  plan();
}

/// To be called when any event has changed.
void L2Slice::plan() {
  std::uint64_t next = lookup_at_;
  if (!fills_.empty()) {
    next = std::min(next, fills_.front().cycle);
  }
  if (!results_.empty()) {
    next = std::min(next, results_.front().cycle);
  }
  next_ps_ = next == kNever ? kNever : next * period_.divisor();
}

void L2Slice::step(DramChannel& dram, ReplySink& sink) {
  const std::uint64_t fill_at = fills_.empty() ? kNever : fills_.front().cycle;
  const std::uint64_t result_at = results_.empty() ? kNever : results_.front().cycle;
  if (fill_at <= result_at && fill_at <= lookup_at_) {
    const bool was_blocked = blocked_ != Blocked::no;
    fill(sink);
    if (was_blocked && blocked_ == Blocked::no) {
      plan_lookup();
    } else {
      plan();
    }
  } else if (result_at <= lookup_at_) {
    const Result result = results_.front();
    results_.pop();
    const std::uint32_t sectors = count_of(result.reply.sectors);
    send(use_data(result.cycle, sectors), result.reply, sink);
    plan();
  } else {
    lookup(dram, sink);
    plan_lookup();
  }
}

void L2Slice::expect(const DramReturn& data) {
  fills_.push({period_.ceiling(data.ready_ps), data.slot, data.sectors});
  next_ps_ = std::min(next_ps_, fills_.front().cycle * period_.divisor());
}

/// The lookup that waits may be tried again from `cycle` on.
void L2Slice::unblock(std::uint64_t cycle) {
  const std::uint64_t stalled = cycle > blocked_since_ ? cycle - blocked_since_ : 0;
  (blocked_ == Blocked::on_fill ? counters_->l2_mshr_stall_cycles : counters_->l2_dram_stall_cycles) +=
      stalled;
  blocked_ = Blocked::no;
  tag_free_ = std::max(tag_free_, cycle);
}

// ---- lookup ---------------------------------------------------------------------------------------------

L2Slice::Lookup L2Slice::probe(const Pending& pending) {
  const Request& request = pending.request;
  const std::uint32_t sectors = request.sectors;
  // What is written needs no data; and code got here when its module was loaded.
  const bool needs_none = request.access == Access::store || request.access == Access::instruction;
  Lookup found;
  found.slot = tags_.find(pending.line);
  found.present = found.slot != L2Tags::kNoSlot;
  std::uint32_t ready = needs_none ? sectors : 0U;
  std::uint32_t in_flight = 0;
  if (found.present) {
    const TagWord word = tags_.at(found.slot);
    in_flight = word.pending();
    ready |= word.valid();
  } else {
    found.slot = tags_.room(pending.line, request.tag);
    if (found.slot != L2Tags::kNoSlot && !tags_.at(found.slot).empty()) {
      found.evict = static_cast<std::uint8_t>(tags_.at(found.slot).dirty());
    }
  }
  found.wait = static_cast<std::uint8_t>(sectors & in_flight);
  found.found = static_cast<std::uint8_t>(sectors & ~in_flight & ready);
  found.fetch = static_cast<std::uint8_t>(sectors & ~in_flight & ~ready);
  find_excess(found, request);
  return found;
}

/// A line that becomes dirty where too many of its set are: another one is written back, and stays.
void L2Slice::find_excess(Lookup& found, const Request& request) {
  if (dirty_ways_ == tags_.ways() || !modifies(request.access) || found.evict != 0 ||
      found.slot == L2Tags::kNoSlot || (found.present && tags_.at(found.slot).dirty() != 0)) {
    return;
  }
  found.clean_slot = tags_.excess_dirty(found.slot, dirty_ways_, request.tag);
  if (found.clean_slot != L2Tags::kNoSlot) {
    found.clean = static_cast<std::uint8_t>(tags_.at(found.clean_slot).dirty());
  }
}

bool L2Slice::must_wait(const Lookup& found, const DramChannel& dram, std::uint64_t cycle) {
  if (found.fetch == 0 && (found.evict | found.clean) == 0 && found.slot != L2Tags::kNoSlot) {
    return false;
  }
  const bool new_mshr = found.fetch != 0 && !(found.present && tags_.at(found.slot).pending() != 0);
  if (found.slot == L2Tags::kNoSlot || (new_mshr && free_mshr_ == kNone16)) {
    blocked_ = Blocked::on_fill;
  } else {
    needed_reads_ = dram.entries(found.fetch);
    needed_writes_ = dram.entries(found.evict | found.clean);  // never both
    if ((needed_reads_ == 0 || dram.has_read_room(needed_reads_)) &&
        (needed_writes_ == 0 || dram.has_write_room(needed_writes_))) {
      return false;
    }
    blocked_ = Blocked::on_dram;
  }
  blocked_since_ = cycle;
  return true;
}

void L2Slice::lookup(DramChannel& dram, ReplySink& sink) {
  const std::uint64_t cycle = lookup_at_;
  const Pending& pending = pending_[head_];
  const Request& request = pending.request;
  if (!pending.forwarded && may_use_copy(request)) {
    lookup_copy(cycle, sink);
    return;
  }
  if (coalesce_ && is_read(request.access)) {
    const Reply reply{.line = request.line,
                      .token = request.token,
                      .sm = request.source,
                      .access = request.access,
                      .sectors = request.sectors};
    if (join_reply(cycle, reply, sink)) {
      ingress_.take(period_.ceiling(request.arrival), request.bytes + header_);
      ++counters_->l2_coalesced;
      count({.found = request.sectors}, request);
      probed_ = false;
      ++head_;
      return;
    }
  }
  if (!probed_) {
    found_ = probe(pending);
    probed_ = true;
  }
  const Lookup found = found_;
  if (must_wait(found, dram, cycle)) {
    return;
  }
  probed_ = false;
  ingress_.take(period_.ceiling(request.arrival), request.bytes + header_);
  tag_free_ = cycle + 1;
  count(found, request);
  allocate(found, pending, dram, cycle * period_.divisor());
  if ((found.wait | found.fetch) != 0) {
    wait_for(found, request, pending.forwarded);
  }
  answer_found(found, request, cycle, sink);
  if (pending.forwarded && found.found != 0) {
    keep_copy(pending.line, found.found, request.tag);
  }
  ++head_;
}

bool L2Slice::may_use_copy(const Request& request) const {
  return replicate_ && request.access == Access::load && is_far(request.source, request.access);
}

/// The half of the asking SM looks for its copy; what it does not have whole crosses to the home slice.
void L2Slice::lookup_copy(std::uint64_t cycle, ReplySink& sink) {
  Pending pending = pending_[head_++];
  const Request& request = pending.request;
  ingress_.take(period_.ceiling(request.arrival), request.bytes + header_);
  tag_free_ = cycle + 1;
  const std::uint32_t slot = tags_.find(pending.line | L2Tags::kCopy);
  const bool hit = slot != L2Tags::kNoSlot && (tags_.at(slot).valid() & request.sectors) == request.sectors;
  if (!hit) {
    pending.forwarded = true;
    pending.request.arrival = cycle * period_.divisor() + far_ps_;
    const auto place =
        std::upper_bound(pending_.begin() + static_cast<std::ptrdiff_t>(head_), pending_.end(), pending,
                         [](const Pending& a, const Pending& b) { return earlier(a.request, b.request); });
    pending_.insert(place, pending);
    return;
  }
  tags_.touch(slot, request.tag);
  const std::uint32_t sectors = count_of(request.sectors);
  ++counters_->l2_requests;
  counters_->l2_copy_sectors += sectors;
  counters_->l2_load_sectors += sectors;
  counters_->l2_load_sector_hits += sectors;
  send(use_data(cycle, sectors),
       Reply{.line = request.line,
             .token = request.token,
             .sm = request.source,
             .access = request.access,
             .sectors = request.sectors,
             .level = Level::l2},
       sink, true);
}

/// Not worth a write: when the victim is dirty there is no copy this time.
void L2Slice::keep_copy(std::uint64_t line, std::uint32_t sectors, std::uint32_t who) {
  line |= L2Tags::kCopy;
  std::uint32_t slot = tags_.find(line);
  if (slot == L2Tags::kNoSlot) {
    slot = tags_.room(line, who);
    if (slot == L2Tags::kNoSlot || (!tags_.at(slot).empty() && tags_.at(slot).dirty() != 0)) {
      return;
    }
    tags_.place(slot, line);
  }
  tags_.at(slot).add_valid(sectors);
  tags_.touch(slot, who);
}

void L2Slice::count(const Lookup& found, const Request& request) {
  const std::uint32_t sectors = count_of(request.sectors);
  const std::uint32_t hits = count_of(found.found);
  ++counters_->l2_requests;
  counters_->l2_far_requests += is_far(request.source, request.access) ? 1U : 0U;
  counters_->l2_mshr_merges += found.wait != 0 ? 1U : 0U;
  switch (request.access) {
    case Access::store:
      counters_->l2_store_sectors += sectors;
      counters_->l2_store_sector_hits += hits;
      break;
    case Access::atomic:
    case Access::reduction:
      counters_->l2_atomic_sectors += sectors;
      counters_->l2_atomic_sector_hits += hits;
      break;
    case Access::instruction:
      counters_->l2_instruction_sectors += sectors;
      counters_->l2_instruction_sector_hits += hits;
      break;
    case Access::load:
    case Access::count_:
      counters_->l2_load_sectors += sectors;
      counters_->l2_load_sector_hits += hits;
      break;
  }
}

void L2Slice::allocate(const Lookup& found, const Pending& pending, DramChannel& dram, std::uint64_t now) {
  TagWord& word = tags_.at(found.slot);
  if (!found.present) {
    if (found.evict != 0) {
      dram.write(now, dram_address(word.line()), found.evict);
      counters_->l2_writeback_sectors += count_of(found.evict);
    }
    tags_.place(found.slot, pending.line);
  }
  tags_.touch(found.slot, pending.request.tag);
  if (modifies(pending.request.access)) {
    forget_reply(pending.request.line);
    const std::uint32_t copy = replicate_ ? tags_.find(pending.line | L2Tags::kCopy) : L2Tags::kNoSlot;
    if (copy != L2Tags::kNoSlot) {
      tags_.drop(copy);
    }
    const bool store = pending.request.access == Access::store;
    word.add_valid(store ? found.found & pending.request.full_sectors : found.found);
    word.add_dirty(found.found);
  }
  if (found.clean != 0) {
    TagWord& other = tags_.at(found.clean_slot);
    dram.write(now, dram_address(other.line()), found.clean);
    counters_->l2_writeback_sectors += count_of(found.clean);
    other.drop_dirty();
  }
  if (pending.request.access == Access::instruction) {
    word.add_valid(found.found);
  }
  if (found.fetch != 0) {
    if (word.pending() == 0) {
      const std::uint16_t index = free_mshr_;
      free_mshr_ = mshrs_[index].next_free;
      mshrs_[index] = Mshr{};
      mshr_of_[found.slot] = index;
    }
    word.add_pending(found.fetch);
    counters_->l2_fill_sectors += count_of(found.fetch);
    dram.read(now, dram_address(pending.line), found.fetch, index_, found.slot);
  }
}

void L2Slice::wait_for(const Lookup& found, const Request& request, bool forwarded) {
  std::uint32_t index = free_waiter_;
  if (index == kNone32) {
    index = static_cast<std::uint32_t>(waiters_.size());
    waiters_.emplace_back();
  } else {
    free_waiter_ = waiters_[index].next;
  }
  const auto missing = static_cast<std::uint8_t>(found.wait | found.fetch);
  const bool split = !modifies(request.access);
  waiters_[index] = Waiter{.line = request.line,
                           .token = request.token,
                           .next = kNone32,
                           .source = request.source,
                           .access = request.access,
                           .sectors = split ? missing : request.sectors,
                           .missing = missing,
                           .same_address = request.same_address,
                           .forwarded = forwarded};
  Mshr& mshr = mshrs_[mshr_of_[found.slot]];
  (mshr.head == kNone32 ? mshr.head : waiters_[mshr.tail].next) = index;
  mshr.tail = index;
}

void L2Slice::answer_found(const Lookup& found, const Request& request, std::uint64_t cycle,
                           ReplySink& sink) {
  const bool complete = (found.wait | found.fetch) == 0;
  Reply reply{.line = request.line,
              .token = request.token,
              .sm = request.source,
              .access = request.access,
              .sectors = request.sectors,
              .level = Level::l2};
  if (is_atomic(request.access)) {
    if (complete) {
      start_atomic(cycle, reply, request.same_address);
    }
    return;
  }
  if (found.found == 0) {
    return;
  }
  const std::uint64_t ready = use_data(cycle, count_of(found.found));
  if (complete || request.access != Access::store) {
    reply.sectors = found.found;
    send(ready, reply, sink);
  }
}

// ---- what comes later -----------------------------------------------------------------------------------

void L2Slice::fill(ReplySink& sink) {
  const Fill fill = fills_.front();
  fills_.pop();
  if (fill.slot == found_.slot || found_.slot == L2Tags::kNoSlot) {
    probed_ = false;
  }
  TagWord& word = tags_.at(fill.slot);
  word.add_valid(fill.sectors);
  word.drop_pending(fill.sectors);
  const std::uint64_t ready = use_data(fill.cycle, count_of(fill.sectors));
  Mshr& mshr = mshrs_[mshr_of_[fill.slot]];
  std::uint32_t last = kNone32;
  std::uint32_t copied = 0;
  for (std::uint32_t index = mshr.head; index != kNone32;) {
    Waiter& waiter = waiters_[index];
    const std::uint32_t following = waiter.next;
    if (modifies(waiter.access)) {
      word.add_dirty(waiter.missing & fill.sectors);
    }
    waiter.missing = static_cast<std::uint8_t>(waiter.missing & ~fill.sectors);
    if (waiter.missing == 0) {
      copied |= waiter.forwarded ? waiter.sectors : 0U;
      complete(waiter, is_atomic(waiter.access) ? fill.cycle : ready, sink);
      waiter.next = free_waiter_;
      free_waiter_ = index;
      (last == kNone32 ? mshr.head : waiters_[last].next) = following;
    } else {
      last = index;
    }
    index = following;
  }
  mshr.tail = last;
  if (word.pending() == 0) {
    assert(mshr.head == kNone32);
    mshr.next_free = free_mshr_;
    free_mshr_ = mshr_of_[fill.slot];
    if (blocked_ == Blocked::on_fill) {
      unblock(fill.cycle);
    }
  }
  if (copied != 0) {
    keep_copy(word.line(), copied, 0);
    probed_ = false;
  }
}

void L2Slice::complete(const Waiter& waiter, std::uint64_t cycle, ReplySink& sink) {
  const Reply reply{.line = waiter.line,
                    .token = waiter.token,
                    .sm = waiter.source,
                    .access = waiter.access,
                    .sectors = waiter.sectors,
                    .level = Level::dram};
  if (is_atomic(waiter.access)) {
    start_atomic(cycle, reply, waiter.same_address);
  } else {
    send(cycle, reply, sink);
  }
}

/// The unit takes a pass a cycle: one per sector, and one more for each further operation on the most
/// contended address. Operations on one address are `atomic_interval` cycles apart, within a packet and
/// between packets for the same line that follow each other. Results leave in order.
void L2Slice::start_atomic(std::uint64_t cycle, const Reply& reply, std::uint32_t same_address) {
  const std::uint64_t repeats = std::max(same_address, 1U) - 1;
  std::uint64_t start = std::max(cycle, atomic_free_);
  if (reply.line == atomic_line_) {
    start = std::max(start, atomic_chain_);
  }
  const std::uint64_t passes = count_of(reply.sectors);
  atomic_free_ = start + passes + repeats;
  atomic_chain_ = start + passes - 1 + (repeats + 1) * atomic_interval_;
  atomic_line_ = reply.line;
  atomic_last_ = std::max(atomic_last_, start + passes + repeats * atomic_interval_);
  results_.push({atomic_last_ + atomic_latency_, reply});
}

std::uint64_t L2Slice::use_data(std::uint64_t ready, std::uint32_t sectors) {
  for (data_rest_ += sectors; data_rest_ >= data_width_; data_rest_ -= data_width_) {
    ++counters_->l2_busy_cycles;
  }
  return data_.take(ready, sectors);
}

}  // namespace wg::mem
