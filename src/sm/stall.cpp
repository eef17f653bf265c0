#include "sm/stall.hpp"

namespace wg::sm {
namespace {

// Nsight Compute's nearest warp-state metric is named where there is one; ours counts issue slots, not
// samples.
constexpr std::array<CounterInfo, kStalls> kInfo = {{
    {"slots_dependence", "slots", "issue slots lost waiting for a fixed-latency result",
     "smsp__average_warps_issue_stalled_wait"},
    {"slots_scoreboard", "slots",
     "issue slots lost waiting for a MUFU, tensor, FP64 or other variable-latency result",
     "smsp__average_warps_issue_stalled_math_pipe_throttle"},
    {"slots_memory_l1", "slots", "issue slots lost waiting for a global or local load served by the L1",
     "smsp__average_warps_issue_stalled_long_scoreboard"},
    {"slots_memory_l2", "slots", "issue slots lost waiting for a load or atomic served by the L2",
     "smsp__average_warps_issue_stalled_long_scoreboard"},
    {"slots_memory_dram", "slots", "issue slots lost waiting for a load or atomic served by DRAM",
     "smsp__average_warps_issue_stalled_long_scoreboard"},
    {"slots_far_fault", "slots", "issue slots lost waiting for a page that was not on the device", ""},
    {"slots_shared", "slots", "issue slots lost waiting for shared memory, LDSM or SHFL",
     "smsp__average_warps_issue_stalled_short_scoreboard"},
    {"slots_constant", "slots", "issue slots lost waiting for a constant load",
     "smsp__average_warps_issue_stalled_imc_miss"},
    {"slots_barrier", "slots", "issue slots lost waiting at a CTA barrier",
     "smsp__average_warps_issue_stalled_barrier"},
    {"slots_membar", "slots", "issue slots lost waiting for stores or asynchronous copies to complete",
     "smsp__average_warps_issue_stalled_membar"},
    {"slots_fetch", "slots", "issue slots lost waiting for the instruction caches",
     "smsp__average_warps_issue_stalled_no_instruction"},
    {"slots_branch", "slots", "issue slots lost to the bubble of a taken branch",
     "smsp__average_warps_issue_stalled_branch_resolving"},
    {"slots_pipe_fma", "slots", "issue slots lost because the FMA pipe was busy",
     "smsp__average_warps_issue_stalled_math_pipe_throttle"},
    {"slots_pipe_alu", "slots", "issue slots lost because the ALU pipe was busy",
     "smsp__average_warps_issue_stalled_math_pipe_throttle"},
    {"slots_pipe_fp16", "slots", "issue slots lost because the FP16 pipe was busy",
     "smsp__average_warps_issue_stalled_math_pipe_throttle"},
    {"slots_pipe_fp64", "slots", "issue slots lost because the FP64 pipe was busy",
     "smsp__average_warps_issue_stalled_math_pipe_throttle"},
    {"slots_pipe_xu", "slots", "issue slots lost because the XU pipe was busy",
     "smsp__average_warps_issue_stalled_math_pipe_throttle"},
    {"slots_pipe_tensor", "slots", "issue slots lost because the tensor pipe was busy",
     "smsp__average_warps_issue_stalled_math_pipe_throttle"},
    {"slots_pipe_uniform", "slots", "issue slots lost because the uniform pipe was busy", ""},
    {"slots_pipe_branch", "slots", "issue slots lost because the branch unit was busy", ""},
    {"slots_lsu_queue", "slots", "issue slots lost because the LD/ST queue was full or its port busy",
     "smsp__average_warps_issue_stalled_lg_throttle"},
    {"slots_not_selected", "slots", "always 0 for slots; a warp's cycles while another one issued",
     "smsp__average_warps_issue_stalled_not_selected"},
    {"slots_drain", "slots", "issue slots without a warp while exited ones waited for their loads and stores",
     "smsp__average_warps_issue_stalled_drain"},
    {"slots_no_warp", "slots", "issue slots before the warp that ended the gap had arrived on the sub-core",
     ""},
    {"slots_launch", "slots", "issue slots before the kernel's first CTA could arrive", ""},
}};

}  // namespace

const CounterInfo& slot_info(Stall stall) { return kInfo[static_cast<std::size_t>(stall)]; }

std::string_view name_of(Stall stall) { return slot_info(stall).name.substr(sizeof("slots_") - 1); }

}  // namespace wg::sm
