// CTA placement policies: which SM gets the next CTA.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace wg::dispatch {

class CtaPolicy {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  virtual ~CtaPolicy() = default;
  /// `room[i]` = CTAs that still fit on SM i. Returns an SM with room, or kNone when there is none.
  virtual std::uint32_t pick(std::span<const std::uint32_t> room) = 0;
};

/// "round-robin": the next SM after the last one used (breadth first, as measured on hardware);
/// "least-loaded": the SM with most room, lowest number first; "fill": fills one SM after the other.
/// Throws wg::Error for other names.
std::unique_ptr<CtaPolicy> make_policy(std::string_view name);

/// The names that make_policy() knows.
std::span<const std::string_view> policy_names();

}  // namespace wg::dispatch
