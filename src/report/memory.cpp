#include "report/memory.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "report/format.hpp"
#include "report/lookup.hpp"

namespace wg::report {
namespace {

/// A stream of accesses into a cache. Names are counters; an empty one does not apply.
struct CacheRow {
  std::string_view what;
  std::string_view requests;
  std::string_view sectors;
  std::string_view hits;
};

constexpr std::array kCacheRows{
    CacheRow{"L1 loads", "l1_load_requests", "l1_load_sectors", "l1_load_sector_hits"},
    CacheRow{"L1 stores", "l1_store_requests", "l1_store_sectors", "l1_store_sector_hits"},
    CacheRow{"L1 local", "", "l1_local_sectors", "l1_local_sector_hits"},
    CacheRow{"loads past the L1", "", "bypass_sectors", ""},
    CacheRow{"atomics", "atomic_instructions", "atomic_sectors", ""},
    CacheRow{"L2 loads", "", "l2_load_sectors", "l2_load_sector_hits"},
    CacheRow{"L2 stores", "", "l2_store_sectors", "l2_store_sector_hits"},
    CacheRow{"L2 atomics", "", "l2_atomic_sectors", "l2_atomic_sector_hits"},
    CacheRow{"L2 instructions", "", "l2_instruction_sectors", "l2_instruction_sector_hits"},
};

constexpr std::string_view kSharedLoads = "shared_load_instructions";
constexpr std::string_view kSharedStores = "shared_store_instructions";
constexpr std::string_view kSharedConflicts = "shared_conflict_passes";
constexpr std::string_view kDramRead = "dram_read_bytes";
constexpr std::string_view kDramWrite = "dram_write_bytes";
constexpr std::string_view kRowHits = "dram_row_hits";
constexpr std::string_view kRowMisses = "dram_row_misses";
constexpr std::string_view kRowConflicts = "dram_row_conflicts";

std::string count(double value, std::string_view unit) {
  return fmt::format("{} {}", grouped(static_cast<std::uint64_t>(value)), unit);
}

MemoryRow row_of(std::string_view what, std::string amount) {
  MemoryRow row;
  row.what = what;
  row.amount = std::move(amount);
  return row;
}

void add_caches(std::span<const CounterValue> counters, std::vector<MemoryRow>& rows) {
  for (const CacheRow& spec : kCacheRows) {
    const double sectors = number(counters, spec.sectors).value_or(0);
    if (sectors == 0) {
      continue;
    }
    MemoryRow row = row_of(spec.what, count(sectors, "sectors"));
    if (const auto hits = number(counters, spec.hits)) {
      row.hits = percent(*hits / sectors);
    }
    if (const double requests = number(counters, spec.requests).value_or(0); requests > 0) {
      row.per_request = compact(sectors / requests);
    }
    rows.push_back(std::move(row));
  }
}

void add_shared(std::span<const CounterValue> counters, std::vector<MemoryRow>& rows) {
  const double accesses =
      number(counters, kSharedLoads).value_or(0) + number(counters, kSharedStores).value_or(0);
  if (accesses > 0) {
    MemoryRow row = row_of("shared memory", count(accesses, "accesses"));
    const double conflicts = number(counters, kSharedConflicts).value_or(0);
    row.note =
        fmt::format("{}, {} per access", count(conflicts, "bank conflicts"), compact(conflicts / accesses));
    rows.push_back(std::move(row));
  }
}

void add_dram(std::span<const CounterValue> counters, std::uint64_t time_ps, std::vector<MemoryRow>& rows) {
  const double seconds = static_cast<double>(time_ps) * 1e-12;
  const auto add = [&](std::string_view what, std::string_view name) {
    const double amount = number(counters, name).value_or(0);
    if (amount > 0) {
      MemoryRow row = row_of(what, bytes(static_cast<std::uint64_t>(amount)));
      row.note = seconds > 0 ? si(amount / seconds, "B/s") : "";
      rows.push_back(std::move(row));
    }
  };
  add("DRAM reads", kDramRead);
  add("DRAM writes", kDramWrite);
  const double hits = number(counters, kRowHits).value_or(0);
  const double all =
      hits + number(counters, kRowMisses).value_or(0) + number(counters, kRowConflicts).value_or(0);
  if (all > 0) {
    MemoryRow row = row_of("DRAM rows", count(all, "bursts"));
    row.hits = percent(hits / all);
    row.note = "of bursts found their row open";
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<MemoryRow> memory_rows(std::span<const CounterValue> counters, std::uint64_t time_ps) {
  std::vector<MemoryRow> rows;
  add_caches(counters, rows);
  add_shared(counters, rows);
  add_dram(counters, time_ps, rows);
  return rows;
}

std::vector<std::string_view> memory_names() {
  std::vector<std::string_view> names{kSharedLoads, kSharedStores, kSharedConflicts, kDramRead,
                                      kDramWrite,   kRowHits,      kRowMisses,       kRowConflicts};
  for (const CacheRow& row : kCacheRows) {
    for (const std::string_view name : {row.requests, row.sectors, row.hits}) {
      if (!name.empty()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

}  // namespace wg::report
