#include "host/uvm/forest_tracker.hpp"

#include <algorithm>
#include <utility>

namespace wg::host::uvm {
namespace {

constexpr std::uint32_t kMiPages = 256;  ///< pages of 1 MiB

/// Least squares of the order of access over the page number: correlation squared and sign of the slope.
struct Fit {
  double r_squared = 0;
  bool rising = true;
};

/// Over the `touched` pages that have a stamp.
Fit fit(const std::vector<std::uint32_t>& stamps, std::uint64_t touched) {
  const auto count = static_cast<double>(touched);
  double mean_page = 0;
  double mean_time = 0;
  for (std::size_t page = 0; page < stamps.size(); ++page) {
    if (stamps[page] != 0) {
      mean_page += static_cast<double>(page) / count;
      mean_time += static_cast<double>(stamps[page]) / count;
    }
  }
  double pages = 0;
  double times = 0;
  double both = 0;
  for (std::size_t page = 0; page < stamps.size(); ++page) {
    if (stamps[page] != 0) {
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
  clock_ += weight;
  object.recency = clock_;
  object.accesses += weight;
  Profile& profile = object.profile;
  if (profile.ceased) {
    return;
  }
  if (profile.stamps.empty()) {
    profile.stamps.resize(object.pages);
  }
  profile.stamps[page] = ++profile.visits;
  profile.accesses += weight;
  if (profile.accesses < (profile.rounds + 1ULL) * config_.forest_interval) {
    return;
  }
  ++fits_;
  ++profile.rounds;
  profile.pattern = classify(profile, object.pages);
  profile.ceased = profile.pattern != Pattern::sparse || profile.rounds >= config_.forest_rounds;
  if (profile.ceased) {
    profile.stamps = {};
  }
}

Pattern ForestTracker::classify(const Profile& profile, std::uint64_t pages) const {
  const auto touched = static_cast<std::uint64_t>(std::count_if(
      profile.stamps.begin(), profile.stamps.end(), [](std::uint32_t stamp) { return stamp != 0; }));
  const Fit line = fit(profile.stamps, touched);
  if (line.r_squared * 100 > config_.forest_fit) {
    return line.rising ? Pattern::linear_up : Pattern::linear_down;
  }
  if (touched * 100 < pages * config_.forest_coverage) {
    return Pattern::sparse;
  }
  const bool hot =
      (profile.visits - touched) * 100 >= profile.visits * std::uint64_t{config_.forest_intensity};
  return hot ? Pattern::dense_hot : Pattern::dense_cold;
}

void ForestTracker::kernel(const std::string& name) {
  std::vector<Profile> before;
  for (Tracked& object : objects_) {
    before.push_back(std::exchange(object.profile, {}));
  }
  if (!config_.forest_speculation) {
    return;
  }
  const auto seen = known_.find(name);
  for (std::size_t id = 0; id < objects_.size(); ++id) {
    if (name == kernel_) {
      objects_[id].profile = std::move(before[id]);
    } else if (seen != known_.end() && id < seen->second.size()) {
      objects_[id].profile = std::move(seen->second[id]);
    } else {
      objects_[id].profile.pattern = before[id].pattern;
    }
  }
  if (name != kernel_ && !kernel_.empty()) {
    known_[kernel_] = std::move(before);
  }
  kernel_ = name;
  known_[kernel_];
}

void ForestTracker::archive(Archive& archive, Profile& profile) {
  archive(profile.stamps);
  archive(profile.visits);
  archive(profile.accesses);
  archive(profile.rounds);
  archive(profile.ceased);
  archive(profile.pattern);
}

void ForestTracker::archive(Archive& archive) {
  for (Tracked& object : objects_) {
    archive(object.accesses);
    archive(object.recency);
    ForestTracker::archive(archive, object.profile);
  }
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [name, profiles] : known_) {
    counts[name] = profiles.size();
  }
  archive(counts);
  for (const auto& [name, count] : counts) {
    known_[name].resize(count);
    for (Profile& profile : known_[name]) {
      ForestTracker::archive(archive, profile);
    }
  }
  archive(kernel_);
  archive(clock_);
  archive(fits_);
}

std::uint64_t ForestTracker::metadata_bytes() const {
  constexpr std::uint64_t kTableBytes = 147;  // ten entries of 117 bits
  return kTableBytes * std::max<std::size_t>(known_.size(), 1);
}

}  // namespace wg::host::uvm
