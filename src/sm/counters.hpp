// What one SM counts during a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/stats.hpp"
#include "config/machine.hpp"
#include "sm/stall.hpp"

namespace wg::sm {

struct SmCounters {
  std::uint64_t warp_instructions = 0, thread_instructions = 0, predicated_off_instructions = 0;
  std::uint64_t ctas = 0, active_cycles = 0, warp_cycles = 0;
  std::uint64_t branches_taken = 0, register_bank_conflicts = 0;

  std::uint64_t global_load_instructions = 0, global_store_instructions = 0, atomic_instructions = 0;
  std::uint64_t local_load_instructions = 0, local_store_instructions = 0;
  std::uint64_t shared_load_instructions = 0, shared_store_instructions = 0;
  std::uint64_t l1_load_requests = 0, l1_load_sectors = 0, l1_load_sector_hits = 0, l1_load_sector_merges = 0;
  std::uint64_t l1_store_requests = 0, l1_store_sectors = 0, l1_store_sector_hits = 0;
  std::uint64_t l1_local_sectors = 0, l1_local_sector_hits = 0;
  std::uint64_t bypass_sectors = 0, atomic_sectors = 0, atomic_operations = 0;
  std::uint64_t l1_conflict_passes = 0;
  std::uint64_t shared_passes = 0, shared_conflict_passes = 0;
  std::uint64_t lsu_busy_cycles = 0, lsu_mshr_stall_cycles = 0, lsu_credit_stall_cycles = 0;
  std::uint64_t lsu_fault_stall_cycles = 0, faulted_instructions = 0, fault_entries = 0;
  std::uint64_t constant_misses = 0;
  std::uint64_t l0_instruction_accesses = 0, l0_instruction_misses = 0, l1_instruction_misses = 0;
  std::uint64_t request_packets = 0, request_bytes = 0, reply_packets = 0, reply_bytes = 0;
  std::uint64_t sectors_requested = 0, sectors_answered = 0;

  std::array<std::uint64_t, config::kPipes> pipe_busy{};   ///< sub-core cycles a pipe was taken
  std::array<std::uint64_t, isa::kInstClasses> classes{};  ///< warp instructions by class
  StallCycles slots{};                                     ///< issue slots without issue, by reason

  /// The scalar counters above with their dictionary entries.
  static std::span<const CounterField<SmCounters>> fields();
  /// Adds every counter of `other`, arrays included.
  void add(const SmCounters& other);
};

/// Dictionary entries of the array counters.
const CounterInfo& pipe_info(config::Pipe pipe);
const CounterInfo& class_info(isa::InstClass cls);

}  // namespace wg::sm
