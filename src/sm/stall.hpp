// Why an issue slot stayed empty, or why a warp waited.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/stats.hpp"

namespace wg::sm {

/// Every issue slot (one per sub-core and cycle) is either issued or has exactly one of these reasons.
enum class Stall : std::uint8_t {
  dependence,   ///< result of a fixed-latency instruction
  scoreboard,   ///< result of a variable-latency instruction that is not memory (MUFU, tensor, FP64 ...)
  memory_l1,    ///< global/local load served by the L1
  memory_l2,    ///< ... by the L2 (also atomics)
  memory_dram,  ///< ... by DRAM
  far_fault,    ///< a page of managed memory that was not on the device
  shared,       ///< shared memory, LDSM, shuffle
  constant,     ///< LDC
  barrier,      ///< BAR
  membar,       ///< MEMBAR, DEPBAR, mbarrier: outstanding asynchronous work
  fetch,        ///< instruction cache
  branch,       ///< bubble after a taken branch
  pipe_fma,
  pipe_alu,
  pipe_fp16,
  pipe_fp64,
  pipe_xu,
  pipe_tensor,
  pipe_uniform,
  pipe_branch,   ///< pipe busy
  lsu_queue,     ///< LD/ST queue full
  not_selected,  ///< another warp issued (only for warps, never for slots)
  drain,         ///< the last warps had exited but their memory operations were under way
  no_warp,       ///< before the warp that issued next had arrived
  launch,        ///< before the first CTA arrived: kernel launch cost
  count_
};
inline constexpr std::size_t kStalls = static_cast<std::size_t>(Stall::count_);

using StallCycles = std::array<std::uint64_t, kStalls>;

/// Dictionary entry of "issue slots lost to this reason".
const CounterInfo& slot_info(Stall stall);
/// Short name, e.g. "memory_dram".
std::string_view name_of(Stall stall);

}  // namespace wg::sm
