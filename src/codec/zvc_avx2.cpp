// AVX2: compare, movemask, and a shuffle from a table for every 8 elements (4 of 64 bits). PDEP and PEXT are
// avoided: they are microcode on Zen 1 and 2.
#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <bit>

#include "codec/bytes.hpp"
#include "codec/zvc_kernels.hpp"
#include "codec/zvc_tables.hpp"

namespace wg::codec::detail {
namespace {

// Rows of 8 bytes serve bytes with PSHUFB and, widened, lanes of 32 bits with VPERMD.
alignas(64) constexpr auto kCompress1 = compress_table<8, 1>();
alignas(64) constexpr auto kCompress2 = compress_table<8, 2>();
alignas(64) constexpr auto kCompress8 = compress_table<4, 2>();  // 64 bits are pairs of 32
alignas(64) constexpr auto kExpand1 = expand_table<8, 1>();
alignas(64) constexpr auto kExpand2 = expand_table<8, 2>();
alignas(64) constexpr auto kExpand8 = expand_table<4, 2>();

template <std::size_t E>
constexpr std::size_t kGroup = E == 8 ? 4 : 8;  ///< elements of one shuffle

[[gnu::target("avx2,popcnt"), gnu::always_inline]] inline __m256i load256(const std::byte* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
[[gnu::target("avx2,popcnt"), gnu::always_inline]] inline __m128i load128(const void* at) {
  return _mm_loadu_si128(static_cast<const __m128i*>(at));
}
[[gnu::target("avx2,popcnt"), gnu::always_inline]] inline __m128i load64(const void* at) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(at));
}

/// Bits of the elements at `at` that are not zero; 32 bytes for 4 and 8-byte elements, a whole block
/// otherwise.
template <std::size_t E>
[[gnu::target("avx2,popcnt"), gnu::always_inline]] inline std::uint32_t nonzero(const std::byte* at) {
  const __m256i zero = _mm256_setzero_si256();
  if constexpr (E == 1) {
    return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(load256(at), zero)));
  } else if constexpr (E == 2) {
    const __m256i low = _mm256_cmpeq_epi16(load256(at), zero);
    const __m256i high = _mm256_cmpeq_epi16(load256(at + 32), zero);
    const __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xD8);
    return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(both));
  } else if constexpr (E == 4) {
    const __m256i equal = _mm256_cmpeq_epi32(load256(at), zero);
    return 0xFFU ^ static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
  } else {
    const __m256i equal = _mm256_cmpeq_epi64(load256(at), zero);
    return 0xFU ^ static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(equal)));
  }
}

template <std::size_t E>
[[gnu::target("avx2,popcnt"), gnu::always_inline]] inline std::uint32_t block_mask(const std::byte* at) {
  if constexpr (E <= 2) {
    return nonzero<E>(at);
  } else {
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < kBlockElements / kGroup<E>; ++i) {
      mask |= nonzero<E>(at + 32 * i) << (kGroup<E> * i);
    }
    return mask;
  }
}

/// Writes the elements of one group under `mask` to `to`, and garbage behind them up to the group's size.
template <std::size_t E>
[[gnu::target("avx2,popcnt"), gnu::always_inline]] inline void squeeze(const std::byte* from,
                                                                       std::uint32_t mask, std::byte* to) {
  if constexpr (E == 1) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to),
                     _mm_shuffle_epi8(load64(from), load64(kCompress1[mask].data())));
  } else if constexpr (E == 2) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm_shuffle_epi8(load128(from), load128(kCompress2[mask].data())));
  } else {
    const std::uint8_t* row = E == 4 ? kCompress1[mask].data() : kCompress8[mask].data();
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_permutevar8x32_epi32(load256(from), _mm256_cvtepu8_epi32(load64(row))));
  }
}

/// Writes one group: the elements at `from` to the places under `mask`, zeros elsewhere.
template <std::size_t E>
[[gnu::target("avx2,popcnt"), gnu::always_inline]] inline void spread(const std::byte* from,
                                                                      std::uint32_t mask, std::byte* to) {
  if constexpr (E == 1) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to),
                     _mm_shuffle_epi8(load64(from), load64(kExpand1[mask].data())));
  } else if constexpr (E == 2) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm_shuffle_epi8(load128(from), load128(kExpand2[mask].data())));
  } else {
    const std::uint8_t* row = E == 4 ? kExpand1[mask].data() : kExpand8[mask].data();
    const __m256i index = _mm256_cvtepi8_epi32(load64(row));
    const __m256i moved = _mm256_permutevar8x32_epi32(load256(from), index);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_andnot_si256(_mm256_srai_epi32(index, 31), moved));
  }
}

template <std::size_t E>
[[gnu::target("avx2,popcnt")]] Cursor encode(Cursor at, const std::byte* in_end, std::byte* out_end) {
  constexpr std::uint32_t kMask = (1U << kGroup<E>)-1;
  constexpr std::ptrdiff_t kBlock = block_bytes(E);
  constexpr std::ptrdiff_t kRoom = block_room(E);
  auto [in, out] = at;
  for (; in_end - in >= kBlock && out_end - out >= kRoom; in += kBlock) {
    const std::uint32_t mask = block_mask<E>(in);
    store(out, mask);
    out += kMaskBytes;
    for (std::size_t i = 0; i < kBlockElements / kGroup<E>; ++i) {
      const std::uint32_t group = (mask >> (kGroup<E> * i)) & kMask;
      squeeze<E>(in + kGroup<E> * E * i, group, out);
      out += static_cast<std::size_t>(_mm_popcnt_u32(group)) * E;
    }
  }
  return {in, out};
}

template <std::size_t E>
[[gnu::target("avx2,popcnt")]] Cursor decode(Cursor at, const std::byte* in_end, std::byte* out_end) {
  constexpr std::uint32_t kMask = (1U << kGroup<E>)-1;
  constexpr std::ptrdiff_t kBlock = block_bytes(E);
  constexpr std::ptrdiff_t kRoom = block_room(E);
  auto [in, out] = at;
  for (; in_end - in >= kRoom && out_end - out >= kBlock; out += kBlock) {
    const auto mask = load<std::uint32_t>(in);
    const std::byte* from = in + kMaskBytes;
    in = from + static_cast<std::size_t>(_mm_popcnt_u32(mask)) * E;
    for (std::size_t i = 0; i < kBlockElements / kGroup<E>; ++i) {
      const std::uint32_t group = (mask >> (kGroup<E> * i)) & kMask;
      spread<E>(from, group, out + kGroup<E> * E * i);
      from += static_cast<std::size_t>(_mm_popcnt_u32(group)) * E;
    }
  }
  return {in, out};
}

template <std::size_t E>
[[gnu::target("avx2,popcnt")]] void masks(const std::byte* in, std::size_t blocks, std::uint32_t* out) {
  for (std::size_t i = 0; i < blocks; ++i) {
    out[i] = block_mask<E>(in + i * block_bytes(E));
  }
}

template <std::size_t E>
constexpr Kernels kSet{encode<E>, decode<E>, masks<E>};

constexpr std::array kSets{kSet<1>, kSet<2>, kSet<4>, kSet<8>};

}  // namespace

const Kernels& avx2_kernels(std::size_t element) {
  return kSets[static_cast<std::size_t>(std::countr_zero(element))];
}

}  // namespace wg::codec::detail
#endif
