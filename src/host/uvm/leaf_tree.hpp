// The published tree rule ("leaf mode") and its mirror for eviction. Pure functions over leaves.
//
// Sources: Ganguly et al., ISCA 2019 (TBNp, TBNe); precise form as UVMSmart runs it: one sweep over the whole
// tree, children before parents, counts growing while nodes fill.
#pragma once

#include <cstdint>
#include <span>

namespace wg::host::uvm {

/// Marks in `leaves` (0 or 1 each, faulted leaves already 1) all leaves that the cascade brings: from the
/// bottom up, a node that is more than `threshold` percent but not wholly set is filled. Any number of
/// leaves; the last node of a level is clipped, and so is the size it is compared with.
void fill_tree(std::span<std::uint8_t> leaves, std::uint32_t threshold = 50);

/// After the victims' leaves were cleared: a node with some but less than half of its leaves set is emptied.
/// `keep` (empty or as long as `leaves`) marks leaves that must stay.
void empty_tree(std::span<std::uint8_t> leaves, std::span<const std::uint8_t> keep = {});

}  // namespace wg::host::uvm
