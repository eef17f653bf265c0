#include "sm/port.hpp"

#include <algorithm>
#include <bit>

namespace wg::sm {

Port::Port(const config::Machine& machine, std::uint32_t sm, const mem::AddressMap& map)
    : map_(&map),
      sm_clock_(machine.clock.sm),
      l2_period_(Clock(machine.clock.l2).period_ps()),
      wire_ps_(machine.xbar.latency * l2_period_),
      sector_(machine.l2.sector.count()),
      send_width_(machine.xbar.sm_send),
      receive_width_(machine.xbar.sm_receive),
      header_(machine.xbar.header),
      sm_(static_cast<std::uint16_t>(sm)) {}

void Port::begin_kernel() {
  sequence_ = 0;
  send_free_ = receive_free_ = 0;
  pending_.clear();
  head_ = 0;
  arrived_.clear();
  packets_ = sent_bytes_ = received_packets_ = received_bytes_ = 0;
}

void Port::send(mem::Request request, std::uint64_t now_ps) {
  const std::uint64_t bytes = std::uint64_t{header_} + request.bytes;
  send_free_ = std::max(send_free_, now_ps) + (bytes * l2_period_ + send_width_ - 1) / send_width_;
  request.source = sm_;
  request.sequence = sequence_++;
  request.arrival = send_free_ + wire_ps_;
  ++packets_;
  sent_bytes_ += bytes;
  out_->push(map_->channel(request.line), request);
}

void Port::deliver(std::span<const mem::Reply> replies) {
  if (replies.empty()) {
    return;
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  const auto old = static_cast<std::ptrdiff_t>(pending_.size());
  pending_.insert(pending_.end(), replies.begin(), replies.end());
  std::sort(pending_.begin() + old, pending_.end(), mem::earlier<mem::Reply>);
  std::inplace_merge(pending_.begin(), pending_.begin() + old, pending_.end(), mem::earlier<mem::Reply>);
}

const mem::Reply* Port::receive(std::uint64_t cycle) {
  const std::uint64_t now = sm_clock_.to_ps(cycle);
  while (head_ < pending_.size() && pending_[head_].arrival <= now) {
    const mem::Reply& reply = pending_[head_++];
    const bool data = reply.access != mem::Access::store && reply.access != mem::Access::reduction;
    const std::uint64_t bytes =
        header_ + (data ? sector_ * static_cast<std::uint64_t>(std::popcount(reply.sectors)) : 0);
    receive_free_ =
        std::max(receive_free_, reply.arrival) + (bytes * l2_period_ + receive_width_ - 1) / receive_width_;
    ++received_packets_;
    received_bytes_ += bytes;
    arrived_.push_back({sm_clock_.cycle_at_or_after(receive_free_), reply});
  }
  if (arrived_.empty() || arrived_.front().cycle > cycle) {
    return nullptr;
  }
  current_ = arrived_.front().reply;
  arrived_.pop_front();
  return &current_;
}

std::uint64_t Port::next_cycle() const {
  std::uint64_t next = arrived_.empty() ? kNever : arrived_.front().cycle;
  if (head_ < pending_.size()) {
    next = std::min(next, sm_clock_.cycle_at_or_after(pending_[head_].arrival));
  }
  return next;
}

}  // namespace wg::sm
