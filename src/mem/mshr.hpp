// Miss status holding registers of the SM's first-level cache: lines in flight and who waits for them.
#pragma once

#include <cstdint>
#include <vector>

namespace wg::mem {

/// Keyed by line. Each entry has a list of waiting operations with the sectors each still needs.
class MshrFile {
 public:
  explicit MshrFile(std::uint32_t entries);

  [[nodiscard]] bool full() const { return used_ == capacity_; }
  [[nodiscard]] std::uint32_t used() const { return used_; }
  /// Sectors of `line` that are on their way.
  [[nodiscard]] std::uint8_t in_flight(std::uint64_t line) const;
  /// `operation` waits for `sectors` of `line`; they are all in flight after this call. False when the line
  /// has no entry and the file is full: nothing has changed.
  bool wait(std::uint64_t line, std::uint8_t sectors, std::uint32_t operation);

  struct Woken {
    std::uint32_t operation = 0;
    std::uint8_t sectors = 0;  ///< of this operation, answered now
  };
  /// `sectors` of `line` have arrived. Appends what that gives to each waiting operation, in waiting order;
  /// the entry is freed when nothing is in flight any more.
  void arrive(std::uint64_t line, std::uint8_t sectors, std::vector<Woken>& out);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    std::uint64_t line = 0;
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    std::uint8_t sectors = 0;
    bool used = false;
  };
  struct Waiter {
    std::uint32_t operation = 0;
    std::uint32_t next = kNone;
    std::uint8_t sectors = 0;
  };
  [[nodiscard]] std::uint32_t home(std::uint64_t line) const;
  [[nodiscard]] std::uint32_t find(
      std::uint64_t line) const;  ///< slot of the line or the free slot it would take
  void erase(std::uint32_t slot);

  std::uint32_t capacity_;
  std::uint32_t used_ = 0;
  std::uint32_t mask_;
  std::vector<Entry> table_;  ///< open addressing, linear probing, at most half full
  std::vector<Waiter> waiters_;
  std::uint32_t free_waiter_ = kNone;
};

}  // namespace wg::mem
