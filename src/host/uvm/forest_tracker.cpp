#include "host/uvm/forest_tracker.hpp"

#include <algorithm>

namespace wg::host::uvm {
namespace {

constexpr std::uint32_t kMiPages = 256;  ///< pages of 1 MiB

/// Least squares of the order of access over the page number: correlation squared and sign of the slope.
struct Fit {
  double r_squared = 0;
  bool rising = true;
};

Fit fit(const std::vector<std::uint32_t>& stamps, std::uint32_t start, std::uint64_t touched) {
  const auto count = static_cast<double>(touched);
  double mean_page = 0;
  double mean_time = 0;
  for (std::size_t page = 0; page < stamps.size(); ++page) {
    if (stamps[page] > start) {
      mean_page += static_cast<double>(page) / count;
      mean_time += static_cast<double>(stamps[page]) / count;
    }
  }
  double pages = 0;
  double times = 0;
  double both = 0;
  for (std::size_t page = 0; page < stamps.size(); ++page) {
    if (stamps[page] > start) {
      const double dp = static_cast<double>(page) - mean_page;
      const double dt = static_cast<double>(stamps[page]) - mean_time;
      pages += dp * dp;
      times += dt * dt;
      both += dp * dt;
    }
  }
  if (pages <= 0 || times <= 0) {
    return {};
  }
  return {both * both / (pages * times), both > 0};
}

}  // namespace

std::string_view name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::linear_up:
      return "LS+";
    case Pattern::linear_down:
      return "LS-";
    case Pattern::dense_hot:
      return "HCHI";
    case Pattern::dense_cold:
      return "HCLI";
    case Pattern::sparse:
      break;
  }
  return "LC";
}

TreeGeometry geometry_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::linear_up:
    case Pattern::linear_down:
      return {4 * kMiPages, kMiPages / 4};
    case Pattern::dense_hot:
      return {kMiPages / 2, kMiPages / 16};
    case Pattern::dense_cold:
      return {kMiPages / 2, kMiPages / 64};
    case Pattern::sparse:
      break;
  }
  return {2 * kMiPages, kMiPages / 16};
}

void ForestTracker::add_object(const Object& object) {
  Tracked tracked;
  tracked.pages = object.pages;
  objects_.push_back(std::move(tracked));
}

void ForestTracker::accessed(std::uint32_t id, std::uint64_t page, std::uint64_t weight) {
  Tracked& object = objects_[id];
  if (object.stamps.empty()) {
    object.stamps.resize(object.pages);
  }
  clock_ += weight;
  object.recency = clock_;
  object.accesses += weight;
  object.stamps[page] = ++object.visits;
  Profile& profile = object.profile;
  profile.accesses += weight;
  if (!profile.ceased && profile.accesses >= (profile.rounds + 1ULL) * config_.forest_interval) {
    ++fits_;
    ++profile.rounds;
    profile.pattern = classify(object);
    profile.ceased = profile.pattern != Pattern::sparse || profile.rounds >= config_.forest_rounds;
  }
}

Pattern ForestTracker::classify(const Tracked& object) const {
  const std::uint32_t start = object.profile.start;
  const auto touched = static_cast<std::uint64_t>(std::count_if(
      object.stamps.begin(), object.stamps.end(), [start](std::uint32_t stamp) { return stamp > start; }));
  const Fit line = fit(object.stamps, start, touched);
  if (line.r_squared * 100 > config_.forest_fit) {
    return line.rising ? Pattern::linear_up : Pattern::linear_down;
  }
  if (touched * 100 < object.pages * config_.forest_coverage) {
    return Pattern::sparse;
  }
  const std::uint64_t visits = object.visits - start;
  const bool hot = (visits - touched) * 100 >= visits * config_.forest_intensity;
  return hot ? Pattern::dense_hot : Pattern::dense_cold;
}

void ForestTracker::kernel(const std::string& name) {
  std::vector<Profile> profiles;
  for (Tracked& object : objects_) {
    profiles.push_back(object.profile);
    object.profile = Profile{.start = object.visits};
  }
  if (!config_.forest_speculation) {
    return;
  }
  known_[kernel_] = profiles;
  kernel_ = name;
  const auto seen = known_.find(name);
  for (std::size_t id = 0; id < objects_.size(); ++id) {
    if (seen != known_.end() && id < seen->second.size()) {
      objects_[id].profile = seen->second[id];
    } else {
      objects_[id].profile.pattern = profiles[id].pattern;
    }
  }
}

void ForestTracker::archive(Archive& archive) {
  for (Tracked& object : objects_) {
    archive(object.stamps);
    archive(object.visits);
    archive(object.accesses);
    archive(object.recency);
    archive(object.profile);
  }
  archive(known_);
  archive(kernel_);
  archive(clock_);
  archive(fits_);
}

std::uint64_t ForestTracker::metadata_bytes() const {
  constexpr std::uint64_t kTableBytes = 147;  // ten entries of 117 bits
  return kTableBytes * (1 + known_.size());
}

}  // namespace wg::host::uvm
