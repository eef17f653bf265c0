// How many CTAs of a kernel fit on one SM, and what stops the next one.
#pragma once

#include <cstdint>
#include <string>

#include "config/machine.hpp"
#include "trace/workload.hpp"

namespace wg::dispatch {

struct Fit {
  std::uint32_t ctas = 0;   ///< per SM; at least 1
  std::uint32_t warps = 0;  ///< per SM when full
  std::string limited_by;   ///< "warps", "CTA slots", "threads", "registers", "shared memory" or "grid"
  std::uint64_t shared_bytes = 0;  ///< of the SM that full occupancy takes, rounded up to the granule
  std::uint64_t l1_bytes = 0;      ///< left to the L1 data cache
};

/// Throws wg::Error when not even one CTA fits, naming the resource, what is needed and what there is.
Fit fit(const config::Machine& machine, const trace::KernelHeader& kernel);

}  // namespace wg::dispatch
