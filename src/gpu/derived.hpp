// From counters to rates, shares and limits.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stats.hpp"
#include "config/machine.hpp"
#include "gpu/engine.hpp"
#include "gpu/result.hpp"

namespace wg::gpu {

/// Every raw counter in dictionary order, then every derived value. `cycles` > 0 for meaningful rates; a rate
/// without events is 0.
std::vector<CounterValue> describe(const config::Machine& machine, const MachineCounters& counters,
                                   std::uint64_t cycles);

/// The raw counters back from a description (the inverse of describe(), derived values ignored).
MachineCounters counters_of(std::span<const CounterValue> values);

/// Limits of the machine by share used, nearest first. With managed memory the fault driver, which worked for
/// `fault_service_ps` of the time, is one of them.
std::vector<Limit> limits_of(const config::Machine& machine, const MachineCounters& counters,
                             std::uint64_t cycles, std::uint64_t fault_service_ps = 0);

/// `a` - `b`, counter by counter; for the intervals of a timeline.
MachineCounters difference(const MachineCounters& a, const MachineCounters& b);

}  // namespace wg::gpu
