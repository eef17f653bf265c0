// Portable loops without branches on the data.
#include <array>
#include <bit>

#include "codec/bytes.hpp"
#include "codec/zvc_kernels.hpp"

namespace wg::codec::detail {
namespace {

template <class T>
std::uint32_t mask_of(const std::byte* in) {
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < kBlockElements; ++i) {
    mask |= static_cast<std::uint32_t>(load<T>(in + i * sizeof(T)) != 0) << i;
  }
  return mask;
}

template <class T>
Cursor encode(Cursor at, const std::byte* in_end, std::byte* out_end) {
  constexpr std::ptrdiff_t kBlock = block_bytes(sizeof(T));
  constexpr std::ptrdiff_t kRoom = block_room(sizeof(T));
  auto [in, out] = at;
  for (; in_end - in >= kBlock && out_end - out >= kRoom; in += kBlock) {
    std::byte* value = out + kMaskBytes;
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < kBlockElements; ++i) {
      const T element = load<T>(in + i * sizeof(T));
      store(value, element);  // overwritten by the next one when it is zero
      mask |= static_cast<std::uint32_t>(element != 0) << i;
      value += element != 0 ? sizeof(T) : 0;
    }
    store(out, mask);
    out = value;
  }
  return {in, out};
}

template <class T>
Cursor decode(Cursor at, const std::byte* in_end, std::byte* out_end) {
  constexpr std::ptrdiff_t kBlock = block_bytes(sizeof(T));
  constexpr std::ptrdiff_t kRoom = block_room(sizeof(T));
  auto [in, out] = at;
  for (; in_end - in >= kRoom && out_end - out >= kBlock; out += kBlock) {
    const auto mask = load<std::uint32_t>(in);
    in += kMaskBytes;
    for (std::size_t i = 0; i < kBlockElements; ++i) {
      const std::uint32_t bit = (mask >> i) & 1;
      store(out + i * sizeof(T), static_cast<T>(load<T>(in) & (T{0} - static_cast<T>(bit))));
      in += bit * sizeof(T);
    }
  }
  return {in, out};
}

template <class T>
void masks(const std::byte* in, std::size_t blocks, std::uint32_t* out) {
  for (std::size_t i = 0; i < blocks; ++i) {
    out[i] = mask_of<T>(in + i * block_bytes(sizeof(T)));
  }
}

template <class T>
constexpr Kernels kSet{encode<T>, decode<T>, masks<T>};

constexpr std::array kSets{kSet<std::uint8_t>, kSet<std::uint16_t>, kSet<std::uint32_t>, kSet<std::uint64_t>};

}  // namespace

const Kernels& scalar_kernels(std::size_t element) {
  return kSets[static_cast<std::size_t>(std::countr_zero(element))];
}

const Kernels& kernels(Simd simd, std::size_t element) {
#if defined(__x86_64__)
  switch (simd) {
    case Simd::avx512:
      return avx512_kernels(element);
    case Simd::avx2:
      return avx2_kernels(element);
    case Simd::scalar:
      break;
  }
#else
  static_cast<void>(simd);
#endif
  return scalar_kernels(element);
}

}  // namespace wg::codec::detail
