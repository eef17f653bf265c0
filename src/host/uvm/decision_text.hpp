// A decision as people look at it: a map of the block's pages and the nodes of its tree.
#pragma once

#include <string>

#include "host/uvm/driver_rule.hpp"

namespace wg::host::uvm {

/// "0-15, 32, 48-63"; "none" for an empty mask.
std::string runs_text(const PageMask& mask);

/// One character a page, 64 a line: F faulted, R resident, T thrashing, P prefetched as expected, + found but
/// not expected, - expected but not found, and . for the rest.
std::string page_map(const BlockView& block, const PageMask& expected, const PageMask& found);

/// The nodes above each faulted page, root first: pages, how many count, percent, whether it passes.
std::string tree_text(const DriverRule& rule, const BlockView& block);

}  // namespace wg::host::uvm
