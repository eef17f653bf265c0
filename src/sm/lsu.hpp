// The load/store unit that the sub-cores of an SM share: coalescing, L1 data cache, shared memory, atomics.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/machine.hpp"
#include "mem/coalescer.hpp"
#include "mem/l1_cache.hpp"
#include "mem/mshr.hpp"
#include "sm/counters.hpp"
#include "sm/interval_log.hpp"
#include "sm/page_window.hpp"
#include "sm/port.hpp"
#include "sm/stall.hpp"
#include "trace/workload.hpp"

namespace wg::sm {

/// Whether instructions of this class go to the LD/ST unit.
bool uses_lsu(isa::InstClass cls);

/// A warp instruction handed to the LD/ST unit at issue.
struct MemInst {
  std::uint32_t warp = 0;  ///< slot of the warp on the SM
  std::uint32_t subcore = 0;
  std::uint32_t inst = 0;                 ///< static instruction, returned in the completion
  std::uint32_t mask = 0;                 ///< not 0
  std::uint32_t group = 0;                ///< asynchronous-copy group, returned in the completion
  const isa::StaticInst* info = nullptr;  ///< read during push() only
  bool has_address = false;
  trace::AddressForm form;
};

enum class CompletionKind : std::uint8_t { registers, store, async_copy, none };

/// "The results of this instruction may be used from `cycle` on."
struct Completion {
  std::uint32_t warp = 0;
  std::uint32_t inst = 0;
  std::uint32_t group = 0;
  std::uint64_t cycle = 0;
  CompletionKind kind = CompletionKind::registers;
  Stall reason = Stall::memory_l1;  ///< what a dependent instruction was waiting for
};

class LoadStoreUnit {
 public:
  /// `counters` outlives the unit.
  LoadStoreUnit(const config::Machine& machine, std::uint32_t sm, Port& port, SmCounters& counters);

  /// Empties the caches; `l1_bytes` is the data cache's share of the unified array for this kernel.
  void begin_kernel(const trace::KernelHeader& kernel, std::uint64_t l1_bytes);
  /// Where accesses to managed memory look whether their pages are on the device.
  [[nodiscard]] PageWindow& pages() { return pages_; }
  /// The host says in `cycle` that pages have come; with `evicted`, that others have gone.
  void replay(bool evicted, std::uint64_t cycle);

  /// True when the sub-core's share of the queue is taken.
  [[nodiscard]] bool full(std::uint32_t subcore) const { return queued_[subcore] >= queue_limit_; }
  /// Accepts an instruction issued in `cycle`; it is served from cycle + 1 on. Returns the kind of completion
  /// that will follow.
  CompletionKind push(const MemInst& inst, std::uint64_t cycle);
  /// A reply has come through the port in `cycle`.
  void reply(const mem::Reply& reply, std::uint64_t cycle, std::vector<Completion>& done);
  /// Something is queued or to be tried again; otherwise run() does nothing.
  [[nodiscard]] bool has_work() const { return count_ != 0 || !retry_.empty(); }
  /// Serves what can be served in `cycle`. Returns a bit per sub-core whose queue gained room.
  std::uint32_t run(std::uint64_t cycle, std::vector<Completion>& done);
  /// First cycle after `cycle` in which run() can do something without a reply; kNever if none.
  [[nodiscard]] std::uint64_t next_cycle(std::uint64_t cycle) const;
  /// Nothing queued and nothing in flight.
  [[nodiscard]] bool idle() const { return count_ == 0 && in_flight_ == 0; }
  /// Counts the waiting that is still going on in `cycle`. Call once, at the end.
  void close(std::uint64_t cycle);
  /// When the head of the queue could not even raise its fault; when any line waited for its page.
  [[nodiscard]] const IntervalLog& held() const { return held_; }
  [[nodiscard]] const IntervalLog& waiting() const { return waiting_; }
  /// For a deadlock report: "4 lines in flight, 3 instructions queued".
  [[nodiscard]] std::string state_text() const;

 private:
  enum class Kind : std::uint8_t { fixed, shared, load, bypass, store, atomic, reduction, async_copy };
  struct Entry {
    MemInst inst;
    Kind kind = Kind::fixed;
    std::uint64_t ready = 0;   ///< earliest cycle of service
    std::uint32_t passes = 1;  ///< shared memory
    std::uint32_t conflicts =
        0;                      ///< of global loads: passes through the L1's banks beyond what the size needs
    std::uint32_t latency = 0;  ///< fixed, shared: conflict-free, issue to use
    bool answers = false;       ///< fixed, shared: a register is written
    bool shared = false;        ///< fixed, shared: what waits for it waits for shared memory
    std::uint32_t next_line = 0;  ///< first line not served yet
    std::uint32_t operation = kNone;
    bool local = false;
    mem::LineList lines;
  };
  struct Operation {
    MemInst inst;
    Kind kind = Kind::load;
    bool serving = false;  ///< still has lines at the head of the queue
    bool local = false;
    bool faulted = false;         ///< some line waited for its page
    std::uint32_t parked = 0;     ///< lines that wait for their page
    std::uint32_t remaining = 0;  ///< sectors not answered yet
    std::uint32_t conflicts = 0;  ///< passes more that hits take through the data banks
    std::uint64_t ready = 0;
    mem::Level level = mem::Level::l1;
    std::uint32_t next_free = kNone;
  };
  /// A line that waits for its page.
  struct Parked {
    std::uint32_t operation = 0;
    bool first = false;  ///< the instruction's first line in this page: raised the fault
    std::uint64_t page = 0;
    std::uint64_t since = 0;  ///< cycle
    mem::LineAccess line;
  };
  enum class Block : std::uint8_t { none, mshr, credit, fault };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kMshrToken = kNone;

  static CompletionKind completion_of(Kind kind);
  static bool changes_memory(Kind kind) {
    return kind == Kind::store || kind == Kind::atomic || kind == Kind::reduction;
  }
  Entry& slot(std::uint32_t i) { return ring_[(head_ + i) % ring_.size()]; }
  void classify(Entry& entry);
  void classify_fixed(Entry& entry);
  [[nodiscard]] std::uint32_t least_passes(std::uint32_t mask, std::uint32_t width) const;
  [[nodiscard]] std::uint32_t global_conflicts(const Entry& entry) const;
  void classify_shared(Entry& entry, std::uint64_t window);
  void local_lines(const MemInst& inst, std::uint64_t window, mem::LineList& out) const;
  [[nodiscard]] isa::Space resolve(const MemInst& inst, std::uint64_t& window) const;
  void serve_shared(Entry& entry, std::uint64_t cycle, std::vector<Completion>& done);
  bool serve_lines(Entry& entry, std::uint64_t cycle, std::vector<Completion>& done);
  bool serve_line(std::uint32_t operation, const mem::LineAccess& line, std::uint64_t cycle);
  bool serve_load_line(std::uint32_t operation, const mem::LineAccess& line, std::uint64_t cycle);
  bool serve_packet(std::uint32_t operation, const mem::LineAccess& line, std::uint64_t cycle);
  bool serve_managed(const Entry& entry, const mem::LineAccess& line, std::uint64_t asked,
                     std::uint64_t cycle);
  void park(Parked line, std::uint64_t cycle);
  [[nodiscard]] bool waits(std::uint32_t operation, std::uint64_t page) const;
  void serve_retries(std::uint64_t cycle, std::vector<Completion>& done);
  std::uint32_t new_operation(const Entry& entry);
  void finish(std::uint32_t operation, std::vector<Completion>& done);
  void count_blocked(std::uint64_t cycle);
  void answer(std::uint32_t operation, std::uint32_t amount, mem::Level level, std::uint64_t cycle,
              std::vector<Completion>& done);

  const config::Machine* machine_;
  Clock clock_;
  std::uint32_t sm_;
  mem::LineGeometry geometry_;
  std::uint32_t queue_limit_;
  bool allocate_on_miss_;
  Port* port_;
  PageWindow pages_;
  SmCounters* counters_;
  trace::KernelHeader kernel_;
  mem::SectorTags tags_;
  mem::MshrFile mshrs_;
  std::vector<Entry> ring_;  ///< instructions in issue order
  std::size_t head_ = 0;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> queued_;
  std::uint64_t free_ = 0;  ///< cycle from which the unit can serve again
  bool blocked_ = false;    ///< head waits for an MSHR, a store credit or room for its fault
  Block blocked_by_ = Block::none;
  std::uint64_t blocked_since_ = 0;
  IntervalLog held_;     ///< the head found no room for its fault
  IntervalLog waiting_;  ///< some line waits for its page
  std::vector<Parked> parked_;
  std::vector<Parked> retry_;  ///< from retry_head_ on: tried again before the queue goes on
  std::size_t retry_head_ = 0;
  std::vector<Operation> operations_;
  std::uint32_t free_operation_ = kNone;
  std::uint32_t in_flight_ = 0;     ///< operations
  std::uint32_t credits_used_ = 0;  ///< sectors of stores and atomics in flight
  std::vector<mem::MshrFile::Woken> woken_;
};

}  // namespace wg::sm
