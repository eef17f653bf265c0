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

Fit fit(const std::vector<std::uint32_t>& stamps, std::uint32_t start, std::uint32_t touched) {
  double mean_page = 0;
  double mean_time = 0;
  for (std::size_t page = 0; page < stamps.size(); ++page) {
    if (stamps[page] > start) {
      mean_page += static_cast<double>(page) / touched;
      mean_time += static_cast<double>(stamps[page]) / touched;
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

void ForestTracker::accessed(std::uint32_t id, std::uint64_t page) {
  Tracked& object = objects_[id];
  if (object.stamps.empty()) {
    object.stamps.resize(object.pages);
  }
  object.recency = ++clock_;
  ++object.timer;
  std::uint32_t& stamp = object.stamps[page];
  object.touched += stamp <= object.start ? 1 : 0;
  stamp = object.timer;
  if (!object.ceased && (object.timer - object.start) % config_.forest_interval == 0) {
    detect(id);
  }
}

void ForestTracker::detect(std::uint32_t id) {
  Tracked& object = objects_[id];
  ++fits_;
  ++object.rounds;
  object.pattern = classify(object);
  object.ceased = object.pattern != Pattern::sparse || object.rounds >= config_.forest_rounds;
  known_[{kernel_, id}] = object.pattern;
}

Pattern ForestTracker::classify(const Tracked& object) const {
  if (object.touched == 0) {
    return Pattern::sparse;
  }
  const Fit line = fit(object.stamps, object.start, object.touched);
  if (line.r_squared * 100 > config_.forest_fit) {
    return line.rising ? Pattern::linear_up : Pattern::linear_down;
  }
  if (std::uint64_t{object.touched} * 100 < object.pages * config_.forest_coverage) {
    return Pattern::sparse;
  }
  const std::uint64_t accesses = object.timer - object.start;
  const bool hot = (accesses - object.touched) * 100 >= accesses * config_.forest_intensity;
  return hot ? Pattern::dense_hot : Pattern::dense_cold;
}

void ForestTracker::kernel(const std::string& name) {
  // A kernel may end before its first fit is due; what it did still tells its next launch.
  for (std::uint32_t id = 0; id < objects_.size(); ++id) {
    Tracked& object = objects_[id];
    if (config_.forest_speculation && object.rounds == 0 && object.timer != object.start) {
      known_[{kernel_, id}] = classify(object);
    }
    object.start = object.timer;
    object.touched = 0;
    object.rounds = 0;
    object.ceased = false;
  }
  kernel_ = name;
  ++kernels_;
  if (!config_.forest_speculation) {
    return;
  }
  for (std::uint32_t id = 0; id < objects_.size(); ++id) {
    const auto seen = known_.find({name, id});
    if (seen != known_.end()) {
      objects_[id].pattern = seen->second;
    }
  }
}

void ForestTracker::archive(Archive& archive) {
  for (Tracked& object : objects_) {
    archive(object.stamps);
    archive(object.timer);
    archive(object.start);
    archive(object.touched);
    archive(object.rounds);
    archive(object.ceased);
    archive(object.pattern);
    archive(object.recency);
  }
  archive(known_);
  archive(kernel_);
  archive(clock_);
  archive(fits_);
  archive(kernels_);
}

std::uint64_t ForestTracker::metadata_bytes() const {
  constexpr std::uint64_t kTableBytes = 147;  // ten entries of 117 bits
  return kTableBytes * (config_.forest_speculation ? kernels_ : 1);
}

}  // namespace wg::host::uvm
