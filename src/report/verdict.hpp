// Why a kernel took its cycles, in one sentence and in ranked reasons.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.hpp"

namespace wg::report {

/// One part of all issue slots. The parts of a kernel sum to its issue slots.
struct SlotShare {
  std::string_view name;     ///< "issued", or the reason's name
  std::string_view meaning;  ///< what the slots waited for
  std::uint64_t slots = 0;
  double share = 0;        ///< of all issue slots
  std::size_t reason = 0;  ///< index of sm::Stall; sm::kStalls for issued slots
};

/// "issued" first, then the reasons that occurred, largest first (ties in the order of sm::Stall).
std::vector<SlotShare> slot_shares(const sm::StallCycles& slots, std::uint64_t issued, std::uint64_t all);

/// Words for a reason, to follow "waits for".
std::string_view phrase(sm::Stall stall);

/// "dram bandwidth is at 91.2 % of its peak", "62.1 % of issue slots wait for loads from DRAM; ..."
std::string verdict(const gpu::KernelResult& kernel);

/// The two largest reasons of a profile row: "memory_dram 80 %, lsu_queue 11 %".
std::string waits_for(const gpu::PcProfile& row);

/// Instructions per cycle; 0 for a kernel without cycles.
double ipc(const gpu::KernelResult& kernel);
double thread_ipc(const gpu::KernelResult& kernel);

}  // namespace wg::report
