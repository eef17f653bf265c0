#include "sm/scheduler.hpp"

#include <array>
#include <bit>
#include <string>

#include "base/error.hpp"

namespace wg::sm {
namespace {

bool has(std::uint64_t mask, std::uint32_t bit) { return (mask >> bit & 1) != 0; }

class Greedy final : public WarpScheduler {
 public:
  explicit Greedy(bool oldest) : oldest_(oldest) {}
  [[nodiscard]] std::uint32_t pick(std::uint64_t candidates, std::uint32_t last,
                                   std::span<const std::uint64_t> age) const override {
    if (has(candidates, last)) {
      return last;
    }
    auto best = static_cast<std::uint32_t>(std::countr_zero(candidates));
    for (candidates &= candidates - 1; candidates != 0; candidates &= candidates - 1) {
      const auto warp = static_cast<std::uint32_t>(std::countr_zero(candidates));
      if ((age[warp] < age[best]) == oldest_) {
        best = warp;
      }
    }
    return best;
  }

 private:
  bool oldest_;
};

class RoundRobin final : public WarpScheduler {
 public:
  [[nodiscard]] std::uint32_t pick(std::uint64_t candidates, std::uint32_t last,
                                   std::span<const std::uint64_t> /*age*/) const override {
    const std::uint64_t after = last == 63 ? 0 : candidates & (~std::uint64_t{0} << (last + 1));
    return static_cast<std::uint32_t>(std::countr_zero(after != 0 ? after : candidates));
  }
};

constexpr std::array<std::string_view, 3> kNames = {"gto", "gty", "lrr"};

}  // namespace

std::span<const std::string_view> scheduler_names() { return kNames; }

std::unique_ptr<WarpScheduler> make_scheduler(std::string_view name) {
  if (name == "gto" || name == "gty") {
    return std::make_unique<Greedy>(name == "gto");
  }
  if (name == "lrr") {
    return std::make_unique<RoundRobin>();
  }
  throw Error({.where = "sm.scheduler", .expected = "gto, gty or lrr", .found = std::string(name)});
}

}  // namespace wg::sm
