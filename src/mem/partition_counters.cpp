#include <array>

#include "mem/partition.hpp"

namespace wg::mem {

std::span<const CounterField<PartitionCounters>> PartitionCounters::fields() {
  using C = PartitionCounters;
  static constexpr std::array kFields{
      CounterField<C>{{"l2_load_sectors", "sectors", "sectors that loads looked up in the L2",
                       "lts__t_sectors_op_read.sum"},
                      &C::l2_load_sectors},
      CounterField<C>{
          {"l2_load_sector_hits", "sectors", "of them, found valid", "lts__t_sectors_op_read_lookup_hit.sum"},
          &C::l2_load_sector_hits},
      CounterField<C>{{"l2_store_sectors", "sectors", "sectors that stores looked up in the L2",
                       "lts__t_sectors_op_write.sum"},
                      &C::l2_store_sectors},
      CounterField<C>{
          {"l2_store_sector_hits", "sectors", "of them, found valid or written whole: nothing to fetch",
           "lts__t_sectors_op_write_lookup_hit.sum"},
          &C::l2_store_sector_hits},
      CounterField<C>{
          {"l2_atomic_sectors", "sectors", "sectors that atomics and reductions looked up in the L2",
           "lts__t_sectors_op_atom.sum + lts__t_sectors_op_red.sum"},
          &C::l2_atomic_sectors},
      CounterField<C>{{"l2_atomic_sector_hits", "sectors", "of them, found valid",
                       "lts__t_sectors_op_atom_lookup_hit.sum + lts__t_sectors_op_red_lookup_hit.sum"},
                      &C::l2_atomic_sector_hits},
      CounterField<C>{
          {"l2_instruction_sectors", "sectors", "sectors that instruction fetches looked up in the L2", ""},
          &C::l2_instruction_sectors},
      CounterField<C>{{"l2_instruction_sector_hits", "sectors", "of them, found valid", ""},
                      &C::l2_instruction_sector_hits},
      CounterField<C>{{"l2_requests", "requests", "tag lookups, one per request", "lts__t_requests.sum"},
                      &C::l2_requests},
      CounterField<C>{{"l2_far_requests", "requests", "of them, from SMs of the other half of the L2",
                       "lts__t_requests_srcunit_ltcfabric.sum"},
                      &C::l2_far_requests},
      CounterField<C>{
          {"l2_copy_sectors", "sectors", "load sectors served by a copy in the half of the asking SM", ""},
          &C::l2_copy_sectors},
      CounterField<C>{{"l2_coalesced", "requests", "reads answered together with one for another SM", ""},
                      &C::l2_coalesced},
      CounterField<C>{
          {"l2_mshr_merges", "requests", "requests that waited for sectors already in flight", ""},
          &C::l2_mshr_merges},
      CounterField<C>{{"l2_mshr_stall_cycles", "cycles",
                       "L2 cycles in which a slice's oldest request waited for an MSHR or a way", ""},
                      &C::l2_mshr_stall_cycles},
      CounterField<C>{{"l2_dram_stall_cycles", "cycles",
                       "L2 cycles in which a slice's oldest request waited for a place in a DRAM queue", ""},
                      &C::l2_dram_stall_cycles},
      CounterField<C>{{"l2_fill_sectors", "sectors", "sectors read from DRAM into the L2",
                       "lts__d_sectors_fill_device.sum"},
                      &C::l2_fill_sectors},
      CounterField<C>{{"l2_writeback_sectors", "sectors", "dirty sectors evicted to DRAM", ""},
                      &C::l2_writeback_sectors},
      CounterField<C>{
          {"l2_busy_cycles", "cycles", "L2 cycles in which a slice's data port worked, all slices", ""},
          &C::l2_busy_cycles},
      CounterField<C>{{"l2_reply_sectors", "sectors", "sectors sent to SMs", ""}, &C::l2_reply_sectors},
      CounterField<C>{{"dram_read_bytes", "bytes", "bytes read from DRAM", "dram__bytes_read.sum"},
                      &C::dram_read_bytes},
      CounterField<C>{{"dram_write_bytes", "bytes", "bytes written to DRAM", "dram__bytes_write.sum"},
                      &C::dram_write_bytes},
      CounterField<C>{
          {"dram_row_hits", "accesses", "column accesses to a row that an earlier one had used", ""},
          &C::dram_row_hits},
      CounterField<C>{
          {"dram_row_misses", "accesses", "column accesses that had to open a row of a closed bank", ""},
          &C::dram_row_misses},
      CounterField<C>{
          {"dram_row_conflicts", "accesses", "column accesses that had to close another row first", ""},
          &C::dram_row_conflicts},
      CounterField<C>{{"dram_busy_cycles", "cycles", "DRAM clocks with data on a channel's bus, all channels",
                       "dram__cycles_active.sum"},
                      &C::dram_busy_cycles},
      CounterField<C>{{"dram_refresh_cycles", "cycles", "DRAM clocks spent in refresh, all channels", ""},
                      &C::dram_refresh_cycles},
      CounterField<C>{{"dram_read_latency_cycles", "cycles",
                       "DRAM clocks from a read's arrival at its channel to its data's return, summed", ""},
                      &C::dram_read_latency_cycles},
      CounterField<C>{{"dram_reads", "accesses", "column accesses that read", "dram__sectors_read.sum"},
                      &C::dram_reads},
  };
  return kFields;
}

}  // namespace wg::mem
