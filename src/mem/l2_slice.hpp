// One slice of the L2: ports, tag pipeline, misses in flight, atomics unit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "config/machine.hpp"
#include "mem/divider.hpp"
#include "mem/dram.hpp"
#include "mem/l2_tags.hpp"
#include "mem/messages.hpp"
#include "mem/outbox.hpp"
#include "mem/port.hpp"
#include "mem/ring.hpp"

namespace wg::mem {

struct PartitionCounters;

inline bool is_read(Access access) { return access == Access::load || access == Access::instruction; }

/// What the slices of one partition share: their way out. Replies are numbered in the order they are sent.
struct ReplySink {
  Outbox<Reply>* out = nullptr;
  std::uint32_t sequence = 0;
};

/// Works in L2 cycles, from event to event. In the order of their arrival, one a cycle, requests pass the
/// ingress port and look up the tags. What was found, and later what DRAM brings, takes the data port and the
/// egress port and leaves `latency` cycles after that; so a miss costs the hit latency plus the time in DRAM.
///
/// A miss reserves a way at once (allocate on miss), writes the victim's dirty sectors to DRAM, and holds one
/// MSHR per line; more sectors of that line join it, and requests for sectors in flight wait with it. When an
/// MSHR, a way or a place in a DRAM queue is missing, the lookup waits and all behind it. A load answers the
/// sectors it found at once and the others together when the last has come.
///
/// With `l2.replicate` a load from the other half first looks for that half's own copy of the line; only when
/// there is none does it cross, and then it leaves a copy. The copies of a slice's lines are kept in the
/// slice itself, where they take the room that, the halves being alike, the other half's copies take in
/// truth.
///
/// With `l2.coalesce` a read whose sectors are just leaving for another SM joins that reply: the two are one
/// lookup, one access to the data and one multicast. It shows only where SMs read the same line at once.
class L2Slice {
 public:
  /// `index` counts the slices of the channel. `counters` must live as long as the slice.
  L2Slice(const config::Machine& machine, std::uint32_t channel, std::uint32_t index,
          PartitionCounters& counters);

  /// A request of this slice; `local` is its line's address inside the slice's share. Sorted in by merge().
  void deliver(const Request& request, std::uint64_t local);
  /// After a batch of deliver().
  void merge();

  /// Time (ps) of the next event; kNever when nothing can happen without DRAM.
  [[nodiscard]] std::uint64_t next_ps() const { return next_ps_; }
  /// Handles the event at next_ps().
  void step(DramChannel& dram, ReplySink& sink);
  /// A read's data will be here at `data.ready_ps`; called in the order of that time.
  void expect(const DramReturn& data);
  /// Whether the oldest request waits for room in the DRAM queues.
  [[nodiscard]] bool wants_dram() const { return blocked_ == Blocked::on_dram; }
  [[nodiscard]] std::uint32_t needed_reads() const { return needed_reads_; }
  [[nodiscard]] std::uint32_t needed_writes() const { return needed_writes_; }
  /// There is enough room since `now` (ps).
  void dram_freed(std::uint64_t now) {
    unblock(period_.ceiling(now));
    plan_lookup();
  }

  /// Back to time 0, must be idle; tags stay unless `cold`.
  void reset(bool cold);
  [[nodiscard]] L2Tags& tags() { return tags_; }
  [[nodiscard]] const L2Tags& tags() const { return tags_; }
  [[nodiscard]] std::uint64_t line_bytes() const { return std::uint64_t{1} << line_shift_; }
  /// Address inside the channel's DRAM of a line of this slice.
  [[nodiscard]] std::uint64_t dram_address(std::uint64_t line) const;

 private:
  static constexpr std::uint16_t kNone16 = 0xFFFF;
  static constexpr std::uint32_t kNone32 = ~std::uint32_t{0};

  struct Pending {
    Request request;
    std::uint64_t line = 0;  ///< number inside the slice's share
    bool forwarded = false;  ///< has missed in the copies of the asking SM's half
  };
  /// Sorts a batch: (arrival, source, sequence, place in the batch).
  struct Key {
    std::uint64_t arrival = 0;
    std::uint64_t rest = 0;  ///< source << 32 | sequence
    std::uint32_t index = 0;
  };
  /// A request waiting for sectors in flight.
  struct Waiter {
    std::uint64_t line = 0;  ///< byte address, for the reply
    std::uint32_t token = 0;
    std::uint32_t next = kNone32;
    std::uint16_t source = 0;
    Access access = Access::load;
    std::uint8_t sectors = 0;  ///< answered when all have come
    std::uint8_t missing = 0;  ///< of them, still in flight
    std::uint8_t same_address = 0;
    bool forwarded = false;  ///< leaves a copy in the other half
  };
  struct Mshr {
    std::uint32_t head = kNone32;  ///< waiters, oldest first
    std::uint32_t tail = kNone32;
    std::uint16_t next_free = kNone16;
  };
  struct Fill {
    std::uint64_t cycle = 0;
    std::uint32_t slot = 0;
    std::uint8_t sectors = 0;
  };
  struct Result {  ///< of the atomics unit
    std::uint64_t cycle = 0;
    Reply reply;
  };
  /// A reply on its way through the egress port, which reads of the same sectors may share.
  struct Leaving {
    std::uint64_t line = kNever;  ///< byte address
    std::uint64_t cycle = 0;      ///< last of its bytes at the port
    std::uint8_t sectors = 0;
    Level level = Level::l2;
  };
  enum class Blocked : std::uint8_t { no, on_fill, on_dram };  ///< on_fill: until a line is complete

  /// What a lookup found and needs.
  struct Lookup {
    std::uint32_t slot = L2Tags::kNoSlot;
    bool present = false;
    std::uint8_t found = 0;  ///< sectors that need nothing from DRAM
    std::uint8_t wait = 0;   ///< sectors already in flight
    std::uint8_t fetch = 0;  ///< sectors to read
    std::uint8_t evict = 0;  ///< the victim's dirty sectors
    std::uint8_t clean = 0;  ///< dirty sectors of the line to clean, see dirty_percent
    std::uint32_t clean_slot = L2Tags::kNoSlot;
  };

  void sort_batch();
  void lookup(DramChannel& dram, ReplySink& sink);
  void lookup_copy(std::uint64_t cycle, ReplySink& sink);
  void keep_copy(std::uint64_t line, std::uint32_t sectors, std::uint32_t who);
  [[nodiscard]] Lookup probe(const Pending& pending);
  bool must_wait(const Lookup& found, const DramChannel& dram, std::uint64_t cycle);
  void allocate(const Lookup& found, const Pending& pending, DramChannel& dram, std::uint64_t now);
  void find_excess(Lookup& found, const Request& request);
  void answer_found(const Lookup& found, const Request& request, std::uint64_t cycle, ReplySink& sink);
  void wait_for(const Lookup& found, const Request& request, bool forwarded);
  void count(const Lookup& found, const Request& request);
  void fill(ReplySink& sink);
  void complete(const Waiter& waiter, std::uint64_t cycle, ReplySink& sink);
  void start_atomic(std::uint64_t cycle, const Reply& reply, std::uint32_t same_address);
  void send(std::uint64_t ready, Reply reply, ReplySink& sink, bool from_copy = false);
  void send_at(std::uint64_t cycle, Reply reply, ReplySink& sink, bool from_copy);
  bool join_reply(std::uint64_t cycle, const Reply& reply, ReplySink& sink);
  void forget_reply(std::uint64_t line);
  std::uint64_t use_data(std::uint64_t ready, std::uint32_t sectors);
  void unblock(std::uint64_t cycle);
  void plan_lookup();
  void plan();
  /// Whether the request may be served by a copy in the half of its SM.
  [[nodiscard]] bool may_use_copy(const Request& request) const;
  /// Code is never far: it is not written, so each half has its own.
  [[nodiscard]] bool is_far(std::uint32_t source, Access access) const {
    return (source >= far_from_) != upper_half_ && access != Access::instruction;
  }

  PartitionCounters* counters_;
  L2Tags tags_;
  std::vector<std::uint16_t> mshr_of_;  ///< by slot; meaningful while the slot has pending sectors
  std::vector<Mshr> mshrs_;
  std::uint16_t free_mshr_ = kNone16;
  std::vector<Waiter> waiters_;
  std::uint32_t free_waiter_ = kNone32;

  std::vector<Pending> batch_;
  std::vector<Key> keys_;
  std::vector<Pending> pending_;  ///< sorted; those before head_ are done
  std::size_t head_ = 0;
  std::array<Leaving, 8> leaving_;  ///< by line, only with l2.coalesce
  Ring<Fill> fills_;
  Ring<Result> results_;

  Port ingress_;
  Port data_;
  std::uint32_t data_width_;
  std::uint32_t data_rest_ = 0;  ///< sectors of a data port cycle not yet counted as busy
  Port egress_;
  std::uint64_t tag_free_ = 0;
  std::uint64_t atomic_free_ = 0;   ///< cycle at which the atomics unit takes the next packet
  std::uint64_t atomic_chain_ = 0;  ///< and one for the same line as the last
  std::uint64_t atomic_last_ = 0;   ///< cycle of the last result
  std::uint64_t atomic_line_ = kNever;

  Lookup found_;         ///< of the oldest request
  bool probed_ = false;  ///< and whether it still holds
  Blocked blocked_ = Blocked::no;
  std::uint64_t blocked_since_ = 0;
  std::uint32_t needed_reads_ = 0;
  std::uint32_t needed_writes_ = 0;
  std::uint64_t lookup_at_ = kNever;  ///< cycle
  std::uint64_t next_ps_ = kNever;

  Divider period_;
  std::uint64_t send_delay_ps_;  ///< slice latency and wires
  std::uint64_t far_ps_;
  std::uint32_t header_;
  std::uint32_t atomic_interval_;
  std::uint32_t atomic_latency_;
  std::uint32_t dirty_ways_;
  bool replicate_;
  bool coalesce_;
  std::uint32_t sector_bytes_;
  std::uint32_t line_shift_;
  Divider block_lines_;  ///< lines of an interleave block
  std::uint32_t slices_per_channel_;
  std::uint32_t far_from_;  ///< first SM of the upper half
  std::uint16_t channel_;
  std::uint8_t index_;
  bool upper_half_;
};

}  // namespace wg::mem
