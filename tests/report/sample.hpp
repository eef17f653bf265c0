// Results made by hand or at random, so that reports are tested without a simulation.
#pragma once

#include <cstdint>
#include <span>

#include "base/rng.hpp"
#include "gpu/result.hpp"
#include "report/settings.hpp"

namespace wg::report::sample {

/// A small dictionary: integers, ratios, and names that are fixed keys of the JSON too.
std::span<const CounterInfo* const> dictionary();
/// Any result: `seed` decides everything, also awkward names and doubles.
gpu::RunResult random_result(std::uint64_t seed, std::size_t kernels);
/// Three kernels with readable figures: memory bound, compute bound, launch bound.
gpu::RunResult tidy_result();
/// Settings that go with a result.
Settings settings();

}  // namespace wg::report::sample
