// Page streams through the UVM driver alone: a GPU that issues accesses in stream order and waits for faults.
//
// An access is issued at its stream time plus all time lost so far. A faulted one waits for a replay; up to
// `outstanding` may wait while later ones go on, then the GPU stands still. A kernel begins when all accesses
// before it are done.
#pragma once

#include <cstdint>
#include <functional>

#include "host/uvm/driver.hpp"
#include "host/uvm/event.hpp"

namespace wg::host::uvm {

struct ReplayOptions {
  Bytes memory{0};                                 ///< device memory for managed pages
  const Future* future = nullptr;                  ///< for parts that know it
  std::function<void(const Batch&)> batch_served;  ///< may be empty
};

/// Footprints of more times the memory than this are taken for a mistake.
inline constexpr std::uint64_t kMostOversubscription = 10'000;

/// Device memory for a replay as `uvm.memory` or `uvm.oversubscription` say, else the machine's; the second
/// reads `source` to its end. Throws wg::Error when both are given.
Bytes replay_memory(const config::UvmConfig& config, Bytes machine, EventSource& source);

/// Runs the stream. Throws wg::Error for streams that make no sense, with the source's place.
UvmReport replay(const config::UvmConfig& config, EventSource& source, const ReplayOptions& options);

}  // namespace wg::host::uvm
