// Little-endian values at any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>

namespace wg::codec {

static_assert(std::endian::native == std::endian::little, "streams are little endian, as the hosts are");

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace wg::codec
