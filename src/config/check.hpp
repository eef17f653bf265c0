// Rules that no single field can break alone.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/machine.hpp"

namespace wg::config {

/// One rule over several fields.
struct Check {
  std::vector<std::string_view> keys;  ///< fields it reads
  std::string_view expected;
  /// What was found instead, e.g. "49 warps on 2 sub-cores"; empty when the rule holds.
  std::function<std::string(const Machine&)> violation;
};

/// All rules, in a fixed order. Each may assume that every field it reads is in its own range.
std::span<const Check> checks();

}  // namespace wg::config
