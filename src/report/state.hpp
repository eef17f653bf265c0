// The state file beside a result file: what a resumed run needs besides the results themselves.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/simulation.hpp"
#include "report/json.hpp"

namespace wg::report {

/// Machine state after the first `kernels` kernels and `copies` copies of a result.
struct State {
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;
  std::string machine_hash;
  std::string workload_hash;
  std::vector<std::uint8_t> bytes;
};

/// "r.json" -> "r.json.state".
std::string state_path(const std::string& json_path);

/// Packs for a file: zstd with a checksum. `unpack_state` throws wg::Error naming `where` for anything that
/// `pack_state` did not make.
std::string pack_state(const State& state);
State unpack_state(std::string_view packed, const std::string& where);

/// What the run to come was asked to do, to be held against what was saved.
struct Asked {
  std::string machine_hash;
  std::string workload_hash;
  Settings settings;
};

/// Joins results and state into what the simulator takes. A program killed between its two writes leaves
/// results that are newer than the state; those are dropped and simulated again. Throws wg::Error listing
/// every difference between what was saved and what is asked (the limit on cycles may differ).
gpu::Resume make_resume(Saved saved, State state, const Asked& asked, const std::string& where);

/// Reads FILE and FILE.state and joins them. Empty (no state) when not one kernel was finished. Throws
/// wg::Error for a complete result.
gpu::Resume load_resume(const std::string& json_path, const Asked& asked,
                        std::span<const CounterInfo* const> dictionary);

}  // namespace wg::report
