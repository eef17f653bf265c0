#include "host/uvm/driver_rule.hpp"

#include <algorithm>
#include <bit>

namespace wg::host::uvm {
namespace {

/// Whole big pages of a block: `first` is block-relative, `count` may be 0.
struct BigPages {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

BigPages big_pages(std::uint32_t start, std::uint32_t pages) {
  const std::uint32_t first = (kBigPages - start % kBigPages) % kBigPages;
  return {first, first > pages ? 0 : (pages - first) / kBigPages};
}

/// The tree at one decision, over leaves that include the phantom ones in front.
class Tree {
 public:
  Tree(const DriverRule& rule, const BlockView& block, const PageMask& seeds)
      : rule_(rule),
        pages_(block.pages),
        shape_(shape_of(block.start, block.pages)),
        counted_(grown(block).up(shape_.offset)),
        seeds_(seeds.up(shape_.offset)) {}

  PageMask chosen() {
    visit(0, shape_.levels - 1);
    return out_;
  }

 private:
  /// Takes the node whole when it passes and holds a seed; looks into its halves otherwise.
  void visit(std::uint32_t first, std::uint32_t level) {
    const std::uint32_t end = std::min(first + (1U << level), shape_.leaves);
    if (first >= end || !seeds_.any(first, end)) {
      return;
    }
    if (counted_.count(first, end) * 100 > (end - first) * rule_.threshold) {
      take(first, end);
    } else if (level > 0) {
      visit(first, level - 1);
      visit(first + (1U << (level - 1)), level - 1);
    }
  }

  /// Leaves back to pages. The driver clamps to the offset where it should clamp to 0.
  void take(std::uint32_t first, std::uint32_t end) {
    const std::uint32_t offset = shape_.offset;
    const std::uint32_t least = rule_.clamp_fix ? 0 : offset;
    const auto page = [&](std::uint32_t leaf) { return std::max(leaf < offset ? 0 : leaf - offset, least); };
    const std::uint32_t from = page(first);
    const std::uint32_t to = std::min(page(end), pages_);
    if (from < to) {
      out_ |= PageMask::range(from, to);
    }
  }

  DriverRule rule_;
  std::uint32_t pages_;
  TreeShape shape_;
  PageMask counted_;
  PageMask seeds_;
  PageMask out_;
};

}  // namespace

TreeShape shape_of(std::uint32_t start, std::uint32_t pages) {
  const BigPages big = big_pages(start, pages);
  TreeShape shape;
  shape.offset = big.count > 0 && big.first > 0 ? kBigPages - big.first : 0;
  shape.leaves = pages + shape.offset;
  shape.levels = static_cast<std::uint32_t>(std::bit_width(shape.leaves - 1)) + 1;
  return shape;
}

PageMask grown(const BlockView& block) {
  PageMask out = block.faulted | block.resident;
  const BigPages big = big_pages(block.start, block.pages);
  const auto grow = [&](std::uint32_t first, std::uint32_t end) {
    if (first < end && block.faulted.any(first, end) && !block.thrashing.any(first, end)) {
      out |= PageMask::range(first, end);
    }
  };
  if (big.count == 0) {
    grow(0, block.pages);
    return out;
  }
  grow(0, big.first);
  for (std::uint32_t i = 0; i < big.count; ++i) {
    grow(big.first + i * kBigPages, big.first + (i + 1) * kBigPages);
  }
  grow(big.first + big.count * kBigPages, block.pages);
  return out;
}

PageMask decide(const DriverRule& rule, const BlockView& block) {
  PageMask mask;
  if (!block.resident_anywhere && block.preferred == Preferred::destination) {
    mask = PageMask::range(0, block.pages);
  } else if (block.preferred != Preferred::other) {
    mask = Tree(rule, block, block.faulted - block.thrashing).chosen();
  }
  return mask - block.faulted - block.thrashing;
}

}  // namespace wg::host::uvm
