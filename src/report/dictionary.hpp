// The dictionary of everything a run can print, as text.
#pragma once

#include <span>
#include <string>

#include "base/stats.hpp"

namespace wg::report {

/// Name, unit and meaning of each counter, with its Nsight Compute metric where it has one; 100 columns wide.
std::string dictionary_text(std::span<const CounterInfo* const> dictionary);

}  // namespace wg::report
