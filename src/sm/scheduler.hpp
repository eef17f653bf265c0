// Warp schedulers: which of the warps that can issue does issue.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace wg::sm {

class WarpScheduler {
 public:
  virtual ~WarpScheduler() = default;
  /// Picks one of `candidates` (not 0; bit = warp slot). `last` is the slot that issued last on this
  /// sub-core, `age[slot]` grows with the time of launch.
  [[nodiscard]] virtual std::uint32_t pick(std::uint64_t candidates, std::uint32_t last,
                                           std::span<const std::uint64_t> age) const = 0;
};

/// "gto" greedy then oldest, "gty" greedy then youngest, "lrr" loose round-robin. Throws wg::Error for
/// others.
std::unique_ptr<WarpScheduler> make_scheduler(std::string_view name);

/// The names that make_scheduler() knows.
std::span<const std::string_view> scheduler_names();

}  // namespace wg::sm
