// Which vector instructions the codecs may use. Results never depend on it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wg::codec {

enum class Simd : std::uint8_t { scalar, avx2, avx512 };

/// The widest that this processor and operating system have. avx512 asks for F, BW, VL, VBMI and VBMI2
/// (Ice Lake, Zen 4 and later): VPCOMPRESSB/W come with the last.
Simd best_simd();

/// All that can run here, scalar first.
std::span<const Simd> available_simd();

std::string_view name_of(Simd simd);

}  // namespace wg::codec
