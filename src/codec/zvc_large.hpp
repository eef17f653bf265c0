// Data that no cache holds: fetched ahead, and written past the caches, which they would only flush.
#pragma once

#include "codec/zvc_kernels.hpp"

namespace wg::codec::detail {

/// From so many bytes of data on. Larger than the last-level cache of most machines.
inline constexpr std::size_t kPastCaches = std::size_t{32} << 20;

/// As the loops of `kernels`, at any alignment; they stop a little earlier.
Cursor encode_past_caches(const Kernels& kernels, Cursor at, const std::byte* in_end, std::byte* out_end);
Cursor decode_past_caches(const Kernels& kernels, Cursor at, const std::byte* in_end, std::byte* out_end);

}  // namespace wg::codec::detail
