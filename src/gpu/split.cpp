#include "gpu/split.hpp"

#include <algorithm>
#include <chrono>

#include "gpu/pool.hpp"

namespace wg::gpu {

void SplitEstimate::add(std::span<const std::uint32_t> pieces, std::uint64_t serial,
                        std::size_t worth_sharing) {
  ++epochs_;
  serial_ += static_cast<double>(serial);
  for (std::size_t i = 0; i < kThreads.size(); ++i) {
    const bool shared = kThreads[i] > 1 && pieces.size() >= worth_sharing;
    busy_.assign(shared ? kThreads[i] : 1, 0);
    for (const std::uint32_t piece : pieces) {
      *std::min_element(busy_.begin(), busy_.end()) += piece;
    }
    time_[i] +=
        static_cast<double>(serial) + *std::max_element(busy_.begin(), busy_.end()) + (shared ? meeting_ : 0);
  }
}

double SplitEstimate::speedup(std::size_t i) const { return epochs_ == 0 ? 1 : time_[0] / time_[i]; }

double SplitEstimate::serial_share() const { return epochs_ == 0 ? 0 : serial_ / time_[0]; }

double measured_meeting() {
  constexpr std::size_t kRounds = 2000;
  Pool pool(2);
  std::vector<double> rounds;
  for (std::size_t i = 0; i < kRounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    pool.run(Pool::kWorthSharing, [](std::size_t) {});
    rounds.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 2, rounds.end());
  return rounds[kRounds / 2];
}

}  // namespace wg::gpu
