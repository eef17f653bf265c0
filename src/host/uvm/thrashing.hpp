// Pages that CPU and GPU take from each other: put off, then pinned where they are.
//
// Source: NVIDIA's driver 595.45.04 (uvm_perf_thrashing), simplified: a page is watched from the first time
// the CPU takes it back, and a page that rests for a whole pin period is forgotten. Evictions do not count.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/archive.hpp"
#include "config/uvm.hpp"

namespace wg::host::uvm {

class Thrashing {
 public:
  enum class Hint : std::uint8_t { none, throttle, pin };

  explicit Thrashing(const config::UvmConfig& config) : config_(config) {}

  /// The page, by its number among all, moved because its other side touched it.
  void moved(std::uint64_t page, bool to_cpu, std::uint64_t now_ps);
  /// What to do with a GPU fault for a page on the CPU.
  Hint hint(std::uint64_t page, std::uint64_t now_ps);
  /// Marked as thrashing at this time.
  [[nodiscard]] bool marked(std::uint64_t page, std::uint64_t now_ps) const;
  /// When a throttled page may be asked for again.
  [[nodiscard]] std::uint64_t nap_end(std::uint64_t page) const;
  [[nodiscard]] bool idle() const { return pages_.empty(); }
  void archive(Archive& archive) { archive(pages_); }

 private:
  struct State {
    std::uint64_t last_ps = 0;
    std::uint64_t nap_ps = 0;
    std::uint64_t pinned_ps = 0;
    std::uint32_t events = 0;
    std::uint32_t throttles = 0;
  };
  [[nodiscard]] std::uint64_t lapse() const { return config_.thrash_lapse_ns * 1000; }
  [[nodiscard]] bool marked(const State& state, std::uint64_t now_ps) const;

  config::UvmConfig config_;
  std::unordered_map<std::uint64_t, State> pages_;
};

}  // namespace wg::host::uvm
