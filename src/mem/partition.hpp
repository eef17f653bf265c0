// A memory partition: one DRAM channel with its L2 slices. A logical process of the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/stats.hpp"
#include "config/machine.hpp"
#include "mem/divider.hpp"
#include "mem/messages.hpp"
#include "mem/outbox.hpp"

namespace wg::mem {

/// Counters of L2 and DRAM. One row per access kind where it matters.
struct PartitionCounters {
  std::uint64_t l2_load_sectors = 0, l2_load_sector_hits = 0;
  std::uint64_t l2_store_sectors = 0, l2_store_sector_hits = 0;
  std::uint64_t l2_atomic_sectors = 0, l2_atomic_sector_hits = 0;
  std::uint64_t l2_instruction_sectors = 0, l2_instruction_sector_hits = 0;
  std::uint64_t l2_requests = 0, l2_far_requests = 0, l2_copy_sectors = 0;
  std::uint64_t l2_mshr_merges = 0, l2_coalesced = 0;
  std::uint64_t l2_mshr_stall_cycles = 0, l2_dram_stall_cycles = 0;  ///< L2 cycles, head of a slice's queue
  std::uint64_t l2_fill_sectors = 0, l2_writeback_sectors = 0;
  std::uint64_t l2_busy_cycles = 0;    ///< L2 cycles, data port of all slices
  std::uint64_t l2_reply_sectors = 0;  ///< sectors sent to SMs
  std::uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
  std::uint64_t dram_row_hits = 0, dram_row_misses = 0, dram_row_conflicts = 0;
  std::uint64_t dram_busy_cycles = 0, dram_refresh_cycles = 0;  ///< DRAM clocks
  std::uint64_t dram_read_latency_cycles = 0, dram_reads = 0;   ///< DRAM clocks summed over bursts; bursts

  static std::span<const CounterField<PartitionCounters>> fields();
};

/// Where an address lives. Bijective for any number of channels and slices, for addresses below 2^57.
struct Place {
  std::uint32_t channel = 0;
  std::uint32_t slice = 0;  ///< inside the channel
  std::uint64_t local = 0;  ///< byte address inside the slice's share, dense
};

/// Address hashing: rotates the slices of each group of consecutive interleave blocks by a hash of the
/// group's number, so that power-of-two strides spread, for any number of slices.
class AddressMap {
 public:
  explicit AddressMap(const config::Machine& machine);
  [[nodiscard]] Place place(std::uint64_t address) const;
  [[nodiscard]] std::uint32_t channel(std::uint64_t address) const { return place(address).channel; }
  /// The inverse of place().
  [[nodiscard]] std::uint64_t address(const Place& place) const;
  [[nodiscard]] std::uint64_t interleave() const { return interleave_.divisor(); }

 private:
  [[nodiscard]] std::uint64_t turn(std::uint64_t group) const;

  Divider interleave_;
  Divider slices_;
  Divider channels_;
};

/// A copy to the host that reads [address, address + bytes) while a kernel runs, times from its beginning.
struct CopyRead {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t begin_ps = 0;
  std::uint64_t duration_ps = 0;  ///< when nothing is in its way
};

/// What came of it.
struct CopyReadEnd {
  std::uint64_t end_ps = 0;      ///< when the last sector was there; 0 when nothing was read
  std::uint64_t read_bytes = 0;  ///< from DRAM
};

class Partition {
 public:
  /// Throws wg::Error when the machine's L2 or DRAM cannot be built (sizes that do not divide, unknown part).
  Partition(const config::Machine& machine, std::uint32_t channel);
  ~Partition();
  Partition(Partition&&) noexcept;
  Partition& operator=(Partition&&) noexcept;

  /// Hands over requests that were sent in the previous epoch; any order. All arrive at or after the time the
  /// partition has already run to. A request's arrival is that at a near slice: where the L2 has two halves
  /// and the SM (first or second half of the SM numbers) and the slice (of the channels) are on different
  /// sides, this adds far_latency, and again to the reply.
  void deliver(std::span<const Request> requests);
  /// Runs everything that happens before `until` (ps) and puts replies into `out`, one queue per SM. A
  /// reply's arrival is at least one crossbar latency after the event that caused it.
  void run(std::uint64_t until, Outbox<Reply>& out);
  /// Earliest time (ps) at which this partition may have something to do, never too late; kNever exactly when
  /// idle. A kernel is over for the partition when it has run to kNever.
  [[nodiscard]] std::uint64_t next_event() const;
  /// Time (ps) of the last event that was run; 0 when there was none since the kernel began.
  [[nodiscard]] std::uint64_t last_event() const;

  /// Resets the clock to 0 for the next kernel; L2 lines and open rows stay, unless `cold`. Must be idle.
  void begin_kernel(bool cold);
  /// Lets a memory copy land: sectors touched by [address, address + bytes) that belong here become valid and
  /// clean in the L2, untimed; must be idle. They are written to DRAM as they come, for a link is far slower
  /// than DRAM (measured on H100: reading 128 MiB just copied reaches 1,858 of 2,039 GB/s, which leaves no
  /// room for writing them back). Lines pushed out count as DRAM writes as well. Of a range of several times
  /// the L2's size only the end goes through the tags.
  void install(std::uint64_t address, std::uint64_t bytes);
  /// Lets a copy to the host read [address, address + bytes): sectors not in the L2 count as DRAM reads,
  /// untimed.
  void read_out(std::uint64_t address, std::uint64_t bytes);

  /// Copies that read their data while the next kernel runs; call after begin_kernel, which forgets those
  /// before. Their reads wait in the queues and hold up the kernel's, but are not in the counters.
  void read_beside(std::span<const CopyRead> copies);
  /// One for each copy; complete when the partition is idle again.
  [[nodiscard]] std::span<const CopyReadEnd> read_beside_ends() const;

  [[nodiscard]] const PartitionCounters& counters() const;
  void clear_counters();

  /// State that outlives a kernel (L2 tags and their age, open rows), as bytes appended to / read from a
  /// buffer.
  void save(std::vector<std::uint8_t>& out) const;
  /// Returns the number of bytes consumed; throws wg::Error when the bytes are not a state of this machine.
  std::size_t load(std::span<const std::uint8_t> in);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wg::mem
