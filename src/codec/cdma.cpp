#include "codec/cdma.h"

#include "codec/zvc.hpp"

namespace {

std::span<const std::byte> bytes(const void* at, std::size_t count) {
  return {static_cast<const std::byte*>(at), count};
}

std::span<std::byte> bytes(void* at, std::size_t count) { return {static_cast<std::byte*>(at), count}; }

}  // namespace

std::size_t wg_memcpy_compressed_bound(std::size_t count, std::size_t element) {
  return wg::codec::valid_element(element) ? wg::codec::zvc_bound(count, element) : 0;
}

int wg_memcpy_compressed_to_host(void* dst, std::size_t capacity, const void* src, std::size_t count,
                                 std::size_t element, std::size_t* csize) {
  if (csize == nullptr || (src == nullptr && count != 0) || (dst == nullptr && capacity != 0) ||
      !wg::codec::valid_element(element)) {
    return WG_CDMA_ARGUMENT;
  }
  const wg::codec::Outcome outcome = wg::codec::zvc_encode(bytes(src, count), element, bytes(dst, capacity));
  *csize = outcome.bytes;
  return outcome.ok() ? WG_CDMA_OK : WG_CDMA_CAPACITY;
}

int wg_memcpy_compressed_to_device(void* dst, std::size_t count, const void* src, std::size_t csize,
                                   std::size_t element) {
  if ((src == nullptr && csize != 0) || (dst == nullptr && count != 0) ||
      !wg::codec::valid_element(element)) {
    return WG_CDMA_ARGUMENT;
  }
  return wg::codec::zvc_decode(bytes(src, csize), element, bytes(dst, count)).ok() ? WG_CDMA_OK
                                                                                   : WG_CDMA_CORRUPT;
}
