// Shuffles that squeeze the elements under a mask together, and spread them out again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wg::codec::detail {

/// One row of `Lanes * Width` indices for each mask of `Lanes` bits; each lane is `Width` indices.
template <std::size_t Lanes, std::size_t Width>
using ShuffleTable = std::array<std::array<std::uint8_t, Lanes * Width>, std::size_t{1} << Lanes>;

/// An index with this bit makes a zero: by PSHUFB itself, elsewhere by masking with its sign.
inline constexpr std::uint8_t kZero = 0x80;

/// Row m: the lanes under m in order, then anything.
template <std::size_t Lanes, std::size_t Width>
consteval ShuffleTable<Lanes, Width> compress_table() {
  ShuffleTable<Lanes, Width> table{};
  for (std::size_t mask = 0; mask < table.size(); ++mask) {
    std::size_t to = 0;
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      if (((mask >> lane) & 1) != 0) {
        for (std::size_t i = 0; i < Width; ++i) {
          table[mask][to++] = static_cast<std::uint8_t>(lane * Width + i);
        }
      }
    }
  }
  return table;
}

/// Row m: successive lanes to the places under m, zeros elsewhere.
template <std::size_t Lanes, std::size_t Width>
consteval ShuffleTable<Lanes, Width> expand_table() {
  ShuffleTable<Lanes, Width> table{};
  for (std::size_t mask = 0; mask < table.size(); ++mask) {
    std::size_t from = 0;
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      const bool taken = ((mask >> lane) & 1) != 0;
      for (std::size_t i = 0; i < Width; ++i) {
        table[mask][lane * Width + i] = taken ? static_cast<std::uint8_t>(from++) : kZero;
      }
    }
  }
  return table;
}

}  // namespace wg::codec::detail
