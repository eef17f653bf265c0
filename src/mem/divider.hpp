// Division by a number fixed at construction, by multiplication.
#pragma once

#include <cassert>
#include <cstdint>

namespace wg::mem {

/// Exact for every 64-bit dividend and divisors up to 2^63: the estimate from the rounded-up reciprocal is at
/// most one too high.
class Divider {
 public:
  constexpr Divider() = default;
  /// `divisor` > 0.
  constexpr explicit Divider(std::uint64_t divisor)
      : divisor_(divisor), reciprocal_(divisor == 1 ? 0 : ~std::uint64_t{0} / divisor + 1) {
    assert(divisor > 0);
  }

  [[nodiscard]] constexpr std::uint64_t divisor() const { return divisor_; }
  [[nodiscard]] constexpr std::uint64_t quotient(std::uint64_t n) const {
    if (reciprocal_ == 0) {
      return n;
    }
    const auto q = static_cast<std::uint64_t>((static_cast<Wide>(n) * reciprocal_) >> 64);
    return q - (n - q * divisor_ >= divisor_ ? 1 : 0);
  }
  [[nodiscard]] constexpr std::uint64_t remainder(std::uint64_t n) const {
    return n - quotient(n) * divisor_;
  }
  /// Quotient rounded up.
  [[nodiscard]] constexpr std::uint64_t ceiling(std::uint64_t n) const { return quotient(n + divisor_ - 1); }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t divisor_ = 1;
  std::uint64_t reciprocal_ = 0;
};

}  // namespace wg::mem
