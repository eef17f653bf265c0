// Cuts data into runs of zero and of non-zero elements.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "codec/zvc_kernels.hpp"

namespace wg::codec::detail {

/// Calls `run(nonzero, first, length)` for each maximal run, cut at `most` elements, in order, until it says
/// false. Returns whether none did. `raw` holds whole elements.
template <class Run>
bool for_each_run(std::span<const std::byte> raw, std::size_t element, std::size_t most,
                  const Kernels& kernels, Run run) {
  std::array<std::uint32_t, 32> masks;
  std::array<std::byte, block_bytes(8)> last{};
  const std::size_t elements = raw.size() / element;
  const std::size_t whole = elements / kBlockElements;
  bool kind = false;
  std::size_t first = 0;
  std::size_t length = 0;
  const auto add = [&](bool nonzero, std::size_t count) {
    if (nonzero != kind) {
      if (length != 0 && !run(kind, first, length)) {
        return false;
      }
      first += length;
      kind = nonzero;
      length = 0;
    }
    length += count;
    for (; length >= most; length -= most, first += most) {
      if (!run(kind, first, most)) {
        return false;
      }
    }
    return true;
  };
  const auto add_mask = [&](std::uint32_t mask, std::size_t bits) {
    while (bits != 0) {
      const bool nonzero = (mask & 1) != 0;
      const auto same = static_cast<std::size_t>(nonzero ? std::countr_one(mask) : std::countr_zero(mask));
      const std::size_t count = std::min(same, bits);
      if (!add(nonzero, count)) {
        return false;
      }
      bits -= count;
      mask = count < kBlockElements ? mask >> count : 0;
    }
    return true;
  };
  for (std::size_t block = 0; block < whole; block += masks.size()) {
    const std::size_t blocks = std::min(masks.size(), whole - block);
    kernels.masks(raw.data() + block * block_bytes(element), blocks, masks.data());
    for (std::size_t i = 0; i < blocks; ++i) {
      if (!add_mask(masks[i], kBlockElements)) {
        return false;
      }
    }
  }
  if (const std::size_t rest = elements % kBlockElements; rest != 0) {
    std::memcpy(last.data(), raw.data() + whole * block_bytes(element), rest * element);
    kernels.masks(last.data(), 1, masks.data());
    if (!add_mask(masks[0], rest)) {
      return false;
    }
  }
  return length == 0 || run(kind, first, length);
}

}  // namespace wg::codec::detail
