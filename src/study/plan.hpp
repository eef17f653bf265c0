// Which machines a sweep is about.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace wg::study {

/// One value of the machine and what it shall be in turn.
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

/// "l2.size=25MiB,50MiB". Throws wg::Error (usage) unless it has a key and values, none of them empty.
/// Whether the machine has such a key is not known here.
Axis parse_axis(const std::string& text);

/// What makes one machine of the sweep: "key=value" for each axis.
using Point = std::vector<std::string>;

inline constexpr std::size_t kMostPoints = 100'000;

/// Every combination, the last axis fastest; with `zip` the first values of all axes, the second ones and so
/// on. Throws wg::Error (usage) for a key that occurs twice, for axes of different lengths to zip, and for
/// more than kMostPoints.
std::vector<Point> plan(std::span<const Axis> axes, bool zip);

}  // namespace wg::study
