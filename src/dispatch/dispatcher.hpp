// The CTA dispatcher: hands the CTAs of one kernel to SMs. A logical process of the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "config/machine.hpp"
#include "dispatch/occupancy.hpp"
#include "dispatch/policy.hpp"
#include "mem/outbox.hpp"
#include "sm/sm.hpp"
#include "trace/workload.hpp"

namespace wg::dispatch {

class Dispatcher {
 public:
  explicit Dispatcher(const config::Machine& machine);

  /// Starts a kernel at time 0. The first CTA is placed once the kernel's launch cost is paid.
  void begin_kernel(const trace::Kernel& kernel, const Fit& fit);
  /// CTAs that have finished, sent in the previous epoch, any order.
  void deliver(std::span<const sm::CtaDone> done);
  /// Places every CTA that can be placed before `until` (ps). Throws wg::Error for bad trace text.
  void run(std::uint64_t until, mem::Outbox<sm::CtaLaunch>& out);
  /// Earliest time (ps) at which a CTA can be placed or a completion arrives; kNever if neither.
  [[nodiscard]] std::uint64_t next_event() const;

  [[nodiscard]] bool finished() const { return exhausted_ && placed_ == completed_; }
  /// No CTA is left to place.
  [[nodiscard]] bool all_placed() const { return exhausted_ && waiting_ == nullptr; }
  [[nodiscard]] std::uint64_t placed() const { return placed_; }
  [[nodiscard]] std::uint64_t completed() const { return completed_; }

 private:
  void take_completions(std::uint64_t now);
  [[nodiscard]] trace::CtaBlob* free_blob();

  const config::Machine* machine_;
  Clock clock_;
  std::unique_ptr<CtaPolicy> policy_;
  std::unique_ptr<trace::CtaSource> source_;
  std::vector<std::uint32_t> room_;                     ///< CTAs that still fit, by SM
  std::uint64_t rooms_ = 0;                             ///< sum of room_
  std::vector<std::unique_ptr<trace::CtaBlob>> blobs_;  ///< all blobs ever made
  std::vector<trace::CtaBlob*> free_;                   ///< not in use
  trace::CtaBlob* waiting_ = nullptr;                   ///< read, not placed yet
  bool exhausted_ = true;
  std::uint64_t placed_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t next_place_ps_ = 0;   ///< launch rate
  std::uint64_t rate_remainder_ = 0;  ///< thousandths of a picosecond carried over
  std::vector<sm::CtaDone> pending_;  ///< sorted from head_ on
  std::size_t head_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace wg::dispatch
