// The kernels that can be named in a URI, and how a URI becomes a workload.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/arguments.hpp"
#include "kernels/plan.hpp"
#include "trace/workload.hpp"

namespace wg::kernels {

enum class Group : std::uint8_t { microbenchmark, application, shape };

/// How two runs of a microbenchmark become one figure. Launch, warm-up and instruction fetch of the first
/// round cost the same in both and drop out of the difference.
struct Measure {
  std::string_view argument;  ///< takes the two values, all others stay
  std::uint64_t shorter = 0;
  std::uint64_t longer = 0;
  std::string_view step;  ///< what is counted, e.g. "dependent instruction"
  bool rate = false;      ///< false: cycles per step of the longest warp; true: steps of the grid per cycle
  std::uint64_t (*steps)(const Arguments&) = nullptr;  ///< steps of one run
};

struct Entry {
  std::string_view name;
  Group group = Group::microbenchmark;
  std::string_view summary;  ///< one line
  std::vector<Argument> arguments;
  std::uint32_t min_sm = 20;  ///< first SM version that can run it
  std::optional<Measure> measure;
  /// Throws wg::Error for values that do not fit together.
  Plan (*build)(const Arguments&, const Dialect&) = nullptr;
};

/// All kernels, microbenchmarks first. Every entry also takes `launches`, the number of times its kernels
/// run.
std::span<const Entry> catalogue();
std::string_view name_of(Group group);

/// A URI of the form kernel:NAME?ARGUMENT=VALUE&..., checked.
struct Request {
  const Entry* entry = nullptr;
  Arguments arguments;
  [[nodiscard]] std::string uri() const;  ///< normalised: every argument, catalogue order, plain numbers
};

/// True when `text` begins with "kernel:".
bool is_builder_uri(std::string_view text);
/// Throws wg::Error that lists everything wrong with `uri`, each with the nearest name and the valid ones.
Request parse_uri(const std::string& uri);

/// What `uri` does on `sm_version`. Throws wg::Error.
Plan plan_of(const std::string& uri, std::uint32_t sm_version);

/// The workload that `uri` names, in the instructions of `sm_version`. Throws wg::Error.
trace::Workload open_builder(const std::string& uri, std::uint32_t sm_version);

/// The two runs that measure what `uri` asks for.
struct MeasurePair {
  std::string shorter;  ///< URIs
  std::string longer;
  std::uint64_t steps = 0;  ///< more in the longer run
  std::string_view step;
  bool rate = false;
  /// Cycles per step, or steps per cycle for a rate.
  [[nodiscard]] double value(std::uint64_t cycles_shorter, std::uint64_t cycles_longer) const;
};
/// Nothing when the kernel of `uri` is no microbenchmark or cannot be made longer. Throws wg::Error for a bad
/// URI.
std::optional<MeasurePair> measure_pair(const std::string& uri);

}  // namespace wg::kernels
