// Finds counters of a result by name.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/stats.hpp"

namespace wg::report {

/// The value called `name`, or nothing where the machine has no such counter.
std::optional<double> number(std::span<const CounterValue> counters, std::string_view name);
/// Its dictionary entry; nullptr when unknown.
const CounterInfo* find_info(std::span<const CounterInfo* const> dictionary, std::string_view name);
/// A counter as text: integers grouped, others with three digits.
std::string value_text(const CounterValue& counter);

}  // namespace wg::report
