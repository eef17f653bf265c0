// One function per catalogue entry, each defined in the file of its kernel.
#pragma once

#include "kernels/catalogue.hpp"

namespace wg::kernels {

Entry chain_entry();
Entry throughput_entry();
Entry register_banks_entry();
Entry icache_entry();
Entry constant_entry();
Entry chase_entry();
Entry bandwidth_entry();
Entry shared_latency_entry();
Entry shared_conflict_entry();
Entry shared_bandwidth_entry();
Entry atomic_entry();
Entry barrier_entry();
Entry empty_entry();
Entry ffmakernel_entry();

Entry vecadd_entry();
Entry gemm_entry();
Entry reduce_entry();
Entry stencil_entry();
Entry gather_entry();
Entry transpose_entry();
Entry fill_entry();
Entry scalarprod_entry();
Entry walsh_entry();
Entry histogram_entry();
Entry polybench_entry();
Entry backprop_entry();
Entry hotspot_entry();

Entry shape_vecadd_entry();
Entry shape_gemm_entry();
Entry shape_chase_entry();
Entry shape_gather_entry();
Entry shape_reduce_entry();
Entry shape_stencil_entry();
Entry shape_ffma_entry();

}  // namespace wg::kernels
