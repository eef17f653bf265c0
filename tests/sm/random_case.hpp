// Random small kernels and machines that reach every corner of the SM.
#pragma once

#include <cstdint>

#include "base/rng.hpp"
#include "bench.hpp"

namespace wg::sm::test {

struct RandomCase {
  config::Machine machine;
  Code code;
  BenchOptions options;
};

/// The same case for the same seed, on every platform. `may_hang`: warps of a CTA may meet different
/// barriers.
RandomCase random_case(std::uint64_t seed, bool may_hang = false);

config::Machine random_machine(Rng& rng);
Code random_code(Rng& rng, const config::Machine& machine, bool may_hang);

}  // namespace wg::sm::test
