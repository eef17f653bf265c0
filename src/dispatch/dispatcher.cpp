#include "dispatch/dispatcher.hpp"

#include <algorithm>

namespace wg::dispatch {

Dispatcher::Dispatcher(const config::Machine& machine)
    : machine_(&machine), clock_(machine.clock.sm), room_(machine.sm.count, 0) {}

void Dispatcher::begin_kernel(const trace::Kernel& kernel, const Fit& fit) {
  policy_ = make_policy(machine_->launch.policy);
  source_ = kernel.open();
  std::fill(room_.begin(), room_.end(), fit.ctas);
  rooms_ = std::uint64_t{fit.ctas} * room_.size();
  exhausted_ = false;
  waiting_ = nullptr;
  free_.clear();
  for (const std::unique_ptr<trace::CtaBlob>& blob : blobs_) {
    free_.push_back(blob.get());
  }
  placed_ = completed_ = 0;
  next_place_ps_ = clock_.to_ps(machine_->launch_costs().kernel_cycles);
  rate_remainder_ = 0;
  pending_.clear();
  head_ = 0;
  sequence_ = 0;
}

void Dispatcher::deliver(std::span<const sm::CtaDone> done) {
  if (done.empty()) {
    return;
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  pending_.insert(pending_.end(), done.begin(), done.end());
  std::sort(pending_.begin(), pending_.end(), mem::earlier<sm::CtaDone>);
}

void Dispatcher::take_completions(std::uint64_t now) {
  for (; head_ < pending_.size() && pending_[head_].arrival <= now; ++head_) {
    const sm::CtaDone& done = pending_[head_];
    if (rooms_ == 0) {
      next_place_ps_ = std::max(next_place_ps_, done.arrival);
    }
    ++room_[done.source];
    ++rooms_;
    ++completed_;
    free_.push_back(done.blob);
  }
}

trace::CtaBlob* Dispatcher::free_blob() {
  if (free_.empty()) {
    blobs_.push_back(std::make_unique<trace::CtaBlob>());
    return blobs_.back().get();
  }
  trace::CtaBlob* blob = free_.back();
  free_.pop_back();
  return blob;
}

void Dispatcher::run(std::uint64_t until, mem::Outbox<sm::CtaLaunch>& out) {
  for (;;) {
    if (!exhausted_ && waiting_ == nullptr) {
      waiting_ = free_blob();
      if (!source_->next(*waiting_)) {
        exhausted_ = true;
        free_.push_back(waiting_);
        waiting_ = nullptr;
      }
    }
    const std::uint64_t now = next_event();
    if (now == kNever || now >= until) {
      return;
    }
    take_completions(now);
    if (waiting_ == nullptr || rooms_ == 0 || next_place_ps_ > now) {
      continue;
    }
    const std::uint32_t sm = policy_->pick(room_);
    --room_[sm];
    --rooms_;
    ++placed_;
    out.push(sm, {.arrival = now + clock_.to_ps(machine_->launch_costs().cta_latency),
                  .sequence = sequence_++,
                  .blob = waiting_});
    waiting_ = nullptr;
    const std::uint64_t step =
        clock_.period_ps() * machine_->launch_costs().cta_interval_milli + rate_remainder_;
    next_place_ps_ = now + step / 1000;
    rate_remainder_ = step % 1000;
  }
}

std::uint64_t Dispatcher::next_event() const {
  const std::uint64_t completion = head_ < pending_.size() ? pending_[head_].arrival : kNever;
  if (waiting_ == nullptr) {
    // Between calls a CTA not read yet is due at once.
    return exhausted_ ? completion : std::min(completion, next_place_ps_);
  }
  return rooms_ > 0 ? next_place_ps_ : completion;
}

}  // namespace wg::dispatch
