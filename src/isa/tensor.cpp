#include "isa/tensor.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace wg::isa {
namespace {

struct Extent {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
  [[nodiscard]] bool valid() const { return m != 0 && n != 0 && k != 0; }
};

/// A decimal of one to three digits that fills `text`, else 0.
std::uint32_t small_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && text.size() <= 3 ? value : 0;
}

/// "16816" is 16 x 8 x 16, "884" 8 x 8 x 4, "88128" 8 x 8 x 128.
Extent warp_extent(std::string_view token) {
  Extent extent;
  if (token.starts_with("168")) {
    extent = {16, 8, small_number(token.substr(3))};
  } else if (token.starts_with("88")) {
    extent = {8, 8, small_number(token.substr(2))};
  }
  return extent;
}

/// "64x128x16".
Extent warpgroup_extent(std::string_view token) {
  const std::size_t first = token.find('x');
  const std::size_t second = token.rfind('x');
  if (first == std::string_view::npos || second == first) {
    return {};
  }
  return {small_number(token.substr(0, first)), small_number(token.substr(first + 1, second - first - 1)),
          small_number(token.substr(second + 1))};
}

std::uint8_t element_bits(std::string_view name, const Modifiers& modifiers) {
  switch (name.front()) {
    case 'B':
      return 1;
    case 'D':
      return 64;
    case 'H':
      return modifiers.has("TF32") ? 32 : 16;
    case 'I':
      return modifiers.has_any({"S4", "U4"}) ? 4 : 8;
    default:
      return 8;  // QMMA, QGMMA
  }
}

std::uint32_t accumulator_bits(std::string_view name, const Modifiers& modifiers) {
  if (name.front() == 'D') {
    return 64;
  }
  bool half = false;
  modifiers.any([&half](std::string_view token) {  // the first float type is that of D
    half = token == "F16";
    return token == "F16" || token == "F32";
  });
  return half ? 16 : 32;
}

std::uint16_t registers(std::uint32_t elements, std::uint32_t bits) {
  return static_cast<std::uint16_t>(std::max(elements * bits / (32 * 32), std::uint32_t{1}));
}

/// Volta: the four quad pairs of a warp multiply 8 x 8 x 4 each, in 4 steps with FP32 and 2 with FP16
/// accumulators; each step writes a register pair.
MatrixWork volta_step(std::uint32_t result_bits) {
  const std::uint32_t steps = result_bits == 32 ? 4 : 2;
  return {.fma = 4 * 8 * 8 * 4 / steps, .bits = 16, .a = 2, .b = 2, .accumulators = 2};
}

}  // namespace

MatrixWork matrix_work(const Opcode& opcode, const Modifiers& modifiers) {
  const bool group = opcode.shape == Shape::wgmma;
  const std::uint8_t bits = element_bits(opcode.name, modifiers);
  const std::uint32_t result_bits = accumulator_bits(opcode.name, modifiers);
  Extent extent;
  modifiers.any([&](std::string_view token) {
    extent = group ? warpgroup_extent(token) : warp_extent(token);
    return extent.valid();
  });
  if (!extent.valid()) {
    extent = {16, 8, 256U / bits};
  } else if (group) {
    extent.m = std::max(extent.m / 4, std::uint32_t{1});  // four warps, 16 rows each
  } else if (bits == 16 && extent.m == 8) {
    return volta_step(result_bits);
  }
  const std::uint32_t kept = modifiers.has("SP") ? std::max(extent.k / 2, std::uint32_t{1}) : extent.k;
  MatrixWork work;
  work.bits = bits;
  work.fma = extent.m * extent.n * kept;
  work.a = registers(extent.m * kept, bits);
  work.b = group ? std::uint16_t{0} : registers(extent.k * extent.n, bits);
  work.accumulators = registers(extent.m * extent.n, result_bits);
  return work;
}

}  // namespace wg::isa
