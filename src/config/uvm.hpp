// Unified virtual memory as data: who moves pages, when, and what each step of the driver costs.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.hpp"

namespace wg::config {

/// Defaults: a GTX 1080 Ti, whose fault service times the cost model was fitted to.
struct UvmConfig {
  // The cycle-level machine
  bool enable = false;                 ///< allocations of a run are managed memory: first touches fault
  std::uint64_t oversubscription = 0;  ///< thousandths: footprint over memory; 0 = `memory` says
  std::uint32_t utlb = 32;             ///< pages that an SM uses without the driver's parts hearing of it

  // Parts
  std::string prefetcher = "tbn-driver";
  std::string prefetcher_full = "same";  ///< prefetcher once memory is full; same = no change
  std::string evictor = "driver";

  // What the parts can be tuned with
  Bytes memory{0};                   ///< device memory that managed pages may take; 0 = the machine's
  Bytes tree{2 * 1024 * 1024};       ///< span of a tree of `tbn`
  Bytes leaf{64 * 1024};             ///< leaf of `tbn`, `sequential`, `tbne` and `sequential-local`
  Bytes window{64 * 1024};           ///< what `window` brings, the faulted page included
  std::uint32_t tbn_threshold = 50;  ///< percent of a node's bytes that must be exceeded, `tbn` and `forest`
  std::uint32_t threshold = 51;      ///< the same of a node's pages, `tbn-driver`
  std::uint32_t min_faults = 1;      ///< faults a block needs before `tbn-driver` prefetches
  bool clamp_fix = false;            ///< `tbn-driver` without its quirk in blocks that start unaligned
  std::string alloc_round = "none";  ///< none, or pow2-64k: the last tree is rounded up to 64 KiB x 2^i
  std::uint64_t seed = 1;            ///< of `random` parts
  bool forest_speculation = false;   ///< `forest` knows an object's pattern from an earlier kernel
  std::uint32_t forest_interval = 10'000;  ///< accesses of an object between two looks at its pattern
  std::uint32_t forest_rounds = 10;        ///< looks at most, then the default trees
  std::uint32_t forest_fit = 80;           ///< percent of R squared above which an object is linear
  std::uint32_t forest_coverage = 60;      ///< percent of touched pages from which an object is dense
  std::uint64_t forest_idle =
      10'000;  ///< accesses of others after which an object is out of use; 0 = at once
  std::uint32_t forest_intensity = 40;  ///< percent of repeated accesses from which it is hot

  // Memory pressure
  std::string accounting = "auto";  ///< chunk: a block takes 2 MiB whatever it holds; page; auto: by evictor
  std::uint32_t free_percent = 0;   ///< pre-eviction keeps this share of memory free
  std::uint32_t reserve_percent = 0;  ///< share of the least recent pages that eviction passes over
  bool write_back_clean = true;       ///< evicted pages that were never written are copied all the same

  // Fault buffer and batches
  std::uint32_t batch = 256;           ///< entries fetched at once
  std::uint32_t buffer = 8192;         ///< entries of the fault buffer
  std::uint32_t outstanding = 56;      ///< faulted accesses that may wait before the GPU stalls
  std::uint32_t batches = 20;          ///< batches of one bottom half
  bool coalesce = true;                ///< an entry equal to the one before it is merged while fetching
  std::string replay = "batch-flush";  ///< block, batch, batch-flush or once

  // Costs
  std::uint64_t fault_ns = 0;              ///< flat cost of each faulted page, for models that know only that
  std::uint64_t batch_ns = 0;              ///< per batch
  std::uint64_t block_ns = 12'820;         ///< per block of a batch
  std::uint64_t page_ps = 216'200;         ///< picoseconds per migrated page
  std::uint64_t new_block_ns = 33'000;     ///< first touch of a block
  std::uint64_t first_fault_ns = 160'000;  ///< first batch of the process
  std::uint64_t evict_ns = 25'000;         ///< per block from which a batch evicts, besides the copy
  std::uint64_t invalidate_ns = 1'000;     ///< TLB shootdown after an eviction
  std::uint64_t detect_ns = 20'000;        ///< `forest`'s pattern fit, not on the critical path
  std::string transfer = "affine";         ///< affine: copy_ns + bytes / rate; curve: UVMSmart's
  std::uint64_t copy_ns = 914;             ///< fixed cost of one copy
  std::uint64_t to_device = 12'239'000'000;          ///< bytes per second
  std::uint64_t to_host = 12'239'000'000;            ///< bytes per second
  std::uint64_t curve_peak = 12 * 1'073'741'824ULL;  ///< bytes per second that the curve nears
  bool duplex = false;                               ///< evictions overlap copies to the device

  // Thrashing, remote mapping, access counters
  bool thrashing = true;                    ///< detect pages that CPU and GPU take from each other
  std::uint64_t thrash_lapse_ns = 500'000;  ///< events nearer than this belong together
  std::uint32_t thrash_events = 3;          ///< that mark a page
  std::uint32_t thrash_throttles = 10;      ///< faults put off before the page is pinned
  std::uint32_t thrash_pin_lapses = 300;    ///< for so long
  std::string remote = "off";               ///< off, always, oversubscribed or adaptive
  std::uint64_t remote_ns = 135;            ///< one access over the link
  bool counters = false;                    ///< access counters bring remotely mapped pages
  std::uint32_t counter_threshold = 256;    ///< remote accesses of a granule that bring it
  Bytes counter_granule{64 * 1024};         ///< what one counter counts
};

}  // namespace wg::config
