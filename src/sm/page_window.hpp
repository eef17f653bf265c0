// An SM's uTLB as far as faults go: which accesses the host hears of, and how many wait for pages.
#pragma once

#include <cstdint>
#include <vector>

#include "config/machine.hpp"
#include "mem/outbox.hpp"
#include "mem/paging.hpp"

namespace wg::sm {

class PageWindow {
 public:
  PageWindow(const config::Machine& machine, std::uint32_t sm)
      : wire_ps_(machine.xbar.latency * Clock(machine.clock.l2).period_ps()),
        limit_(machine.uvm.outstanding),
        recent_(machine.uvm.utlb),
        sm_(static_cast<std::uint16_t>(sm)) {}

  /// nullptr: no memory is managed. `view` outlives the window.
  void watch(const mem::PageView* view) { view_ = view; }
  void connect(mem::Outbox<mem::PageEvent>& out) { out_ = &out; }
  void begin_kernel() {
    sequence_ = 0;
    entries_ = 0;
    forget();
  }
  [[nodiscard]] bool on() const { return view_ != nullptr; }
  [[nodiscard]] bool absent(std::uint64_t page, std::uint64_t now_ps) const {
    return view_->state(page, now_ps) == mem::PageView::State::absent;
  }
  /// A fault entry more may be written before the next replay.
  [[nodiscard]] bool may_fault() const { return entries_ < limit_; }
  void fault(std::uint64_t page, bool write, std::uint64_t now_ps) {
    ++entries_;
    send(page, true, write, 0, now_ps);
  }
  /// An access to a page that is there, after waiting for it. Only what the uTLB misses is told.
  void use(std::uint64_t page, bool write, std::uint64_t waited_ps, std::uint64_t now_ps) {
    Entry& entry = recent_[page % recent_.size()];
    if (entry.page == page && (entry.written || !write) && waited_ps == 0) {
      return;
    }
    if (view_->state(page, now_ps) != mem::PageView::State::resident) {
      return;
    }
    entry.written = write || (entry.page == page && entry.written);
    entry.page = page;
    send(page, false, write, waited_ps, now_ps);
  }
  /// Every waiting access is tried again; entries may be written anew.
  void replay(bool evicted) {
    entries_ = 0;
    if (evicted) {
      forget();
    }
  }

 private:
  struct Entry {
    std::uint64_t page = ~std::uint64_t{0};
    bool written = false;
  };
  void forget() { recent_.assign(recent_.size(), {}); }
  void send(std::uint64_t page, bool fault, bool write, std::uint64_t waited_ps, std::uint64_t now_ps) {
    out_->push(0, {.arrival = now_ps + wire_ps_,
                   .page = page,
                   .waited_ps = waited_ps,
                   .sequence = sequence_++,
                   .source = sm_,
                   .fault = fault,
                   .write = write});
  }

  const mem::PageView* view_ = nullptr;
  mem::Outbox<mem::PageEvent>* out_ = nullptr;
  std::uint64_t wire_ps_;
  std::uint32_t limit_;
  std::uint32_t entries_ = 0;  ///< fault entries since the last replay
  std::vector<Entry> recent_;  ///< direct-mapped
  std::uint32_t sequence_ = 0;
  std::uint16_t sm_;
};

}  // namespace wg::sm
