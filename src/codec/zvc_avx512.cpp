// AVX-512 (Ice Lake, Zen 4): VPTESTNM gives the mask, VPCOMPRESS and VPEXPAND move 64 bytes. Only their
// register forms are used: the forms with a memory operand are microcode on Zen 4.
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

[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt"),
  gnu::always_inline]] inline __m256i
load256(const std::byte* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt"),
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
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt"),
  gnu::always_inline]] inline void
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
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt"),
  gnu::always_inline]] inline void
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
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt")]] Cursor encode(
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

/// Writes the block that begins at `from`; returns the end of its bytes.
template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt"),
  gnu::always_inline]] inline const std::byte*
expand_block(const std::byte* from, std::byte* to) {
  const auto mask = load<std::uint32_t>(from);
  from += kMaskBytes;
  const std::byte* const end = from + static_cast<std::size_t>(_mm_popcnt_u32(mask)) * E;
  for (std::size_t i = 0; i < kVectors<E>; ++i) {
    const std::uint32_t lanes = (mask >> (kLanes<E> * i % 32)) & kLaneMask<E>;
    spread<E>(from, lanes, to + E * kLanes<E> * i);
    from += static_cast<std::size_t>(_mm_popcnt_u32(lanes)) * E;
  }
  return end;
}

// Where a block ends depends on its mask, so small blocks wait for each other: load, count, add. Instead, the
// size that a block would have is worked out for every byte of a tile at which one could begin, 64 at once;
// then the way through the tile is one load and one add for each block, or for two of bytes.
constexpr std::size_t kTile = 512;
/// A tile can be taken when so many bytes are readable: lookups go one largest block beyond it, and vectors
/// one vector beyond that.
constexpr std::ptrdiff_t kTileRoom = kTile + 256;

struct Sizes {
  alignas(64) std::array<std::uint8_t, kTile + 64> one;  ///< of a block that begins there
  alignas(64) std::array<std::uint8_t, kTile> two;       ///< of it and the next; elements of one byte only
};

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt"),
  gnu::always_inline]] inline void
find_sizes(const std::byte* in, Sizes& sizes) {
  for (std::size_t at = 0; at < sizes.one.size(); at += 64) {
    // Bits of the four bytes from each place: counts moved down by one, two and three bytes. Funnel shifts
    // and additions leave the port alone that counts, shuffles and expansions share.
    const __m512i bits = _mm512_popcnt_epi8(_mm512_loadu_si512(in + at));
    const __m512i behind = _mm512_popcnt_epi8(_mm512_loadu_si512(in + at + 8));
    __m512i size = _mm512_add_epi8(bits, _mm512_shrdi_epi64(bits, behind, 8));
    size = _mm512_add_epi8(size, _mm512_shrdi_epi64(bits, behind, 16));
    size = _mm512_add_epi8(size, _mm512_shrdi_epi64(bits, behind, 24));
    if constexpr (E == 2) {
      size = _mm512_add_epi8(size, size);
    }
    _mm512_store_si512(sizes.one.data() + at, _mm512_add_epi8(size, _mm512_set1_epi8(kMaskBytes)));
  }
  if constexpr (E == 1) {
    alignas(64) static constexpr auto kLane = [] {
      std::array<std::uint8_t, 64> lanes{};
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        lanes[i] = static_cast<std::uint8_t>(i);
      }
      return lanes;
    }();
    const __m512i lane = _mm512_load_si512(kLane.data());
    for (std::size_t at = 0; at < kTile; at += 64) {
      const __m512i here = _mm512_load_si512(sizes.one.data() + at);
      const __m512i behind = _mm512_load_si512(sizes.one.data() + at + 64);
      const __m512i next = _mm512_permutex2var_epi8(here, _mm512_add_epi8(here, lane), behind);
      _mm512_store_si512(sizes.two.data() + at, _mm512_add_epi8(here, next));
    }
  }
}

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt"),
  gnu::always_inline]] inline Cursor
decode_tiles(Cursor at, const std::byte* in_end, std::byte* out_end) {
  constexpr std::size_t kStep = E == 1 ? 2 : 1;  // blocks
  constexpr std::ptrdiff_t kOut = block_bytes(E) * kStep;
  Sizes sizes;
  auto [in, out] = at;
  while (in_end - in >= kTileRoom && out_end - out >= kOut) {
    find_sizes<E>(in, sizes);
    std::size_t place = 0;
    for (; place < kTile && out_end - out >= kOut; out += kOut) {
      const std::byte* const first = in + place;
      if constexpr (kStep == 2) {
        expand_block<E>(first + sizes.one[place], out + block_bytes(E));
        place += sizes.two[place];
      } else {
        place += sizes.one[place];
      }
      expand_block<E>(first, out);
    }
    in += place;
  }
  return {in, out};
}

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt")]] Cursor decode(
    Cursor at, const std::byte* in_end, std::byte* out_end) {
  constexpr std::ptrdiff_t kBlock = block_bytes(E);
  constexpr std::ptrdiff_t kRoom = block_room(E);
  if constexpr (E <= 2) {
    at = decode_tiles<E>(at, in_end, out_end);
  }
  auto [in, out] = at;
  for (; in_end - in >= kRoom && out_end - out >= kBlock; out += kBlock) {
    in = expand_block<E>(in, out);
  }
  return {in, out};
}

template <std::size_t E>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,popcnt")]] void masks(
    const std::byte* in, std::size_t blocks, std::uint32_t* out) {
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
