// How common operations are spelled on one SM version, as compilers for it emit them.
// Source: disassembly of recorded traces (sm_61, 70, 75, 80, 90); Fermi and Kepler from the CUDA binary
// utilities manual.
#pragma once

#include <cstdint>
#include <string_view>

namespace wg::kernels {

/// Where a global load may be served.
enum class CacheOp : std::uint8_t { all, l2 };

class Dialect {
 public:
  explicit constexpr Dialect(std::uint32_t sm_version) : sm_(sm_version) {}

  [[nodiscard]] constexpr std::uint32_t sm() const { return sm_; }
  [[nodiscard]] constexpr bool volta_or_later() const { return sm_ >= 70; }
  [[nodiscard]] constexpr bool has_uniform() const { return sm_ >= 75; }
  [[nodiscard]] constexpr bool has_tensor() const { return sm_ >= 70; }
  [[nodiscard]] constexpr bool has_async_copy() const { return sm_ >= 80; }
  [[nodiscard]] constexpr bool has_shuffle() const { return sm_ >= 30; }
  [[nodiscard]] constexpr bool has_shared_atomics() const { return sm_ >= 50; }

  // `width` is in bytes per lane: 4, 8 or 16.
  [[nodiscard]] std::string_view load(std::uint32_t width, CacheOp cache = CacheOp::all) const;
  [[nodiscard]] std::string_view store(std::uint32_t width) const;
  [[nodiscard]] std::string_view shared_load(std::uint32_t width) const;
  [[nodiscard]] std::string_view shared_store(std::uint32_t width) const;

  [[nodiscard]] std::string_view add() const { return volta_or_later() ? "IADD3" : "IADD"; }
  [[nodiscard]] std::string_view logic() const { return sm_ >= 50 ? "LOP3.LUT" : "LOP.AND"; }
  /// Loads a kernel parameter, the first instruction of most kernels.
  [[nodiscard]] std::string_view parameter() const;
  [[nodiscard]] std::string_view global_atomic() const;
  [[nodiscard]] std::string_view global_reduction() const;
  [[nodiscard]] std::string_view float_reduction() const;
  [[nodiscard]] std::string_view barrier() const { return "BAR.SYNC"; }
  [[nodiscard]] std::string_view shuffle_down() const { return "SHFL.DOWN"; }

 private:
  std::uint32_t sm_;
};

}  // namespace wg::kernels
