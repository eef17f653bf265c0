// Threads that run the logical processes of one epoch and meet at one barrier.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace wg::gpu {

class Pool {
 public:
  /// Fewer pieces than this are done by the caller alone: waking the others costs more.
  static constexpr std::size_t kWorthSharing = 8;

  /// `threads` >= 1, the caller included.
  explicit Pool(std::uint32_t threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Calls work(i) once for every i in [0, count), spread over the threads, and returns when all are done. If
  /// calls throw, the exception of the smallest i is rethrown here.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);

  [[nodiscard]] std::uint32_t threads() const { return static_cast<std::uint32_t>(workers_.size()) + 1; }

 private:
  Pool() = default;
  void worker();
  void take();

  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t count_ = 0;
  alignas(64) std::atomic<std::size_t> next_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
  alignas(64) std::atomic<std::uint32_t> busy_{0};
  std::atomic<bool> quit_{false};
  std::mutex failure_lock_;
  std::size_t failed_at_ = 0;
  std::exception_ptr failure_;
  std::vector<std::jthread> workers_;  ///< last: they use all of the above
};

}  // namespace wg::gpu
