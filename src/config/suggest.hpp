// The nearest valid name for a misspelt one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace wg::config {

/// Damerau-Levenshtein distance (optimal string alignment), letters compared without case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, the first of equals; empty when none is near enough to be a slip (more
/// than a third of the letters differ).
std::string nearest(std::string_view name, std::span<const std::string> candidates);

/// `did you mean "x"?`, or nothing for an empty name.
std::string did_you_mean(const std::string& name);

}  // namespace wg::config
