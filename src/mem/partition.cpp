#include "mem/partition.hpp"

#include <algorithm>
#include <cassert>

#include "mem/partition_state.hpp"

namespace wg::mem {

Partition::State::State(const config::Machine& machine, std::uint32_t channel_number)
    : map(machine),
      channel(channel_number),
      geometry(geometry_hash(machine)),
      sector_bytes(machine.l2.sector.count()),
      capacity(machine.l2.size.count() / machine.slices()),
      copy_reads(std::max(1U, machine.dram.queue / 2)),
      dram(machine, counters) {
  for (std::uint32_t i = 0; i < machine.l2.slices_per_channel; ++i) {
    slices.emplace_back(machine, channel, i, counters);
  }
}

Partition::Partition(const config::Machine& machine, std::uint32_t channel) {
  check_partition(machine);
  assert(channel < machine.dram.channels);
  state_ = std::make_unique<State>(machine, channel);
}

Partition::~Partition() = default;
Partition::Partition(Partition&&) noexcept = default;
Partition& Partition::operator=(Partition&&) noexcept = default;

void Partition::deliver(std::span<const Request> requests) {
  State& state = *state_;
  for (const Request& request : requests) {
    const Place place = state.map.place(request.line);
    assert(place.channel == state.channel);
    state.slices[place.slice].deliver(request, place.local);
  }
  for (L2Slice& slice : state.slices) {
    slice.merge();
  }
}

void Partition::run(std::uint64_t until, Outbox<Reply>& out) {
  state_->sink.out = &out;
  if (state_->reader) {
    while (state_->step_beside(until)) {
    }
    return;
  }
  while (state_->step(until)) {
  }
}

bool Partition::State::step_beside(std::uint64_t until) {
  const std::uint64_t copies = reader->next_ps();
  if (copies < until && copies <= next_ps()) {
    last_event = copies;
    reader->step(dram, slices);
    return true;
  }
  if (!step(until)) {
    return false;
  }
  reader->wake(last_event, dram);
  return true;
}

bool Partition::State::step(std::uint64_t until) {
  const std::size_t count = slices.size();
  std::uint64_t first = dram.next_ps();
  std::size_t chosen = count;  // DRAM goes first among equals, then the slices in turn
  std::size_t index = turn;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t next = slices[index].next_ps();
    chosen = next < first ? index : chosen;
    first = std::min(first, next);
    index = index + 1 == count ? 0 : index + 1;
  }
  if (first >= until) {
    return false;
  }
  last_event = first;
  if (chosen != count) {
    slices[chosen].step(dram, sink);
    turn = chosen + 1 == count ? 0 : chosen + 1;
    return true;
  }
  const DramStep done = dram.step();
  if (done.data.ready_ps != kNever) {
    if (done.data.slice == kCopySlice) {
      reader->arrived(done.data.slot, done.data.ready_ps);
    } else {
      slices[done.data.slice].expect(done.data);
    }
  }
  if (done.freed) {
    wake_slices(first);
  }
  return true;
}

/// Lets those go on, in turn, for whom there is room together. Those left out are asked again at the next
/// access: there is one, for an empty queue has room for all.
void Partition::State::wake_slices(std::uint64_t now) {
  const std::size_t count = slices.size();
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;
  std::size_t index = turn;
  for (std::size_t i = 0; i < count; ++i) {
    L2Slice& slice = slices[index];
    index = index + 1 == count ? 0 : index + 1;
    if (slice.wants_dram()) {
      const std::uint32_t more_reads = reads + slice.needed_reads();
      const std::uint32_t more_writes = writes + slice.needed_writes();
      if ((slice.needed_reads() == 0 || dram.has_read_room(more_reads)) &&
          (slice.needed_writes() == 0 || dram.has_write_room(more_writes))) {
        slice.dram_freed(now);
        reads = more_reads;
        writes = more_writes;
      }
    }
  }
}

std::uint64_t Partition::State::next_ps() const {
  std::uint64_t next = dram.next_ps();
  for (const L2Slice& slice : slices) {
    next = std::min(next, slice.next_ps());
  }
  return next;
}

std::uint64_t Partition::next_event() const {
  const std::uint64_t next = state_->next_ps();
  return state_->reader ? std::min(next, state_->reader->next_ps()) : next;
}

void Partition::read_beside(std::span<const CopyRead> copies) {
  state_->reader.emplace(state_->map, state_->channel, state_->slices, state_->sector_bytes,
                         state_->copy_reads, copies);
}

std::span<const CopyReadEnd> Partition::read_beside_ends() const {
  return state_->reader ? state_->reader->ends() : std::span<const CopyReadEnd>();
}

std::uint64_t Partition::last_event() const { return state_->last_event; }

void Partition::begin_kernel(bool cold) {
  assert(next_event() == kNever);
  for (L2Slice& slice : state_->slices) {
    slice.reset(cold);
  }
  state_->dram.reset(cold);
  state_->reader.reset();
  state_->sink.sequence = 0;
  state_->turn = 0;
  state_->last_event = 0;
}

const PartitionCounters& Partition::counters() const { return state_->counters; }

void Partition::clear_counters() { state_->counters = {}; }

}  // namespace wg::mem
