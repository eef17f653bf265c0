// A streaming multiprocessor: a logical process of the engine.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/machine.hpp"
#include "mem/messages.hpp"
#include "mem/outbox.hpp"
#include "mem/partition.hpp"
#include "sm/counters.hpp"
#include "sm/fetch.hpp"
#include "sm/lsu.hpp"
#include "sm/port.hpp"
#include "sm/scheduler.hpp"
#include "sm/stall.hpp"
#include "sm/wake_wheel.hpp"
#include "trace/workload.hpp"

namespace wg::sm {

/// Dispatcher -> SM: a CTA to run. The blob comes back with its end, without the text.
struct CtaLaunch {
  std::uint64_t arrival = 0;  ///< ps
  std::uint32_t sequence = 0;
  std::uint16_t source = 0;
  trace::CtaBlob* blob = nullptr;
};

/// SM -> dispatcher: its last warp has left.
struct CtaDone {
  std::uint64_t arrival = 0;  ///< ps, one crossbar latency after `cycle`
  std::uint32_t sequence = 0;
  std::uint16_t source = 0;  ///< SM
  std::uint64_t cycle = 0;   ///< SM cycle in which the last warp left
  trace::CtaBlob* blob = nullptr;
};

/// What the SM must know of a kernel before its first CTA.
struct KernelSetup {
  const trace::Kernel* kernel = nullptr;
  std::uint64_t l1_bytes = 0;  ///< data cache's share of the unified array
  std::uint64_t code = 0;      ///< device address of the kernel's code
};

/// What one static instruction did on this SM.
struct InstProfile {
  std::uint64_t issues = 0;
  std::uint64_t threads = 0;
  StallCycles stalls{};  ///< warp cycles between being next in line and issuing
};

class Sm {
 public:
  Sm(const config::Machine& machine, std::uint32_t index, const mem::AddressMap& map);
  Sm(const Sm&) = delete;
  Sm& operator=(const Sm&) = delete;

  /// Starts a kernel at cycle 0 with empty L1, shared memory and instruction caches. The SM must be idle.
  void begin_kernel(const KernelSetup& setup);

  /// Messages sent in the previous epoch; they arrive at or after the time the SM has run to.
  void deliver(std::span<const CtaLaunch> launches);
  void deliver(std::span<const mem::Reply> replies) { port_.deliver(replies); }
  /// Managed memory: what `view` says now and until the next epoch. Call once, before any kernel.
  void watch(const mem::PageView* view) { lsu_.pages().watch(view); }
  /// Where page events of the coming epoch go; only with a view.
  void connect(mem::Outbox<mem::PageEvent>& events) { lsu_.pages().connect(events); }
  void deliver(std::span<const mem::PageReplay> replays);
  /// Runs every cycle that begins before `until` (ps). Throws wg::Error for bad trace text met on the way.
  void run(std::uint64_t until, mem::Outbox<mem::Request>& requests, mem::Outbox<CtaDone>& done);
  /// Start (ps) of the next cycle with something to do; kNever when only a message can change anything.
  [[nodiscard]] std::uint64_t next_event() const;
  /// No CTA, nothing in flight.
  [[nodiscard]] bool idle() const;
  /// Last cycle in which a CTA left: its warps had exited and their loads and stores were done.
  [[nodiscard]] std::uint64_t last_activity() const { return last_exit_; }

  /// Brings the counters of resident warps and of the port up to `cycle`, the end of a timeline interval.
  void flush(std::uint64_t cycle);
  /// Attributes the slots that are still open up to `cycle` (the kernel's end). Call once, after the last
  /// run().
  void close_slots(std::uint64_t cycle);

  /// Warps of this kernel whose recording does not end in EXIT.
  [[nodiscard]] std::uint64_t unfinished_warps() const { return unfinished_warps_; }
  [[nodiscard]] const SmCounters& counters() const { return counters_; }
  [[nodiscard]] std::span<const InstProfile> profile() const { return profile_; }
  [[nodiscard]] const trace::CtaDecoder& decoder() const { return *decoder_; }
  /// One line per warp that can never go on: "SM 3 CTA (0,0,0) warp 2 at pc 0x40 BAR.SYNC: ...".
  [[nodiscard]] std::vector<std::string> stuck() const;

 private:
  static constexpr std::uint64_t kPending = kNever;

  struct IssueInfo {  // what issuing a static instruction needs, looked up once
    config::Pipe pipe = config::Pipe::alu;
    bool scoreboard = false;
    bool bank_conflict = false;  ///< three source registers of one bank
    std::uint32_t latency = 4;
    std::uint32_t interval = 2;
    std::uint64_t constant_ready = 0;  ///< LDC: cycle its line is there; kNever = not asked for yet
  };
  struct Warp {
    const trace::DynInst* next = nullptr;
    const trace::DynInst* end = nullptr;
    std::uint64_t ready = 0;      ///< cycle from which `next` may issue; kPending while unknown
    std::uint64_t available = 0;  ///< cycle after the previous issue, or the start
    std::uint64_t fetched = 0;    ///< cycle from which `next` is in the instruction buffer
    std::uint64_t held = 0;       ///< not before this cycle (branch bubble, barrier, membar)
    std::uint32_t cta = 0;
    std::uint32_t index = 0;                  ///< inside the CTA
    std::uint32_t loads = 0;                  ///< whose registers are not written
    std::uint32_t stores = 0;                 ///< not acknowledged
    std::uint32_t copies = 0;                 ///< asynchronous copies under way
    std::uint32_t async_open = 0;             ///< asynchronous copies of the group not closed yet
    std::vector<std::uint32_t> async_groups;  ///< copies outstanding per closed group, oldest first
    std::uint32_t first_group = 0;            ///< number of async_groups.front()
    std::int32_t wait_groups = -1;            ///< DEPBAR: groups that may stay open; -1 = not waiting
    std::uint64_t async_ready = 0;            ///< cycle from which the copies made so far can be used
    bool wait_stores = false;                 ///< MEMBAR
    bool at_barrier = false;
    Stall reason = Stall::no_warp;  ///< what `ready` waits for
    Stall held_reason = Stall::no_warp;
  };
  struct Cta {
    bool used = false;
    trace::CtaBlob* blob = nullptr;
    trace::CtaTrace trace;
    std::uint32_t live = 0;                   ///< warps that have not exited
    std::uint32_t draining = 0;               ///< warps that have, but whose memory operations are under way
    std::array<std::uint64_t, 16> arrived{};  ///< slots of live warps that have arrived at each named barrier
    std::array<std::uint64_t, 16> waiting{};  ///< of these, the ones that wait there
    std::vector<std::uint32_t> slots;
  };
  struct SubCore {
    std::uint64_t mask = 0;                            ///< warp slots of this sub-core
    std::uint64_t next_try = 0;                        ///< no issue can happen before
    std::uint64_t next_slot = 0;                       ///< first issue slot not accounted for
    std::uint32_t last = 0;                            ///< warp that issued last
    std::array<std::uint64_t, config::kPipes> free{};  ///< cycle from which a pipe accepts
    std::uint32_t reuse_warp = ~std::uint32_t{0};
    std::array<std::uint16_t, 3> reuse{};  ///< operands of the last instruction by slot
    bool had_warp = false;
    std::uint64_t drained = 0;  ///< cycle in which the last of its draining warps was done
  };

  void step(std::uint64_t cycle);
  [[nodiscard]] std::uint64_t next_cycle() const;
  void accept(const CtaLaunch& launch, std::uint64_t cycle);
  void start_warp(std::uint32_t slot, std::uint64_t cycle, std::uint64_t start);
  void take_replays(std::uint64_t cycle);
  void wake(std::uint64_t warps, std::uint64_t cycle);
  void apply(const Completion& completion, std::uint64_t cycle);
  void try_issue(SubCore& core, std::uint32_t index, std::uint64_t cycle);
  void issue(SubCore& core, std::uint32_t subcore, std::uint32_t slot, std::uint64_t cycle);
  void account(SubCore& core, const Warp& warp, const IssueInfo& info, InstProfile& profile,
               std::uint64_t cycle);
  void execute(SubCore& core, std::uint32_t subcore, std::uint32_t slot, const trace::DynInst& dyn,
               std::uint64_t cycle);
  [[nodiscard]] std::uint64_t constant_ready(IssueInfo& info, std::uint32_t slot, const trace::DynInst& dyn,
                                             std::uint64_t cycle);
  void execute_memory(std::uint32_t subcore, std::uint32_t slot, const trace::DynInst& dyn,
                      std::uint64_t cycle);
  void execute_barrier(std::uint32_t slot, const isa::StaticInst& inst, std::uint64_t cycle);
  void release_if_complete(Cta& cta, std::uint32_t id, std::uint64_t cycle);
  void execute_depbar(std::uint32_t slot, const isa::StaticInst& inst, std::uint64_t cycle);
  void settle_groups(Warp& warp);
  void advance(std::uint32_t subcore, std::uint32_t slot, std::uint64_t cycle);
  void evaluate(std::uint32_t slot, std::uint64_t cycle);
  void leave(std::uint32_t slot, std::uint64_t cycle);
  void finish_warp(std::uint32_t slot, std::uint64_t cycle);
  void blame_absence(const SubCore& core, std::uint64_t from, std::uint64_t until);
  [[nodiscard]] std::uint64_t drain_cycles(const SubCore& core, std::uint64_t from,
                                           std::uint64_t until) const;
  void extend_tables();
  [[nodiscard]] IssueInfo issue_info(const isa::StaticInst& inst);
  [[nodiscard]] std::uint32_t bank_penalty(SubCore& core, std::uint32_t slot, const isa::StaticInst& inst,
                                           bool possible);
  void set_registers(std::uint32_t slot, const isa::StaticInst& inst, std::uint64_t ready, Stall reason);
  [[nodiscard]] std::uint32_t subcore_of(std::uint32_t slot) const { return slot % subcores_; }
  void count_residents(std::uint64_t cycle);

  const config::Machine* machine_;
  Clock clock_;
  std::uint64_t wire_ps_;
  std::uint32_t index_;
  std::uint32_t subcores_;
  SmCounters counters_;
  Port port_;
  FetchUnit fetch_;
  LoadStoreUnit lsu_;
  mem::SectorTags constants_;
  std::unique_ptr<WarpScheduler> scheduler_;
  std::unique_ptr<trace::CtaDecoder> decoder_;
  std::span<const isa::StaticInst> insts_;  ///< of decoder_

  std::uint64_t cycle_ = 0;     ///< first cycle not simulated yet
  std::uint64_t occupied_ = 0;  ///< slots of resident CTAs
  std::uint64_t live_ = 0;      ///< slots with a warp that has not exited
  std::uint64_t draining_ = 0;  ///< slots with a warp that has, but waits for its memory operations
  std::uint64_t ready_ = 0;     ///< slots whose next instruction waits for nothing but its pipe
  std::array<std::uint64_t, config::kPipes> heads_{};  ///< slots by the pipe of their next instruction
  WakeWheel wheel_;
  std::vector<Warp> warps_;
  std::vector<std::uint64_t> age_;
  std::uint64_t launches_ = 0;
  std::vector<Cta> ctas_;
  std::vector<SubCore> cores_;
  std::vector<std::uint64_t> register_ready_;  ///< slot-major, kRegCount each; kPending while in flight
  std::vector<Stall> register_reason_;
  std::vector<IssueInfo> infos_;  ///< by static instruction
  std::vector<InstProfile> profile_;
  std::uint32_t constants_seen_ = 0;
  std::vector<Completion> completions_;
  std::vector<CtaLaunch> launches_pending_;  ///< sorted from launch_head_ on
  std::size_t launch_head_ = 0;
  std::vector<mem::PageReplay> replays_pending_;  ///< in order
  mem::Outbox<CtaDone>* done_out_ = nullptr;
  std::uint32_t done_sequence_ = 0;
  std::uint64_t last_exit_ = 0;
  std::uint64_t residents_since_ = 0;
  std::uint64_t unfinished_warps_ = 0;
};

}  // namespace wg::sm
