#include "codec/simd.hpp"

#include <array>
#include <cstddef>

namespace wg::codec {
namespace {

constexpr std::array kAll{Simd::scalar, Simd::avx2, Simd::avx512};

Simd detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("popcnt") != 0;
  const bool avx512 =
      avx2 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
      __builtin_cpu_supports("avx512vbmi2") != 0 && __builtin_cpu_supports("avx512bitalg") != 0;
  return avx512 ? Simd::avx512 : avx2 ? Simd::avx2 : Simd::scalar;
#else
  return Simd::scalar;
#endif
}

}  // namespace

Simd best_simd() {
  static const Simd kBest = detect();
  return kBest;
}

std::span<const Simd> available_simd() {
  return std::span(kAll).first(static_cast<std::size_t>(best_simd()) + 1);
}

std::string_view name_of(Simd simd) {
  constexpr std::array<std::string_view, 3> kNames{"scalar", "avx2", "avx512"};
  return kNames[static_cast<std::size_t>(simd)];
}

}  // namespace wg::codec
