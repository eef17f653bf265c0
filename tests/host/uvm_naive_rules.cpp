// A second, plain implementation of both rules, page by page and node by node as the texts state them.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "host/uvm/decision_text.hpp"
#include "host/uvm/driver_rule.hpp"
#include "host/uvm/leaf_tree.hpp"

namespace wg::host::uvm {
namespace {

using Bits = std::vector<int>;

/// The driver's rule, walking from each faulted page to the root and keeping the highest passing node.
Bits naive_driver(const DriverRule& rule, const BlockView& block) {
  const int n = static_cast<int>(block.pages);
  const auto is = [](const PageMask& mask, int page) { return mask.test(static_cast<std::uint32_t>(page)); };
  Bits region(block.pages);
  int first_big = -1;
  bool whole_big = false;
  for (int p = 0; p < n; ++p) {
    const int absolute = p + static_cast<int>(block.start);
    if (absolute % 16 == 0 && p + 16 <= n && !whole_big) {
      first_big = p;
      whole_big = true;
    }
  }
  for (int p = 0; p < n && whole_big; ++p) {
    region[static_cast<std::size_t>(p)] = p < first_big ? -1 : (p - first_big) / 16;
  }
  Bits counted(block.pages);
  for (int p = 0; p < n; ++p) {
    bool fault = false;
    bool thrash = false;
    for (int q = 0; q < n; ++q) {
      if (region[static_cast<std::size_t>(q)] == region[static_cast<std::size_t>(p)]) {
        fault = fault || is(block.faulted, q);
        thrash = thrash || is(block.thrashing, q);
      }
    }
    counted[static_cast<std::size_t>(p)] =
        is(block.faulted, p) || is(block.resident, p) || (fault && !thrash);
  }
  const int offset = whole_big && first_big > 0 ? 16 - first_big : 0;
  const int leaves = n + offset;
  Bits mask(block.pages);
  for (int p = 0; p < n; ++p) {
    if (!is(block.faulted, p) || is(block.thrashing, p)) {
      continue;
    }
    int from = 0;
    int to = 0;
    for (int size = 1;; size *= 2) {
      const int a = (p + offset) / size * size;
      const int b = std::min(a + size, leaves);
      int count = 0;
      for (int leaf = a; leaf < b; ++leaf) {
        count += leaf >= offset ? counted[static_cast<std::size_t>(leaf - offset)] : 0;
      }
      if (count * 100 > (b - a) * static_cast<int>(rule.threshold)) {
        from = a;
        to = b;
      }
      if (size >= leaves) {
        break;
      }
    }
    const int least = rule.clamp_fix ? 0 : offset;
    for (int q = std::max(from - offset, least); q < std::max(to - offset, least) && q < n && to > 0; ++q) {
      mask[static_cast<std::size_t>(q)] = 1;
    }
  }
  for (int p = 0; p < n; ++p) {
    const bool first_touch = block.preferred == Preferred::destination && !block.resident_anywhere;
    int& bit = mask[static_cast<std::size_t>(p)];
    bit = first_touch ? 1 : block.preferred == Preferred::other ? 0 : bit;
    bit = is(block.faulted, p) || is(block.thrashing, p) ? 0 : bit;
  }
  return mask;
}

/// The published rule by recursion: children first, then the node.
int naive_fill(std::vector<std::uint8_t>& leaves, std::size_t first, std::size_t size,
               std::uint32_t threshold) {
  if (first >= leaves.size()) {
    return 0;
  }
  if (size == 1) {
    return leaves[first];
  }
  const int valid = naive_fill(leaves, first, size / 2, threshold) +
                    naive_fill(leaves, first + size / 2, size / 2, threshold);
  const std::size_t end = std::min(first + size, leaves.size());
  const int real = static_cast<int>(end - first);
  if (valid != real && valid * 100 > real * static_cast<int>(threshold)) {
    std::fill(leaves.begin() + static_cast<std::ptrdiff_t>(first),
              leaves.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{1});
    return real;
  }
  return valid;
}

/// Random pages: sparse, dense, or in runs.
PageMask random_pages(Rng& rng, std::uint32_t pages) {
  PageMask out;
  const std::uint64_t kind = rng.below(4);
  const std::uint64_t tries = kind == 0 ? rng.below(3) : kind == 1 ? rng.below(12) : rng.below(6);
  for (std::uint64_t i = 0; i < tries; ++i) {
    const auto first = static_cast<std::uint32_t>(rng.below(pages));
    const std::uint64_t length = kind < 2 ? 1 : 1 + rng.below(kind == 2 ? 20 : pages);
    out |= PageMask::range(first, static_cast<std::uint32_t>(std::min<std::uint64_t>(first + length, pages)));
  }
  return out;
}

BlockView random_block(Rng& rng) {
  BlockView block;
  // Short blocks mostly: the naive rule is quadratic, and the edges are where rules part.
  const std::uint32_t most = rng.below(200) == 0 ? kBlockPages : 48;
  block.start = rng.below(2) == 0 ? 0 : static_cast<std::uint32_t>(rng.below(kBlockPages));
  block.pages = 1 + static_cast<std::uint32_t>(rng.below(std::min(most, kBlockPages - block.start)));
  block.resident = random_pages(rng, block.pages);
  block.faulted = random_pages(rng, block.pages) - block.resident;
  if (rng.below(3) == 0) {
    block.thrashing = random_pages(rng, block.pages);
  }
  block.resident_anywhere = block.resident.any() || rng.below(2) == 0;
  const std::uint64_t preferred = rng.below(12);
  block.preferred = preferred == 0   ? Preferred::destination
                    : preferred == 1 ? Preferred::other
                                     : Preferred::none;
  return block;
}

TEST(UvmRules, DriverRuleAgreesWithANaiveOneOnAMillionCases) {
  Rng rng(595);
  std::uint64_t filled = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const BlockView block = random_block(rng);
    const DriverRule rule{rng.below(4) == 0 ? static_cast<std::uint32_t>(rng.below(101)) : 51,
                          rng.below(4) == 0};
    const PageMask found = decide(rule, block);
    const Bits expected = naive_driver(rule, block);
    PageMask mask;
    for (std::uint32_t p = 0; p < block.pages; ++p) {
      if (expected[p] != 0) {
        mask.set(p);
      }
    }
    filled += found.any();
    ASSERT_EQ(mask, found) << i << ": start " << block.start << " pages " << block.pages << "\n"
                           << page_map(block, mask, found) << tree_text(rule, block);
  }
  EXPECT_GT(filled, 200'000U);
}

TEST(UvmRules, PublishedRuleAgreesWithANaiveOneOnAMillionCases) {
  Rng rng(2019);
  std::uint64_t cascades = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    std::vector<std::uint8_t> leaves(1 + rng.below(rng.below(50) == 0 ? 512 : 40));
    const std::uint64_t density = 1 + rng.below(9);
    for (std::uint8_t& leaf : leaves) {
      leaf = rng.below(10) < density ? 1 : 0;
    }
    const std::uint32_t threshold = rng.below(4) == 0 ? static_cast<std::uint32_t>(1 + rng.below(100)) : 50;
    std::vector<std::uint8_t> expected = leaves;
    std::vector<std::uint8_t> found = leaves;
    std::size_t span = 1;
    while (span < leaves.size()) {
      span *= 2;
    }
    naive_fill(expected, 0, span, threshold);
    fill_tree(found, threshold);
    cascades += found != leaves;
    ASSERT_EQ(expected, found) << i << " with " << leaves.size() << " leaves";
  }
  EXPECT_GT(cascades, 300'000U);
}

TEST(PageMask, ShiftsAndRunsAgreeWithSingleBits) {
  Rng rng(7);
  for (int i = 0; i < 2000; ++i) {
    const PageMask mask = random_pages(rng, kBlockPages);
    const auto by = static_cast<std::uint32_t>(rng.below(kBlockPages));
    PageMask up;
    PageMask down;
    mask.each([&](std::uint32_t page) {
      page + by < kBlockPages ? up.set(page + by) : void();
      page >= by ? down.set(page - by) : void();
    });
    EXPECT_EQ(mask.up(by), up);
    EXPECT_EQ(mask.down(by), down);
    PageMask again;
    for (const PageRun& run : runs_of(mask)) {
      again |= PageMask::range(run.first, run.first + run.count);
    }
    EXPECT_EQ(again, mask);
    const auto first = static_cast<std::uint32_t>(rng.below(kBlockPages));
    const auto end = first + static_cast<std::uint32_t>(rng.below(kBlockPages - first + 1));
    EXPECT_EQ(mask.count(first, end), (mask & PageMask::range(first, end)).count());
  }
}

}  // namespace
}  // namespace wg::host::uvm
