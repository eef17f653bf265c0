#include "gpu/pool.hpp"

#include <algorithm>

namespace wg::gpu {
namespace {

constexpr int kSpins = 4000;  // a few microseconds: about the length of an epoch's imbalance

// Spins while `changed` is false, then sleeps on the atomic.
template <class Changed>
void wait_until(std::atomic<std::uint32_t>& value, Changed changed) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (changed(value.load(std::memory_order_acquire))) {
      return;
    }
    __builtin_ia32_pause();
  }
  for (std::uint32_t seen = value.load(std::memory_order_acquire); !changed(seen);
       seen = value.load(std::memory_order_acquire)) {
    value.wait(seen, std::memory_order_acquire);
  }
}

}  // namespace

// Delegates, so that the destructor ends the threads already made when one more cannot be had.
Pool::Pool(std::uint32_t threads) : Pool() {
  for (std::uint32_t i = 1; i < threads; ++i) {
    workers_.emplace_back([this] { worker(); });
  }
}

Pool::~Pool() {
  quit_.store(true, std::memory_order_release);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  workers_.clear();
}

void Pool::take() {
  for (std::size_t i = next_.fetch_add(1, std::memory_order_relaxed); i < count_;
       i = next_.fetch_add(1, std::memory_order_relaxed)) {
    try {
      (*work_)(i);
    } catch (...) {
      const std::lock_guard lock(failure_lock_);
      if (!failure_ || i < failed_at_) {
        failure_ = std::current_exception();
        failed_at_ = i;
      }
    }
  }
}

void Pool::worker() {
  for (std::uint32_t seen = 0;;) {
    wait_until(round_, [seen](std::uint32_t now) { return now != seen; });
    seen = round_.load(std::memory_order_acquire);
    if (quit_.load(std::memory_order_acquire)) {
      return;
    }
    take();
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      busy_.notify_all();
    }
  }
}

void Pool::run(std::size_t count, const std::function<void(std::size_t)>& work) {
  work_ = &work;
  count_ = count;
  next_.store(0, std::memory_order_relaxed);
  const bool shared = !workers_.empty() && count >= kWorthSharing;
  if (shared) {
    busy_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_release);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  take();
  if (shared) {
    wait_until(busy_, [](std::uint32_t now) { return now == 0; });
  }
  if (failure_) {
    std::exception_ptr failure;
    std::swap(failure, failure_);
    std::rethrow_exception(failure);
  }
}

}  // namespace wg::gpu
