// The address field of a memory instruction.
#pragma once

#include <cstdint>

#include "trace/block_header.hpp"
#include "trace/workload.hpp"

namespace wg::trace {

/// Reads mode and addresses at `p` for the lanes of `inst.mask` and adds them to `out`; regular lists become
/// strided. A stride given for a mask with gaps counts over the active lanes. With no active lane the base is
/// kept and the stride, which tracers leave undefined there, is 0. Returns the first character behind, or
/// nullptr with `fault`. `end` is the end of the text.
const char* scan_addresses(const char* p, const char* end, DynInst& inst, CtaTrace& out, BlockFault& fault);

/// Reads the tail of a version 6 TMA line: barrier, multicast flag and mask, byte counts, addresses. Of the
/// list, whose length has nothing to do with lanes, the first address is kept (stride 0); an empty list
/// leaves the instruction without an address.
const char* scan_bulk(const char* p, DynInst& inst, CtaTrace& out, BlockFault& fault);

}  // namespace wg::trace
