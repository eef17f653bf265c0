#include "trace/native_offsets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace wg::trace::native {
namespace {

template <class Word>
std::uint64_t word_at(const unsigned char* p, std::size_t i) {
  Word word{};
  std::memcpy(&word, p + i * sizeof(Word), sizeof(Word));
  return word;
}

/// The planes of `Width` bytes: of 1, of 2 and of 4, those that make up the width, widest first.
template <unsigned Width>
void unpack(const unsigned char* from, std::size_t count, std::uint64_t least, unsigned shift,
            std::uint64_t* to) {
  using Sum = std::conditional_t<(Width <= 4), std::uint32_t, std::uint64_t>;
  constexpr unsigned kFour = Width & 4U;
  constexpr unsigned kTwo = Width & 2U;
  const unsigned char* const two = from + kFour * count;
  const unsigned char* const one = two + kTwo * count;
  for (std::size_t begin = 0; begin < count; begin += kOffsetGroup) {
    for (std::size_t i = begin; i < begin + kOffsetGroup; ++i) {
      Sum sum = 0;
      if constexpr (Width == 8) {
        sum = word_at<std::uint64_t>(from, i);
      }
      if constexpr (kFour != 0) {
        sum |= static_cast<Sum>(word_at<std::uint32_t>(from, i));
      }
      if constexpr (kTwo != 0) {
        sum |= static_cast<Sum>(static_cast<Sum>(word_at<std::uint16_t>(two, i)) << (8 * kFour));
      }
      if constexpr ((Width & 1U) != 0) {
        sum |= static_cast<Sum>(static_cast<Sum>(word_at<std::uint8_t>(one, i)) << (8 * (kFour + kTwo)));
      }
      to[i] = least + (std::uint64_t{sum} << shift);
    }
  }
}

}  // namespace

OffsetPacking packing_for(std::uint64_t any) {
  OffsetPacking packing;
  if (any != 0) {
    packing.shift = std::min(OffsetPacking::kMostShift, static_cast<std::uint32_t>(std::countr_zero(any)));
  }
  packing.width = static_cast<unsigned>(std::bit_width(any >> packing.shift) + 7) / 8;
  return packing;
}

void write_offsets(std::span<const std::uint64_t> list, std::uint64_t least, const OffsetPacking& packing,
                   ByteWriter& out) {
  unsigned done = 0;
  for (const unsigned plane : {8U, 4U, 2U, 1U}) {
    if ((packing.width & plane) == 0) {
      continue;
    }
    for (const std::uint64_t address : list) {
      out.bytes((address - least) >> packing.shift >> (8 * done), plane);
    }
    done += plane;
  }
}

void read_offsets(const unsigned char* from, std::size_t count, std::uint64_t least,
                  const OffsetPacking& packing, std::uint64_t* to) {
  constexpr std::array kUnpack{unpack<0>, unpack<1>, unpack<2>, unpack<3>, unpack<4>,
                               unpack<5>, unpack<6>, unpack<7>, unpack<8>};
  kUnpack[std::min<std::size_t>(packing.width, kUnpack.size() - 1)](from, count, least, packing.shift, to);
}

}  // namespace wg::trace::native
