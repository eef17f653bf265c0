// The look-ahead epoch engine: owns the logical processes of one machine and runs a kernel through them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/machine.hpp"
#include "dispatch/dispatcher.hpp"
#include "gpu/pool.hpp"
#include "gpu/split.hpp"
#include "host/uvm/managed.hpp"
#include "mem/outbox.hpp"
#include "mem/paging.hpp"
#include "mem/partition.hpp"
#include "sm/sm.hpp"
#include "trace/workload.hpp"

namespace wg::gpu {

/// Counters of the whole machine, summed in a fixed order.
struct MachineCounters {
  sm::SmCounters sm;
  mem::PartitionCounters mem;
};

/// Bytes between L2 and DRAM.
struct DramTraffic {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
};

enum class KernelEnd : std::uint8_t { finished, limit, interrupted };

struct KernelRun {
  KernelEnd end = KernelEnd::finished;
  std::uint64_t cycles = 0;  ///< SM cycles until the last CTA left and the last store was acknowledged
  dispatch::Fit fit;
  MachineCounters counters;
  std::optional<host::uvm::UvmReport> uvm;  ///< with managed memory, of this kernel
  std::vector<MachineCounters> intervals;   ///< running sums at the end of each timeline interval
  std::vector<mem::CopyReadEnd> copies;     ///< of KernelLimits::copies, over all channels
};

struct KernelLimits {
  std::uint64_t max_cycles = 0;       ///< of this kernel; 0 = none
  std::uint64_t interval_cycles = 0;  ///< timeline; 0 = none
  std::vector<mem::CopyRead> copies;  ///< that read DRAM from the kernel's beginning on, and hold it up
  /// Called from time to time with (cycle, CTAs done, warp instructions); returns false to stop.
  std::function<bool(std::uint64_t, std::uint64_t, std::uint64_t)> poll;
};

class Engine {
 public:
  /// `epoch_ps` = 0 takes one crossbar latency; longer ones are cut to it.
  /// `allocations`: managed memory, only with uvm.enable.
  Engine(const config::Machine& machine, std::uint32_t threads, std::uint64_t epoch_ps,
         std::span<const host::uvm::Allocation> allocations = {});

  /// Runs one kernel from time 0. After anything but KernelEnd::finished the engine may only be read, not
  /// run. Throws wg::Error for bad input and for a deadlock.
  KernelRun run_kernel(const trace::Kernel& kernel, bool cold, const KernelLimits& limits);

  /// Times every piece of work from now on and adds it to `split`; for an engine of one thread.
  void measure_split(SplitEstimate* split) { split_ = split; }

  /// A memory copy lands in (or is read from) L2 and DRAM; untimed. Returns the DRAM traffic that it caused
  /// at once: its own sectors and dirty ones that they push out.
  DramTraffic copy(const trace::Copy& copy);
  /// The copy takes `duration_ps` of the host link; managed pages that it wrote are on the device from now
  /// on, as far as they fit.
  void copied(const trace::Copy& copy, std::uint64_t duration_ps);
  /// Of the whole run; empty without managed memory.
  [[nodiscard]] std::optional<host::uvm::UvmReport> uvm() const;

  /// What persists between kernels.
  [[nodiscard]] std::vector<std::uint8_t> save();
  void load(std::span<const std::uint8_t> state);

  [[nodiscard]] std::span<const std::unique_ptr<sm::Sm>> sms() const { return sms_; }
  [[nodiscard]] const config::Machine& machine() const { return machine_; }

 private:
  void begin(const trace::Kernel& kernel, const dispatch::Fit& fit, bool cold);
  void begin_copies(std::span<const mem::CopyRead> copies);
  [[nodiscard]] std::vector<mem::CopyReadEnd> ends_of(std::size_t copies) const;
  void find_awake(std::uint64_t until);
  void add_awake(std::size_t first, std::span<const std::uint64_t> marks, std::size_t count,
                 std::uint64_t until);
  void run_process(std::size_t process, std::uint64_t until);
  void run_epoch(std::uint64_t until);
  void run_epoch_timed(std::uint64_t until);
  [[nodiscard]] std::uint64_t next_time() const;
  [[nodiscard]] MachineCounters sum() const;
  [[nodiscard]] std::uint64_t warp_instructions() const;
  /// Start of a cycle, or kNever when it lies beyond all time.
  [[nodiscard]] std::uint64_t time_of(std::uint64_t cycles) const;
  /// Every CTA has left and every store is acknowledged.
  [[nodiscard]] bool drained() const;
  void check_finished(const trace::Kernel& kernel) const;
  void run_host(std::uint64_t until);
  [[nodiscard]] bool host_awake(std::uint64_t until) const;
  [[nodiscard]] std::uint64_t next_page_message() const;
  void note_ran();
  void end_managed(KernelRun& run);

  config::Machine machine_;
  Clock clock_;
  std::uint64_t epoch_ps_;
  mem::AddressMap map_;
  dispatch::Dispatcher dispatcher_;
  std::vector<std::unique_ptr<sm::Sm>> sms_;
  std::vector<mem::Partition> partitions_;
  Pool pool_;

  // Mailboxes, double-buffered by epoch parity.
  std::array<mem::Outbox<sm::CtaLaunch>, 2> launches_;
  std::array<std::vector<mem::Outbox<sm::CtaDone>>, 2> done_;
  std::array<std::vector<mem::Outbox<mem::Request>>, 2> requests_;
  std::array<std::vector<mem::Outbox<mem::Reply>>, 2> replies_;
  std::uint32_t parity_ = 0;

  // Managed memory; without it there is neither a host process nor a message to or from it.
  std::unique_ptr<host::uvm::ManagedMemory> managed_;
  mem::PageView view_;
  std::array<std::vector<mem::Outbox<mem::PageEvent>>, 2> page_events_;
  std::array<mem::Outbox<mem::PageReplay>, 2> page_replays_;
  bool host_ran_ = false;                      ///< in the previous epoch
  std::vector<mem::PageChange> page_changes_;  ///< of this epoch
  std::vector<mem::PageEvent> event_inbox_;
  std::vector<std::vector<mem::PageReplay>> replay_inbox_;  ///< scratch, by SM

  // Processes are numbered: 0 the dispatcher, then SMs, then partitions, then the host if there is one.
  std::vector<std::uint64_t> next_;   ///< next event of each process
  std::vector<std::uint32_t> awake_;  ///< processes that run in this epoch
  std::vector<std::uint32_t> ran_;    ///< processes that ran in the previous one, but for the host
  std::vector<std::uint64_t> sm_marks_, partition_marks_;
  std::vector<std::vector<mem::Request>> request_inbox_;  ///< scratch, by partition
  std::vector<std::vector<mem::Reply>> reply_inbox_;      ///< scratch, by SM
  std::vector<std::vector<sm::CtaLaunch>> launch_inbox_;  ///< scratch, by SM
  std::vector<sm::CtaDone> done_inbox_;

  SplitEstimate* split_ = nullptr;
  std::vector<std::uint32_t> piece_ns_;  ///< scratch: of the epoch's processes
};

}  // namespace wg::gpu
