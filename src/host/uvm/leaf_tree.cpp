#include "host/uvm/leaf_tree.hpp"

#include <algorithm>
#include <numeric>

namespace wg::host::uvm {
namespace {

/// Calls `node(first, size)` for every inner node, all of a level before the next one up.
template <class Node>
void bottom_up(std::size_t leaves, Node&& node) {
  for (std::size_t span = 2; span / 2 < leaves; span *= 2) {
    for (std::size_t first = 0; first < leaves; first += span) {
      node(first, std::min(span, leaves - first));
    }
  }
}

std::size_t sum(std::span<const std::uint8_t> leaves) {
  return std::accumulate(leaves.begin(), leaves.end(), std::size_t{0});
}

}  // namespace

void fill_tree(std::span<std::uint8_t> leaves, std::uint32_t threshold) {
  bottom_up(leaves.size(), [&](std::size_t first, std::size_t size) {
    const auto node = leaves.subspan(first, size);
    const std::size_t set = sum(node);
    if (set != 0 && set != size && set * 100 > size * threshold) {
      std::fill(node.begin(), node.end(), std::uint8_t{1});
    }
  });
}

void empty_tree(std::span<std::uint8_t> leaves, std::span<const std::uint8_t> keep) {
  bottom_up(leaves.size(), [&](std::size_t first, std::size_t size) {
    const auto node = leaves.subspan(first, size);
    const std::size_t set = sum(node);
    if (set == 0 || set * 2 >= size) {
      return;
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (keep.empty() || keep[first + i] == 0) {
        node[i] = 0;
      }
    }
  });
}

}  // namespace wg::host::uvm
