#include "study/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace wg::study {
namespace {

[[noreturn]] void usage(std::string expected, std::string found) {
  throw Error({.where = "--vary", .expected = std::move(expected), .found = std::move(found)},
              ExitCode::usage);
}

void check(std::span<const Axis> axes, bool zip) {
  std::size_t points = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Axis& axis = axes[i];
    if (std::any_of(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i),
                    [&axis](const Axis& other) { return other.key == axis.key; })) {
      usage("each key once", fmt::format("\"{}\" again", axis.key));
    }
    if (zip && axis.values.size() != axes[0].values.size()) {
      usage(fmt::format("as many values of {} as of {} to go side by side ({})", axis.key, axes[0].key,
                        axes[0].values.size()),
            fmt::format("{}", axis.values.size()));
    }
    points = zip ? axis.values.size() : points * axis.values.size();
    if (points > kMostPoints) {
      usage(fmt::format("at most {} points", kMostPoints), "more");
    }
  }
}

}  // namespace

Axis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  Axis axis;
  axis.key = trimmed(std::string_view(text).substr(0, equals));
  if (equals != std::string::npos) {
    for (const std::string_view value : cells_of(std::string_view(text).substr(equals + 1))) {
      axis.values.emplace_back(value);
    }
  }
  const auto empty = [](const std::string& value) { return value.empty(); };
  if (axis.key.empty() || axis.values.empty() || std::any_of(axis.values.begin(), axis.values.end(), empty)) {
    usage("KEY=VALUE,VALUE such as l2.size=25MiB,50MiB", fmt::format("\"{}\"", text));
  }
  return axis;
}

std::vector<Point> plan(std::span<const Axis> axes, bool zip) {
  check(axes, zip);
  std::vector<Point> points{{}};
  if (zip && !axes.empty()) {
    points.assign(axes[0].values.size(), {});
  }
  for (const Axis& axis : axes) {
    const auto text = [&axis](std::size_t i) { return fmt::format("{}={}", axis.key, axis.values[i]); };
    if (zip) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].push_back(text(i));
      }
      continue;
    }
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        longer.push_back(point);
        longer.back().push_back(text(i));
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace wg::study
