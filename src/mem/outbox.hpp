// One sender's half of the double-buffered mailboxes: a vector per receiver.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace wg::mem {

/// The sender pushes during an epoch; after the barrier each receiver drains its own vector. Sender and
/// receivers never touch the same outbox in the same epoch, so no lock is needed.
template <class Message>
class Outbox {
 public:
  Outbox() = default;
  explicit Outbox(std::size_t receivers) : queues_(receivers), dirty_((receivers + 63) / 64) {}

  void push(std::size_t receiver, const Message& message) {
    queues_[receiver].push_back(message);
    dirty_[receiver / 64] |= std::uint64_t{1} << (receiver % 64);
    any_ = true;
    earliest_ = std::min(earliest_, message.arrival);
  }
  /// Called by the sender before it writes into this buffer again.
  void forget_marks() {
    if (any_) {
      dirty_.assign(dirty_.size(), 0);
      any_ = false;
      earliest_ = kNever;
    }
  }
  /// Earliest arrival (ps) pushed since forget_marks(); kNever if none.
  [[nodiscard]] std::uint64_t earliest() const { return earliest_; }
  /// Sets in `marks` the bit of every receiver that got something since forget_marks().
  void mark_receivers(std::vector<std::uint64_t>& marks) const {
    for (std::size_t word = 0; any_ && word < dirty_.size(); ++word) {
      marks[word] |= dirty_[word];
    }
  }
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool has(std::size_t receiver) const {
    return any_ && (dirty_[receiver / 64] >> (receiver % 64) & 1) != 0 && !queues_[receiver].empty();
  }
  /// Moves the receiver's messages to the end of `to`.
  void drain(std::size_t receiver, std::vector<Message>& to) {
    std::vector<Message>& queue = queues_[receiver];
    to.insert(to.end(), queue.begin(), queue.end());
    queue.clear();
  }

 private:
  std::vector<std::vector<Message>> queues_;
  std::vector<std::uint64_t> dirty_;
  std::uint64_t earliest_ = kNever;
  bool any_ = false;
};

}  // namespace wg::mem
