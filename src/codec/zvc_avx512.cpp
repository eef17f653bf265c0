// AVX-512: VPTESTNM gives the mask, VPCOMPRESS and VPEXPAND move 64 bytes. Only their register forms are
// used: the forms with a memory operand are microcode on Zen 4.
#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <bit>

#include "codec/bytes.hpp"
#include "codec/zvc_kernels.hpp"

namespace wg::codec::detail {
namespace {

// One vector holds 64 / E elements of a block; a block of bytes is half a vector.
template <std::size_t E>
constexpr std::size_t kVectors = E == 1 ? 1 : E / 2;
template <std::size_t E>
constexpr std::size_t kLanes = kBlockElements / kVectors<E>;
template <std::size_t E>
constexpr std::uint32_t kLaneMask = kLanes<E> == 32 ? ~0U : (1U << (kLanes<E> % 32)) - 1;

[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt"), gnu::always_inline]] inline __m256i
load256(const std::byte* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt"),
  gnu::always_inline]] inline std::uint32_t
nonzero(const std::byte* at) {
  if constexpr (E == 1) {
    const __m256i v = load256(at);
    return _mm256_test_epi8_mask(v, v);
  } else {
    const __m512i v = _mm512_loadu_si512(at);
    if constexpr (E == 2) {
      return _mm512_test_epi16_mask(v, v);
    } else if constexpr (E == 4) {
      return _mm512_test_epi32_mask(v, v);
    } else {
      return _mm512_test_epi64_mask(v, v);
    }
  }
}

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt"), gnu::always_inline]] inline void
squeeze(const std::byte* from, std::uint32_t mask, std::byte* to) {
  if constexpr (E == 1) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_maskz_compress_epi8(mask, load256(from)));
  } else {
    const __m512i v = _mm512_loadu_si512(from);
    if constexpr (E == 2) {
      _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(mask, v));
    } else if constexpr (E == 4) {
      _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), v));
    } else {
      _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), v));
    }
  }
}

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt"), gnu::always_inline]] inline void
spread(const std::byte* from, std::uint32_t mask, std::byte* to) {
  if constexpr (E == 1) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_maskz_expand_epi8(mask, load256(from)));
  } else {
    const __m512i v = _mm512_loadu_si512(from);
    if constexpr (E == 2) {
      _mm512_storeu_si512(to, _mm512_maskz_expand_epi16(mask, v));
    } else if constexpr (E == 4) {
      _mm512_storeu_si512(to, _mm512_maskz_expand_epi32(static_cast<__mmask16>(mask), v));
    } else {
      _mm512_storeu_si512(to, _mm512_maskz_expand_epi64(static_cast<__mmask8>(mask), v));
    }
  }
}

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")]] Cursor encode(
    Cursor at, const std::byte* in_end, std::byte* out_end) {
  constexpr std::ptrdiff_t kBlock = block_bytes(E);
  constexpr std::ptrdiff_t kRoom = block_room(E);
  auto [in, out] = at;
  for (; in_end - in >= kBlock && out_end - out >= kRoom; in += kBlock) {
    std::byte* const head = out;
    std::uint32_t mask = 0;
    out += kMaskBytes;
    for (std::size_t i = 0; i < kVectors<E>; ++i) {
      const std::byte* from = in + E * kLanes<E> * i;
      const std::uint32_t lanes = nonzero<E>(from);
      squeeze<E>(from, lanes, out);
      out += static_cast<std::size_t>(_mm_popcnt_u32(lanes)) * E;
      mask |= lanes << (kLanes<E> * i % 32);
    }
    store(head, mask);
  }
  return {in, out};
}

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")]] Cursor decode(
    Cursor at, const std::byte* in_end, std::byte* out_end) {
  constexpr std::ptrdiff_t kBlock = block_bytes(E);
  constexpr std::ptrdiff_t kRoom = block_room(E);
  auto [in, out] = at;
  for (; in_end - in >= kRoom && out_end - out >= kBlock; out += kBlock) {
    const auto mask = load<std::uint32_t>(in);
    const std::byte* from = in + kMaskBytes;
    in = from + static_cast<std::size_t>(_mm_popcnt_u32(mask)) * E;
    for (std::size_t i = 0; i < kVectors<E>; ++i) {
      const std::uint32_t lanes = (mask >> (kLanes<E> * i % 32)) & kLaneMask<E>;
      spread<E>(from, lanes, out + E * kLanes<E> * i);
      from += static_cast<std::size_t>(_mm_popcnt_u32(lanes)) * E;
    }
  }
  return {in, out};
}

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt")]] void masks(const std::byte* in,
                                                                                      std::size_t blocks,
                                                                                      std::uint32_t* out) {
  for (std::size_t block = 0; block < blocks; ++block) {
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < kVectors<E>; ++i) {
      mask |= nonzero<E>(in + E * kLanes<E> * i) << (kLanes<E> * i % 32);
    }
    out[block] = mask;
    in += block_bytes(E);
  }
}

template <std::size_t E>
constexpr Kernels kSet{encode<E>, decode<E>, masks<E>};

constexpr std::array kSets{kSet<1>, kSet<2>, kSet<4>, kSet<8>};

}  // namespace

const Kernels& avx512_kernels(std::size_t element) {
  return kSets[static_cast<std::size_t>(std::countr_zero(element))];
}

}  // namespace wg::codec::detail
#endif
