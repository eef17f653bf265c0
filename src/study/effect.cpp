#include "study/effect.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace wg::study {
namespace {

/// Of a figure over several points.
class Range {
 public:
  void add(std::uint64_t value) {
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  [[nodiscard]] bool same() const {
    return static_cast<double>(most_ - least_) <= kSame * static_cast<double>(least_);
  }

 private:
  std::uint64_t least_ = ~std::uint64_t{0};
  std::uint64_t most_ = 0;
};

/// Points alike but for one axis.
struct Group {
  std::size_t points = 0;
  Range cycles;
  Range time;
};

bool has_no_effect(std::size_t axis, std::span<const Point> points, std::span<const Outcome> outcomes) {
  std::map<Point, Group> groups;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (outcomes[i].state == State::done) {
      Point rest = points[i];
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
      Group& group = groups[rest];
      ++group.points;
      group.cycles.add(outcomes[i].figures.cycles);
      group.time.add(outcomes[i].figures.time_ps);
    }
  }
  const auto compared = [](const auto& one) { return one.second.points > 1; };
  const auto same = [](const auto& one) { return one.second.cycles.same() && one.second.time.same(); };
  return std::any_of(groups.begin(), groups.end(), compared) &&
         std::all_of(groups.begin(), groups.end(), same);
}

}  // namespace

std::vector<std::string> without_effect(std::span<const Axis> axes, std::span<const Point> points,
                                        std::span<const Outcome> outcomes) {
  std::vector<std::string> keys;
  if (std::any_of(outcomes.begin(), outcomes.end(),
                  [](const Outcome& one) { return one.state == State::waiting; })) {
    return keys;
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (has_no_effect(i, points, outcomes)) {
      keys.push_back(axes[i].key);
    }
  }
  return keys;
}

}  // namespace wg::study
