// Numbers in the order of their last use.
#pragma once

#include <cstdint>
#include <vector>

#include "base/archive.hpp"

namespace wg::host::uvm {

/// A doubly linked list over small integers; every operation takes constant time.
class Recency {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Puts `id` behind all others.
  void touch(std::uint32_t id) {
    if (id == last_) {
      return;
    }
    remove(id);
    if (id >= links_.size()) {
      links_.resize(id + 1);
    }
    links_[id] = {last_, kNone, true};
    (last_ == kNone ? first_ : links_[last_].next) = id;
    last_ = id;
    ++size_;
  }
  void remove(std::uint32_t id) {
    if (id >= links_.size() || !links_[id].linked) {
      return;
    }
    const Link link = links_[id];
    (link.previous == kNone ? first_ : links_[link.previous].next) = link.next;
    (link.next == kNone ? last_ : links_[link.next].previous) = link.previous;
    links_[id].linked = false;
    --size_;
  }
  /// Least recent first; kNone ends.
  [[nodiscard]] std::uint32_t first() const { return first_; }
  [[nodiscard]] std::uint32_t next(std::uint32_t id) const { return links_[id].next; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  void archive(Archive& archive) {
    archive(links_);
    archive(first_);
    archive(last_);
    archive(size_);
  }

 private:
  struct Link {
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
    bool linked = false;
  };
  std::vector<Link> links_;
  std::uint32_t first_ = kNone;
  std::uint32_t last_ = kNone;
  std::uint32_t size_ = 0;
};

}  // namespace wg::host::uvm
