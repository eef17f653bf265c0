// A queue in a power-of-two ring that grows when full and never shrinks: no allocation after warm-up.
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

namespace wg::mem {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity = 16) {
    std::size_t size = 1;
    while (size < capacity) {
      size *= 2;
    }
    items_.resize(size);
  }

  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  [[nodiscard]] const T& front() const {
    assert(!empty());
    return items_[head_ & (items_.size() - 1)];
  }
  [[nodiscard]] const T& back() const {
    assert(!empty());
    return items_[(tail_ - 1) & (items_.size() - 1)];
  }
  void push(const T& item) {
    if (size() == items_.size()) {
      grow();
    }
    items_[tail_++ & (items_.size() - 1)] = item;
  }
  void pop() {
    assert(!empty());
    ++head_;
  }
  void clear() { head_ = tail_ = 0; }

 private:
  void grow() {
    std::vector<T> larger(items_.size() * 2);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) {
      larger[i] = items_[(head_ + i) & (items_.size() - 1)];
    }
    items_.swap(larger);
    head_ = 0;
    tail_ = count;
  }

  std::vector<T> items_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace wg::mem
