// Copies to the host that read DRAM while a kernel runs: what they take from it. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mem/dram.hpp"
#include "mem/l2_slice.hpp"
#include "mem/partition.hpp"

namespace wg::mem {

/// Reads the lines of copies that belong to one channel, in the order of addresses, each when the copy engine
/// would ask for it: evenly over the copy's duration. Sectors that the L2 holds are not read. It waits while
/// it has half of the read queue, or while that is full.
class CopyReader {
 public:
  /// `slices` are the channel's; of the DRAM's read queue it takes at most `most` entries.
  CopyReader(const AddressMap& map, std::uint32_t channel, std::span<const L2Slice> slices,
             std::uint64_t sector_bytes, std::uint32_t most, std::span<const CopyRead> copies);

  /// When it wants to do something; kNever when all is asked for, or while it waits.
  [[nodiscard]] std::uint64_t next_ps() const { return waiting_ ? kNever : next_ps_; }
  /// Asks for the next line at next_ps().
  void step(DramChannel& dram, std::span<const L2Slice> slices);
  /// Data of copy number `copy` came back.
  void arrived(std::uint32_t copy, std::uint64_t ready_ps);
  /// Time has come to `now`, and a queue may have room.
  void wake(std::uint64_t now, const DramChannel& dram);
  [[nodiscard]] std::span<const CopyReadEnd> ends() const { return ends_; }

 private:
  [[nodiscard]] std::uint64_t line_address() const;
  [[nodiscard]] bool has_room(const DramChannel& dram) const;
  /// Goes on to the next line that lies in a copy, from the cursor on.
  void find();

  const AddressMap* map_;
  std::uint32_t channel_;
  std::uint32_t slices_;
  std::uint64_t line_bytes_;
  std::uint64_t sector_bytes_;
  std::uint32_t most_;  ///< entries that it may have in the read queue
  std::vector<CopyRead> copies_;
  std::vector<CopyReadEnd> ends_;

  // The cursor: blocks of a group are looked through slice by slice.
  std::size_t copy_ = 0;
  std::uint64_t group_ = 0;
  std::uint64_t last_group_ = 0;
  std::uint32_t slice_ = 0;
  std::uint64_t line_ = 0;     ///< of the block
  std::uint32_t sectors_ = 0;  ///< of the line at the cursor, that lie in the copy
  bool begun_ = false;         ///< the groups of this copy are set

  std::uint64_t next_ps_ = 0;
  std::uint32_t in_flight_ = 0;
  bool waiting_ = false;
};

}  // namespace wg::mem
