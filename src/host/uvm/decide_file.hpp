// Single prefetch decisions and histories from a file of JSON lines, printed or compared.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "host/uvm/driver_rule.hpp"

namespace wg::host::uvm {

/// Takes one line of output without its end.
using LineSink = std::function<void(const std::string&)>;

struct DecideOptions {
  bool check = false;      ///< compare with the answers in the file instead of printing
  bool clamp_fix = false;  ///< see DriverRule
};

struct DecideSummary {
  std::uint64_t records = 0;      ///< lines
  std::uint64_t decisions = 0;    ///< by the driver's rule
  std::uint64_t leaf_steps = 0;   ///< by the published rule
  std::uint64_t differences = 0;  ///< check only
  std::string first_difference;   ///< page by page, with the tree
};

/// Each line is one of: a decision (`faulted`, `resident`), a history of a block (`npages`, `steps`), a
/// history of a tree of leaves (`leaves`, `steps`). Blank lines are passed over. Throws wg::Error with file
/// and line for anything else, and for `check` when a line has no answers to compare with.
DecideSummary decide_file(const std::string& path, const DecideOptions& options, const LineSink& print);

}  // namespace wg::host::uvm
