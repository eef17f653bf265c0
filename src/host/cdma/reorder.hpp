// Puts lines that arrive in any order back into the order in which they were requested.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/cdma/lines.hpp"

namespace wg::host::cdma {

/// Lines have sequence numbers 0, 1, 2 ... A line takes a slot when it is requested and keeps it until all
/// before it are out. Grows with the number of lines in flight, which the engine's credits bound.
class Reorder {
 public:
  /// The line of the next number has been requested and will be `line`.
  void request(const Line& line) {
    if (requested_ - taken_ == slots_.size()) {
      grow();
    }
    Slot& slot = at(requested_++);
    slot.bytes = line.bytes;
    slot.arrived = false;
    slot.payload.assign(line.payload.begin(), line.payload.end());
  }
  [[nodiscard]] std::uint32_t bytes(std::uint64_t sequence) { return at(sequence).bytes; }
  /// Returns true when a line with a smaller number is still missing.
  bool arrive(std::uint64_t sequence) {
    at(sequence).arrived = true;
    return sequence != taken_;
  }
  /// The next line in order is there.
  [[nodiscard]] bool ready() { return taken_ != requested_ && at(taken_).arrived; }
  /// Takes it out; the payload is valid until the next request.
  Line take() {
    Slot& slot = at(taken_++);
    return {slot.bytes, slot.payload};
  }
  [[nodiscard]] std::uint64_t requested() const { return requested_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  struct Slot {
    std::uint32_t bytes = 0;
    bool arrived = false;
    std::vector<std::byte> payload;
  };
  Slot& at(std::uint64_t sequence) { return slots_[sequence & (slots_.size() - 1)]; }
  void grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    for (std::uint64_t i = taken_; i < requested_; ++i) {
      larger[i & (larger.size() - 1)] = std::move(at(i));
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  ///< a power of two
  std::uint64_t requested_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace wg::host::cdma
