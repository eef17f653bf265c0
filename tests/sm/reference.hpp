// A deliberately naive SM: every cycle it looks at every warp, every register, every entry. No masks, no
// calendar, no skipping, the plainest data structures. Written from the rules in src/sm/README.md; shares no
// code with wg::sm but the values that go in and come out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench.hpp"

namespace wg::sm::test {

/// The crossbar port: both directions are servers of fixed bandwidth; then the wires.
struct NaivePort {
  const config::Machine* machine = nullptr;
  std::uint16_t sm = 0;
  std::uint64_t send_free = 0, receive_free = 0;  ///< ps
  std::uint32_t sequence = 0;
  std::vector<mem::Request> sent;
  std::vector<mem::Reply> coming;                            ///< on the wires
  std::deque<std::pair<std::uint64_t, mem::Reply>> arrived;  ///< with the cycle in which the SM has it
  std::uint64_t packets_out = 0, bytes_out = 0, packets_in = 0, bytes_in = 0;

  void send(mem::Request request, std::uint64_t cycle);
  /// Replies that the SM has in `cycle`, in order.
  std::vector<mem::Reply> take(std::uint64_t cycle);
};

/// Sectors of lines, least recently used first in each set.
struct NaiveTags {
  struct Line {
    std::uint64_t address = 0;
    std::uint8_t sectors = 0;
    std::uint8_t coming = 0;  ///< sectors that the line is kept for
  };
  std::vector<std::list<Line>> sets;
  std::size_t ways = 1;
  std::uint64_t line_bytes = 128;

  NaiveTags() = default;
  NaiveTags(std::uint64_t lines, std::size_t ways, std::uint64_t line_bytes);
  std::uint8_t lookup(std::uint64_t address, std::uint8_t sectors);
  void fill(std::uint64_t address, std::uint8_t sectors);
  /// Gives the line a place before its data comes; false when all places of its set are kept for others.
  bool reserve(std::uint64_t address, std::uint8_t sectors);

 private:
  std::list<Line>& set_of(std::uint64_t address);
  bool make_room(std::list<Line>& set) const;
};

/// Instruction caches.
struct NaiveFetch {
  struct Line {
    std::uint64_t number = 0;
    std::uint64_t ready = 0;  ///< kNever: on its way
  };
  struct Pending {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> missing;    ///< byte addresses of sectors
    std::vector<std::uint32_t> warps;      ///< slots
    std::vector<std::uint32_t> sub_cores;  ///< whose L0 takes the line
  };
  const config::Machine* machine = nullptr;
  NaivePort* port = nullptr;
  SmCounters* counters = nullptr;
  std::uint64_t code = 0;
  std::vector<std::vector<std::list<Line>>> l0;  ///< [sub-core][set], least recently used first
  NaiveTags l1;
  std::vector<Pending> pending;

  void reset();
  /// The cycle from which the line is there, or kNever.
  std::uint64_t enter(std::uint32_t sub_core, std::uint32_t slot, std::uint64_t pc, std::uint64_t cycle);
  /// Slots whose line is complete now.
  std::vector<std::uint32_t> reply(const mem::Reply& reply, std::uint64_t cycle);

 private:
  Line* find(std::uint32_t sub_core, std::uint64_t number);
  std::uint64_t bring(std::uint32_t sub_core, std::uint64_t number, std::uint64_t cycle, std::uint64_t delay);
};

/// A memory instruction between issue and its last answer.
struct NaiveAccess {
  enum class Kind { fixed, shared, load, bypass, store, atomic, reduction, async_copy };
  struct Line {
    std::uint64_t address = 0;
    std::uint8_t sectors = 0, full = 0, operations = 0, same = 0;
  };
  Kind kind = Kind::fixed;
  std::uint64_t warp = 0;  ///< serial number of the warp
  std::uint32_t slot = 0;
  std::uint32_t sub_core = 0;
  std::uint32_t inst = 0;
  isa::StaticInst info;
  std::uint32_t group = 0;
  std::uint64_t issued = 0;
  std::uint32_t passes = 1;
  std::uint32_t extra = 0;
  std::uint32_t turns = 0;  ///< of global loads that hit, through the data banks
  bool local = false;
  std::vector<Line> lines;
  std::size_t next_line = 0;
  std::uint32_t unanswered = 0;  ///< sectors
  std::uint64_t ready = 0;
  mem::Level level = mem::Level::l1;

  [[nodiscard]] bool writes() const { return kind == Kind::store || kind == Kind::reduction; }
};

/// What an access tells its warp when it is over.
struct NaiveResult {
  std::shared_ptr<NaiveAccess> access;
  std::uint64_t ready = 0;
  Stall reason = Stall::memory_l1;
};

struct NaiveMshr {
  struct Waiter {
    std::shared_ptr<NaiveAccess> access;
    std::uint8_t sectors = 0;
  };
  std::uint64_t line = 0;
  std::vector<Waiter> waiters;
};

/// The LD/ST unit.
struct NaiveLsu {
  const config::Machine* machine = nullptr;
  std::uint32_t sm = 0;
  NaivePort* port = nullptr;
  SmCounters* counters = nullptr;
  trace::KernelHeader kernel;
  NaiveTags tags;
  std::vector<NaiveMshr> mshrs;
  std::deque<std::shared_ptr<NaiveAccess>> queue;
  std::vector<std::shared_ptr<NaiveAccess>> packets;  ///< by token: accesses that pass by the L1
  std::uint32_t packets_open = 0;                     ///< sectors of these not answered
  std::uint64_t free = 0;
  std::uint32_t credits_used = 0;

  [[nodiscard]] bool full(std::uint32_t sub_core) const;
  void push(const std::shared_ptr<NaiveAccess>& access, const trace::DynInst& dyn,
            const trace::CtaTrace& cta);
  void serve(std::uint64_t cycle, std::vector<NaiveResult>& results);
  void reply(const mem::Reply& reply, std::uint64_t cycle, std::vector<NaiveResult>& results);
  [[nodiscard]] bool idle() const;

 private:
  void classify_shared(NaiveAccess& access, std::uint32_t mask, const std::vector<std::uint64_t>& lanes);
  void local_lines(NaiveAccess& access, std::uint32_t mask, const std::vector<std::uint64_t>& lanes,
                   std::uint64_t window);
  bool serve_line(const std::shared_ptr<NaiveAccess>& access, const NaiveAccess::Line& line,
                  std::uint64_t cycle, bool& by_credit);
  bool serve_cached(const std::shared_ptr<NaiveAccess>& access, const NaiveAccess::Line& line,
                    std::uint64_t cycle);
  void answer(const std::shared_ptr<NaiveAccess>& access, std::uint32_t sectors, mem::Level level,
              std::uint64_t cycle, std::vector<NaiveResult>& results);
  void finish(const std::shared_ptr<NaiveAccess>& access, std::vector<NaiveResult>& results);
};

class NaiveSm {
 public:
  NaiveSm(const config::Machine& machine, const trace::Kernel& kernel, std::uint64_t l1_bytes,
          std::uint64_t code);

  void launch(const CtaLaunch& launch) { launches_.push_back(launch); }
  void reply(const mem::Reply& reply) { port_.coming.push_back(reply); }
  /// Simulates the next cycle.
  void step();
  [[nodiscard]] std::uint64_t now() const { return cycle_; }
  [[nodiscard]] bool idle() const;
  void close(std::uint64_t end);

  [[nodiscard]] std::uint64_t last_activity() const { return last_exit_; }
  std::vector<mem::Request> take_requests() { return std::exchange(port_.sent, {}); }
  std::vector<CtaDone> take_done() { return std::exchange(done_, {}); }
  [[nodiscard]] const SmCounters& counters() const { return counters_; }
  [[nodiscard]] const std::vector<InstProfile>& profile() const { return profile_; }
  [[nodiscard]] std::size_t live_warps() const;

 private:
  struct Cta;
  struct Warp {
    std::uint64_t serial = 0;  ///< also its age
    std::uint32_t slot = 0;
    Cta* cta = nullptr;
    bool live = true;
    std::size_t next = 0, end = 0;  ///< records of the CTA's trace
    std::uint64_t available = 0, fetched = 0, held = 0;
    Stall held_reason = Stall::no_warp;
    std::vector<std::uint64_t> ready;  ///< by register; kNever while in flight
    std::vector<Stall> reason;
    std::uint32_t stores = 0;
    std::uint32_t open = 0;  ///< accesses that will still tell their end
    bool waits_for_stores = false;
    int barrier = -1;                   ///< waits there
    std::vector<int> arrived;           ///< barriers it has arrived at
    std::vector<std::uint32_t> groups;  ///< copies outstanding, by number of the group; the last one is open
    int groups_allowed = -1;            ///< waits until at most so many are open
    std::uint64_t copies_there = 0;     ///< cycle from which the copies finished so far can be used
  };
  struct Cta {
    trace::CtaTrace trace;
    trace::CtaBlob* blob = nullptr;
    std::vector<Warp*> warps;
    std::uint32_t live = 0;
  };
  struct EmptySlot {
    std::uint64_t cycle = 0;
    bool draining = false;  ///< some warp of the sub-core had exited with accesses open
  };
  struct SubCore {
    std::array<std::uint64_t, config::kPipes> free{};
    std::vector<EmptySlot> empty;  ///< cycles without issue not accounted for
    bool had_warp = false;
    std::uint32_t last = 0;
    std::uint32_t reuse_slot = ~0U;
    std::array<std::uint16_t, 3> reuse{};
  };
  struct Readiness {
    std::uint64_t cycle = kNever;  ///< kNever: waits for an event
    Stall reason = Stall::dependence;
  };

  void accept(const CtaLaunch& launch);
  void apply(const NaiveResult& result);
  void issue_one(std::uint32_t sub_core);
  void issue(SubCore& core, std::uint32_t sub_core, Warp& warp);
  void account(SubCore& core, const Warp& warp, const Readiness& ready, const isa::StaticInst& inst,
               InstProfile& profile);
  void execute(SubCore& core, std::uint32_t sub_core, Warp& warp, const trace::DynInst& dyn);
  void execute_access(std::uint32_t sub_core, Warp& warp, const trace::DynInst& dyn);
  [[nodiscard]] std::uint64_t constant_ready(const Warp& warp, const trace::DynInst& dyn);
  void execute_depbar(Warp& warp, std::uint32_t inst);
  void check_barriers(Cta& cta);
  void leave(Warp& warp);
  void finish_cta(Cta& cta);
  [[nodiscard]] bool drains(std::uint32_t sub_core) const;
  [[nodiscard]] Stall nobody(const SubCore& core, const EmptySlot& slot) const;
  [[nodiscard]] Readiness readiness(const Warp& warp) const;
  [[nodiscard]] std::size_t open_groups(const Warp& warp) const;
  [[nodiscard]] std::uint32_t bank_penalty(SubCore& core, std::uint32_t slot,
                                           const isa::StaticInst& inst) const;
  [[nodiscard]] std::uint32_t latency(const isa::StaticInst& inst) const;
  [[nodiscard]] std::uint32_t interval(const isa::StaticInst& inst) const;
  void write(Warp& warp, const isa::StaticInst& inst, std::uint64_t ready, Stall reason);
  [[nodiscard]] Warp* in_slot(std::uint32_t slot);
  [[nodiscard]] Warp* pick(const std::vector<Warp*>& candidates, const SubCore& core) const;

  config::Machine machine_;
  SmCounters counters_;
  NaivePort port_;
  NaiveFetch fetch_;
  NaiveLsu lsu_;
  std::unique_ptr<trace::CtaDecoder> decoder_;
  std::vector<isa::StaticInst> insts_;
  NaiveTags constants_;
  std::vector<bool> constant_touched_;  ///< by instruction
  std::vector<std::uint64_t> constant_ready_;
  std::vector<InstProfile> profile_;
  std::uint64_t cycle_ = 0;
  std::uint64_t serial_ = 0;
  std::vector<std::unique_ptr<Cta>> ctas_;  ///< resident
  std::vector<std::unique_ptr<Warp>> all_;  ///< every warp ever, for accesses that outlive it
  std::vector<Warp*> slots_;                ///< resident warp by slot, left or not
  std::vector<SubCore> cores_;
  std::deque<CtaLaunch> launches_;
  std::vector<CtaDone> done_;
  std::uint32_t done_sequence_ = 0;
  std::uint64_t last_exit_ = 0;
};

/// run_bench() with the naive SM. `limit` = cycles after which a deadlock is assumed.
Outcome run_naive(const config::Machine& machine, const Code& code, const BenchOptions& options,
                  std::uint64_t limit);

}  // namespace wg::sm::test
