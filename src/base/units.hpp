// Strong unit types. A quantity never mixes with another unit by accident; `count()` is the way out.
#pragma once

#include <compare>
#include <cstdint>

namespace wg {

/// A non-negative integer amount of one unit. Arithmetic wraps as std::uint64_t does; callers keep ranges.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::uint64_t value) : value_(value) {}
  [[nodiscard]] constexpr std::uint64_t count() const { return value_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value_ + b.value_}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value_ - b.value_}; }
  friend constexpr Quantity operator*(Quantity a, std::uint64_t k) { return Quantity{a.value_ * k}; }
  friend constexpr std::uint64_t operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  constexpr Quantity& operator+=(Quantity b) {
    value_ += b.value_;
    return *this;
  }

 private:
  std::uint64_t value_ = 0;
};

using Cycles = Quantity<struct CyclesTag>;            ///< clock cycles of a domain named by the context
using Bytes = Quantity<struct BytesTag>;              ///< bytes
using Hertz = Quantity<struct HertzTag>;              ///< cycles per second
using Picoseconds = Quantity<struct PicosecondsTag>;  ///< time shared by all clock domains
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;

/// "Never": later than every reachable time, in any unit that the engine keeps as a plain integer.
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// A clock domain of fixed integer period. Cycle n begins at n * period.
class Clock {
 public:
  constexpr Clock() = default;
  /// Period is rounded to the nearest picosecond (error below 0.1 % up to 2 GHz). `rate` > 0.
  constexpr explicit Clock(Hertz rate)
      : period_((std::uint64_t{1'000'000'000'000} + rate.count() / 2) / rate.count()) {}

  [[nodiscard]] constexpr std::uint64_t period_ps() const { return period_; }
  [[nodiscard]] constexpr std::uint64_t to_ps(std::uint64_t cycle) const { return cycle * period_; }
  /// First cycle that begins at or after `ps`.
  [[nodiscard]] constexpr std::uint64_t cycle_at_or_after(std::uint64_t ps) const {
    return (ps + period_ - 1) / period_;
  }

 private:
  std::uint64_t period_ = 1;
};

}  // namespace wg
