// The host side of managed memory in a cycle-level run: a logical process of the engine.
//
// SMs send it fault entries and news of used pages; it drives the fault service and tells SMs which pages
// come and go and when to try again. Whatever it says is felt one crossbar latency later. Times are
// picoseconds of the running kernel; the driver's own clock goes on over kernels and copies.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/machine.hpp"
#include "host/uvm/allocations.hpp"
#include "host/uvm/service_loop.hpp"
#include "mem/outbox.hpp"
#include "mem/paging.hpp"
#include "trace/workload.hpp"

namespace wg::host::uvm {

class ManagedMemory {
 public:
  /// Throws wg::Error for parts that a run cannot have and for memory that holds not even one block.
  ManagedMemory(const config::Machine& machine, std::span<const Allocation> allocations);

  /// A copy by the program that takes `duration_ps` of the link, between kernels.
  void copy(const trace::Copy& copy, std::uint64_t duration_ps);
  /// Starts a kernel at time 0; `cold` empties the device. What is resident goes to `view`.
  void begin_kernel(const std::string& name, bool cold, mem::PageView& view);
  /// Ends it `time_ps` after its start. `stalled_ps`: what its issue slots lost to faults, as time.
  void end_kernel(std::uint64_t time_ps, std::uint64_t stalled_ps);

  /// Events sent in the previous epoch, any order.
  void deliver(std::span<const mem::PageEvent> events);
  /// Everything before `until` (ps).
  void run(std::uint64_t until, mem::Outbox<mem::PageReplay>& replays, std::vector<mem::PageChange>& changes);
  [[nodiscard]] std::uint64_t next_event() const;

  /// Of the last kernel, and of the run so far.
  [[nodiscard]] UvmReport kernel_report() const;
  [[nodiscard]] UvmReport report() const;
  void archive(Archive& archive);
  [[nodiscard]] const Memory& memory() const { return driver_->memory(); }

 private:
  struct Due {
    std::uint64_t time_ps = 0;  ///< of the driver's clock
    bool replay = false;
    mem::PageChange change;
  };
  void take(const mem::PageEvent& event);
  void step(std::uint64_t now);
  void schedule(const Batch& batch);
  void emit(const Due& due, mem::Outbox<mem::PageReplay>& replays, std::vector<mem::PageChange>& changes);
  [[nodiscard]] std::uint64_t local(std::uint64_t ps) const;
  /// Object of a page, or kNone.
  [[nodiscard]] std::uint32_t object_of(std::uint64_t page) const;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::vector<Allocation> allocations_;
  std::unique_ptr<UvmDriver> driver_;
  ServiceLoop loop_;
  std::uint64_t wire_ps_;
  std::uint32_t sms_;
  std::uint64_t base_ps_ = 0;  ///< driver's time at the kernel's time 0
  std::uint64_t tick_ = 0;
  std::vector<mem::PageEvent> pending_;  ///< sorted from head_ on
  std::size_t head_ = 0;
  std::deque<Due> due_;
  bool evicted_ = false;  ///< pages have left since the last replay
  std::uint32_t sequence_ = 0;
  Timeline timeline_;  ///< of the kernel
  Timeline run_timeline_;
  std::uint64_t stalled_ps_ = 0;
  UvmReport before_;  ///< at the kernel's start
  std::uint64_t kernel_stalled_ps_ = 0;
};

}  // namespace wg::host::uvm
