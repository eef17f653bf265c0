// Which of the values varied in a sweep made no difference.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "study/plan.hpp"
#include "study/sweep.hpp"

namespace wg::study {

/// Cycles or times within this share of each other are the same.
inline constexpr double kSame = 0.001;

/// Keys of the axes along which neither cycles nor time change: all points that differ in nothing else are
/// within kSame of each other, and some such points were simulated. Empty while a point waits.
std::vector<std::string> without_effect(std::span<const Axis> axes, std::span<const Point> points,
                                        std::span<const Outcome> outcomes);

}  // namespace wg::study
