// The rows of unified virtual memory.
#include "config/fields_uvm.hpp"

namespace wg::config::detail {
namespace {

using U = UvmConfig;
using Rows = std::vector<Field>;

constexpr std::uint64_t kKi = 1024;
constexpr std::uint64_t kMi = kKi * kKi;
constexpr Range kPercent{0, 100};
constexpr Range kCost{0, 1'000'000'000};
constexpr Range kRate{1'000'000, 100'000'000'000'000};
constexpr Range kSpan{4 * kKi, 4 * kMi};

constexpr std::array<std::string_view, 9> kPrefetchers{"none",       "sequential",  "window", "random", "tbn",
                                                       "tbn-driver", "whole-block", "forest", "oracle"};
constexpr std::array<std::string_view, 10> kFullPrefetchers{
    "same", "none", "sequential", "window", "random", "tbn", "tbn-driver", "whole-block", "forest", "oracle"};
constexpr std::array<std::string_view, 8> kEvictors{"driver", "lru",    "tbne",   "sequential-local",
                                                    "lru-4k", "random", "forest", "belady"};
constexpr std::array<std::string_view, 2> kRounding{"none", "pow2-64k"};
constexpr std::array<std::string_view, 3> kAccounting{"auto", "chunk", "page"};
constexpr std::array<std::string_view, 4> kReplays{"block", "batch", "batch-flush", "once"};
constexpr std::array<std::string_view, 2> kTransfers{"affine", "curve"};
constexpr std::array<std::string_view, 4> kRemote{"off", "always", "oversubscribed", "adaptive"};

template <auto Member>
Field uvm(const char* name, const char* doc) {
  return bind<&Machine::uvm, Member>(std::string("uvm.") + name, doc);
}

template <auto Member>
Field cost(const char* name, const char* doc) {
  return number(uvm<Member>(name, doc), kCost, "nanoseconds", Measure::nanoseconds);
}

template <auto Member>
Field percent(const char* name, const char* doc) {
  return number(uvm<Member>(name, doc), kPercent, "percent");
}

template <auto Member>
Field rate(const char* name, const char* doc) {
  return number(uvm<Member>(name, doc), kRate, "bytes per second", Measure::rate);
}

void add_parts(Rows& rows) {
  const auto add = [&](Field field) { rows.push_back(std::move(field)); };
  add(uvm<&U::enable>("enable", "Allocations of a run are managed memory"));
  add(or_off(number(uvm<&U::oversubscription>("oversubscription", "Footprint over device memory"),
                    {1, 1'000'000}, "", Measure::thousandths)));
  add(number(uvm<&U::utlb>("utlb", "Pages of an SM's uTLB; its hits are not seen by evictors and forest"),
             {1, 4096}, "pages"));
  add(choice(uvm<&U::prefetcher>("prefetcher", "Prefetcher part"), kPrefetchers));
  add(choice(uvm<&U::prefetcher_full>("prefetcher_full", "Prefetcher part once memory is full"),
             kFullPrefetchers));
  add(choice(uvm<&U::evictor>("evictor", "Evictor part"), kEvictors));
  add(size(uvm<&U::memory>("memory", "Device memory for managed pages; 0 = the machine's"),
           {0, 16 * kMi * kMi}));
  add(size(uvm<&U::tree>("tree", "Span of a tree of tbn"), kSpan));
  add(size(uvm<&U::leaf>("leaf", "Leaf of tbn, sequential, tbne and sequential-local"), kSpan));
  add(size(uvm<&U::window>("window", "What the window prefetcher brings, the faulted page included"),
           {4 * kKi, 1024 * kMi}));
  add(percent<&U::tbn_threshold>("tbn_threshold", "Share of a node's bytes to exceed, tbn and forest"));
  add(percent<&U::threshold>("threshold", "Share of a node's pages to exceed, tbn-driver"));
  add(number(uvm<&U::min_faults>("min_faults", "Faults a block needs before tbn-driver prefetches"), {1, 20},
             "faults"));
  add(uvm<&U::clamp_fix>("clamp_fix", "tbn-driver without its quirk in blocks that start unaligned"));
  add(choice(uvm<&U::alloc_round>("alloc_round", "Rounding of an object's last tree"), kRounding));
  add(number(uvm<&U::seed>("seed", "Seed of the random parts"), {0, ~std::uint64_t{0} >> 1}, ""));
  add(uvm<&U::forest_speculation>("forest_speculation", "forest knows patterns from earlier kernels"));
  add(number(uvm<&U::forest_interval>("forest_interval", "Accesses of an object between two pattern fits"),
             {1, 100'000'000}, "accesses"));
  add(number(uvm<&U::forest_rounds>("forest_rounds", "Pattern fits of an object at most"), {1, 1000}, ""));
  add(number(uvm<&U::forest_idle>("forest_idle",
                                  "Accesses of others after which an object is out of use; 0 = at once"),
             {0, 1'000'000'000}, "accesses"));
  add(percent<&U::forest_fit>("forest_fit", "R squared to exceed for a linear object"));
  add(percent<&U::forest_coverage>("forest_coverage", "Touched pages from which an object is dense"));
  add(percent<&U::forest_intensity>("forest_intensity", "Repeated accesses from which an object is hot"));
}

void add_memory_and_batches(Rows& rows) {
  const auto add = [&](Field field) { rows.push_back(std::move(field)); };
  add(choice(uvm<&U::accounting>("accounting", "What counts against memory: whole chunks or pages"),
             kAccounting));
  add(number(uvm<&U::free_percent>("free_percent", "Share of memory that pre-eviction keeps free"), {0, 90},
             "percent"));
  add(number(uvm<&U::reserve_percent>("reserve_percent", "Share of least recent pages that stay"), {0, 90},
             "percent"));
  add(uvm<&U::write_back_clean>("write_back_clean", "Clean pages are copied when evicted"));
  add(number(uvm<&U::batch>("batch", "Fault entries fetched at once"), {1, 65'536}, "entries"));
  add(number(uvm<&U::buffer>("buffer", "Entries of the fault buffer"), {1, 1'048'576}, "entries"));
  add(number(uvm<&U::outstanding>("outstanding", "Faulted accesses that wait before the GPU stalls"),
             {1, 65'536}, "accesses"));
  add(number(uvm<&U::batches>("batches", "Batches of one bottom half"), {1, 1000}, "batches"));
  add(uvm<&U::coalesce>("coalesce", "Equal neighbouring entries are merged while fetching"));
  add(choice(uvm<&U::replay>("replay", "When faulted accesses are tried again"), kReplays));
}

void add_costs(Rows& rows) {
  const auto add = [&](Field field) { rows.push_back(std::move(field)); };
  add(cost<&U::fault_ns>("fault_cost", "Flat cost of a faulted page"));
  add(cost<&U::batch_ns>("batch_cost", "Cost of a batch"));
  add(cost<&U::block_ns>("block_cost", "Cost of a block in a batch"));
  add(number(uvm<&U::page_ps>("page_cost_ps", "Cost of a migrated page"), {0, 1'000'000'000}, "picoseconds"));
  add(cost<&U::new_block_ns>("new_block_cost", "Cost of a block's first touch"));
  add(cost<&U::first_fault_ns>("first_fault_cost", "Cost of the process's first batch"));
  add(cost<&U::evict_ns>("evict_cost", "Cost of evicting from a block in a batch, besides the copy"));
  add(cost<&U::invalidate_ns>("invalidate_cost", "TLB shootdown after an eviction"));
  add(cost<&U::detect_ns>("detect_cost", "forest's pattern fit, off the critical path"));
  add(choice(uvm<&U::transfer>("transfer", "How long a copy takes"), kTransfers));
  add(cost<&U::copy_ns>("copy_cost", "Fixed cost of a copy"));
  add(rate<&U::to_device>("to_device", "Host to device"));
  add(rate<&U::to_host>("to_host", "Device to host"));
  add(rate<&U::curve_peak>("curve_peak", "Rate that the curve nears"));
  add(uvm<&U::duplex>("duplex", "Evictions overlap copies to the device"));
}

void add_thrashing(Rows& rows) {
  const auto add = [&](Field field) { rows.push_back(std::move(field)); };
  add(uvm<&U::thrashing>("thrashing", "Detect pages that CPU and GPU take from each other"));
  add(cost<&U::thrash_lapse_ns>("thrash_lapse", "Migrations nearer than this belong together"));
  add(number(uvm<&U::thrash_events>("thrash_events", "Migrations that mark a page"), {1, 1000}, ""));
  add(number(uvm<&U::thrash_throttles>("thrash_throttles", "Faults put off before pinning"), {0, 1000}, ""));
  add(number(uvm<&U::thrash_pin_lapses>("thrash_pin_lapses", "How long a page is pinned"), {1, 100'000},
             "lapses"));
  add(choice(uvm<&U::remote>("remote", "Pages mapped over the link instead of migrated"), kRemote));
  add(cost<&U::remote_ns>("remote_cost", "One access over the link"));
  add(uvm<&U::counters>("counters", "Access counters bring remotely mapped pages"));
  add(number(uvm<&U::counter_threshold>("counter_threshold", "Remote accesses that bring a granule"),
             {1, 1'000'000}, "accesses"));
  add(size(uvm<&U::counter_granule>("counter_granule", "What one access counter counts"),
           {4 * kKi, 2 * kMi}));
}

}  // namespace

void add_uvm(std::vector<Field>& rows) {
  add_parts(rows);
  add_memory_and_batches(rows);
  add_costs(rows);
  add_thrashing(rows);
}

}  // namespace wg::config::detail
