// A port of fixed width as a server: transfers follow each other without overlap.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mem/divider.hpp"

namespace wg::mem {

/// Times are cycles of the owner's clock. A transfer of n units occupies the n / width cycles before its end
/// (cut-through), so on an idle port it ends when it is ready; two transfers never overlap. The part of a
/// cycle that a transfer leaves unused can be used by the next.
class Port {
 public:
  /// `width` > 0, units per cycle.
  explicit Port(std::uint32_t width) : width_(width) {}

  /// Cycle at which a transfer of `units`, ready at `ready`, would be through.
  [[nodiscard]] std::uint64_t end(std::uint64_t ready, std::uint32_t units) const {
    return width_.ceiling(end_units(ready, units));
  }
  /// The same, and takes the port.
  std::uint64_t take(std::uint64_t ready, std::uint32_t units) {
    free_ = end_units(ready, units);
    return width_.ceiling(free_);
  }
  void reset() { free_ = 0; }

 private:
  [[nodiscard]] std::uint64_t end_units(std::uint64_t ready, std::uint32_t units) const {
    return std::max(ready * width_.divisor(), free_ + units);
  }

  Divider width_;
  std::uint64_t free_ = 0;  ///< end of the last transfer, in units since time 0
};

}  // namespace wg::mem
