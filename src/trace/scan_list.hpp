// Lists of decimal numbers, fast: token ends are found 64 characters at a time, and each number is then read
// on its own without waiting for the one before.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstdint>
#include <cstring>

namespace wg::trace {

/// Bit i is set if character i of the 64 at `p` is a blank, a control character or no ASCII.
inline std::uint64_t stop_bits(const char* p) {
  std::uint64_t bits = 0;
#ifdef __SSE2__
  const __m128i limit = _mm_set1_epi8(' ' + 1);
  for (int part = 0; part < 4; ++part) {
    __m128i text;
    std::memcpy(&text, p + 16 * part, sizeof(text));
    const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmplt_epi8(text, limit)));
    bits |= std::uint64_t{mask} << (16 * part);
  }
#else
  for (int i = 0; i < 64; ++i) {
    bits |= std::uint64_t{static_cast<signed char>(p[i]) <= ' ' ? 1U : 0U} << i;
  }
#endif
  return bits;
}

/// The value of the `count` (0 to 8) digits that end at `end`; 8 characters before `end` must be readable.
/// Clears `good` if one is no digit.
inline std::uint64_t digits_before(const char* end, unsigned count, bool& good) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t kBytes = 0x0101010101010101ULL;
  std::uint64_t text = 0;
  std::memcpy(&text, end - 8, sizeof(text));
  std::uint64_t digits = text ^ (kBytes * '0');
  // Two shifts, for a count of 0 would shift by all 64 bits.
  digits &= ~std::uint64_t{0} << (4 * (8 - count)) << (4 * (8 - count));
  good = good && (((digits + kBytes * 0x76) | digits) & (kBytes * 0x80)) == 0;
  digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FFULL;
  digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFFULL;
  return (digits * 10000 + (digits >> 32)) & 0xFFFFFFFFULL;
}

/// Adds up `count` signed differences from `start` on: out[i] is the sum of `start` and the first i + 1. The
/// numbers follow `p`, each behind one space. Needs 16 readable characters before `p`. Returns the character
/// behind the last number, or nullptr where a careful scan has to look: anything unusual, numbers of more
/// than 15 digits, or fewer than 64 characters to `end` where they are needed.
inline const char* scan_differences(const char* p, const char* end, std::uint64_t start, std::uint64_t* out,
                                    std::size_t count) {
  if (count == 0 || *p != ' ') {
    return count == 0 ? p : nullptr;
  }
  const char* token = ++p;
  std::uint64_t sum = start;
  bool good = true;
  for (std::size_t done = 0; end - p >= 64; p += 64) {
    for (std::uint64_t bits = stop_bits(p); bits != 0; bits &= bits - 1) {
      const char* const stop = p + std::countr_zero(bits);
      const unsigned negative = *token == '-' ? 1U : 0U;
      const auto length = static_cast<std::uint64_t>(stop - token) - negative;
      good = good && length - 1 < 15;
      const unsigned low = length < 8 ? static_cast<unsigned>(length) : 8U;
      const unsigned high = static_cast<unsigned>(length - low) & 7U;
      const std::uint64_t magnitude =
          digits_before(stop, low, good) + 100'000'000 * digits_before(stop - 8, high, good);
      const std::uint64_t sign = 0 - std::uint64_t{negative};
      sum += (magnitude ^ sign) - sign;
      out[done++] = sum;
      if (done == count) {
        return good && (*stop == ' ' || *stop == '\n') ? stop : nullptr;
      }
      good = good && *stop == ' ';
      token = stop + 1;
    }
  }
  return nullptr;
}

}  // namespace wg::trace
