#include "dispatch/policy.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"

namespace wg::dispatch {
namespace {

class RoundRobin final : public CtaPolicy {
 public:
  std::uint32_t pick(std::span<const std::uint32_t> room) override {
    for (std::size_t tried = 0; tried < room.size(); ++tried) {
      const std::uint32_t sm = next_ % static_cast<std::uint32_t>(room.size());
      next_ = sm + 1;
      if (room[sm] > 0) {
        return sm;
      }
    }
    return kNone;
  }

 private:
  std::uint32_t next_ = 0;
};

class LeastLoaded final : public CtaPolicy {
 public:
  std::uint32_t pick(std::span<const std::uint32_t> room) override {
    const auto best = std::max_element(room.begin(), room.end());
    return best == room.end() || *best == 0 ? kNone : static_cast<std::uint32_t>(best - room.begin());
  }
};

class Fill final : public CtaPolicy {
 public:
  std::uint32_t pick(std::span<const std::uint32_t> room) override {
    const auto first = std::find_if(room.begin(), room.end(), [](std::uint32_t r) { return r > 0; });
    return first == room.end() ? kNone : static_cast<std::uint32_t>(first - room.begin());
  }
};

constexpr std::array<std::string_view, 3> kNames = {"round-robin", "least-loaded", "fill"};

}  // namespace

std::span<const std::string_view> policy_names() { return kNames; }

std::unique_ptr<CtaPolicy> make_policy(std::string_view name) {
  if (name == "round-robin") {
    return std::make_unique<RoundRobin>();
  }
  if (name == "least-loaded") {
    return std::make_unique<LeastLoaded>();
  }
  if (name == "fill") {
    return std::make_unique<Fill>();
  }
  throw Error({.where = "launch.policy",
               .expected = "round-robin, least-loaded or fill",
               .found = std::string(name)});
}

}  // namespace wg::dispatch
