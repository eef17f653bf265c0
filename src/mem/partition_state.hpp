// Inside of a memory partition, shared by the sources of this room that implement it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mem/copy_reader.hpp"
#include "mem/dram.hpp"
#include "mem/l2_slice.hpp"
#include "mem/partition.hpp"

namespace wg::mem {

struct Partition::State {
  State(const config::Machine& machine, std::uint32_t channel_number);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Runs the next event if it is before `until`; whether it did.
  bool step(std::uint64_t until);
  /// The same with copies beside the kernel.
  bool step_beside(std::uint64_t until);
  void wake_slices(std::uint64_t now);
  /// Earliest event of DRAM and slices.
  [[nodiscard]] std::uint64_t next_ps() const;

  AddressMap map;
  std::uint32_t channel;
  std::uint64_t geometry;  ///< hash of what a saved state depends on
  std::uint64_t sector_bytes;
  std::uint64_t capacity;    ///< bytes of one slice
  std::uint32_t copy_reads;  ///< entries of the read queue that copies beside a kernel may have
  PartitionCounters counters;
  DramChannel dram;
  std::vector<L2Slice> slices;
  std::optional<CopyReader> reader;  ///< of copies beside the kernel
  ReplySink sink;
  std::size_t turn = 0;  ///< slice that goes first among equals
  std::uint64_t last_event = 0;
};

/// Of all that the meaning of a saved state depends on.
std::uint64_t geometry_hash(const config::Machine& machine);

/// Throws wg::Error with everything in `machine` that a partition cannot be built from.
void check_partition(const config::Machine& machine);

}  // namespace wg::mem
