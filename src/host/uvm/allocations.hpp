// Which ranges of a recorded program's memory are managed.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/workload.hpp"

namespace wg::host::uvm {

/// Pages [first, end) of device addresses.
struct Allocation {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

/// The ranges that copies wrote or read, then pages that kernels touched outside them, these merged where
/// less than 2 MiB lies between; by address. One streaming pass over the trace; throws wg::Error as its
/// reader does.
std::vector<Allocation> allocations_of(const trace::Workload& workload);

}  // namespace wg::host::uvm
