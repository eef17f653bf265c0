// NVIDIA's prefetch rule: which pages of a block come along with its faults. A pure function.
//
// Source: open-gpu-kernel-modules, driver 595.45.04 (uvm_perf_prefetch), restated. A binary tree over 4 KiB
// pages is built anew at each decision: growth to 64 KiB, then for each faulted page the highest node whose
// pages exceed the threshold. Nothing chosen counts towards what is chosen next.
#pragma once

#include <cstdint>

#include "host/uvm/page_mask.hpp"

namespace wg::host::uvm {

enum class Preferred : std::uint8_t { none, destination, other };

struct DriverRule {
  std::uint32_t threshold = 51;  ///< percent, 0..100; strictly more is needed
  bool clamp_fix = false;        ///< pages before the first big page can be prefetched (driver: not)
};

/// One block at one decision. Pages are block-relative.
struct BlockView {
  std::uint32_t start = 0;            ///< pages from the 2 MiB boundary to the block, 0..511
  std::uint32_t pages = kBlockPages;  ///< start + pages <= 512
  PageMask faulted;                   ///< pages that will migrate because of a fault
  PageMask resident;                  ///< at the destination
  PageMask thrashing;
  bool resident_anywhere = true;  ///< false: first touch
  Preferred preferred = Preferred::none;
};

/// Leaves in front and in total of the tree that the rule builds.
struct TreeShape {
  std::uint32_t offset = 0;  ///< phantom leaves in front, so that big pages sit on nodes of 16 leaves
  std::uint32_t leaves = 0;
  std::uint32_t levels = 0;
};
TreeShape shape_of(std::uint32_t start, std::uint32_t pages);

/// Faulted and resident pages after growth to 64 KiB: what the tree counts.
PageMask grown(const BlockView& block);

/// The prefetch mask: without faulted and thrashing pages, may hold resident ones. What moves is
/// (faulted | mask) - resident.
PageMask decide(const DriverRule& rule, const BlockView& block);

}  // namespace wg::host::uvm
