// What is counted, for a run and for each object alike.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "host/uvm/timeline.hpp"

namespace wg::host::uvm {

/// Why pages move. The first four bring them to the device.
enum class Cause : std::uint8_t { fault, prefetch, hint, counter, eviction, cpu, hint_out, count_ };
inline constexpr std::size_t kCauses = static_cast<std::size_t>(Cause::count_);

struct PageCounters {
  std::uint64_t accesses = 0;                  ///< by the GPU
  std::uint64_t remote = 0;                    ///< of them over the link
  std::uint64_t raw_faults = 0;                ///< entries written to the fault buffer
  std::uint64_t coalesced = 0;                 ///< of them merged while fetching
  std::uint64_t duplicates = 0;                ///< of them for a page already in the batch or already there
  std::uint64_t unique_faults = 0;             ///< of them that asked for a page
  std::uint64_t flushed = 0;                   ///< of them discarded at a replay
  std::array<std::uint64_t, kCauses> moved{};  ///< pages, by cause
  std::uint64_t dropped = 0;                   ///< pages that left without a copy
  std::uint64_t used = 0;                      ///< arrivals that were accessed before they left
  std::uint64_t prefetch_used = 0;             ///< of them brought by a prefetch
  std::uint64_t left_unused = 0;               ///< arrivals that left without an access
  std::uint64_t end_unused = 0;      ///< arrivals that were never accessed and are still there at the end
  std::uint64_t again = 0;           ///< arrivals of pages that had been evicted
  std::uint64_t again_distance = 0;  ///< GPU accesses between eviction and return, summed over them
  std::uint64_t throttles = 0;
  std::uint64_t pins = 0;
  std::uint64_t stall_ps = 0;  ///< the GPU stood still for a fault of this object
  std::uint64_t wait_ps = 0;   ///< accesses waited for pages of this object, summed over them

  [[nodiscard]] std::uint64_t of(Cause cause) const { return moved[static_cast<std::size_t>(cause)]; }
  std::uint64_t& of(Cause cause) { return moved[static_cast<std::size_t>(cause)]; }
  /// Pages that came to the device: used + left_unused + end_unused at the end of a run.
  [[nodiscard]] std::uint64_t arrived() const {
    return of(Cause::fault) + of(Cause::prefetch) + of(Cause::hint) + of(Cause::counter);
  }
  [[nodiscard]] std::uint64_t left() const {
    return of(Cause::eviction) + of(Cause::cpu) + of(Cause::hint_out);
  }
  PageCounters& operator+=(const PageCounters& other);
  /// What came after `before`; `end_unused` stays.
  [[nodiscard]] PageCounters since(const PageCounters& before) const;
};

struct TimeSplit {
  std::uint64_t batch_ps = 0, block_ps = 0, page_ps = 0, copy_in_ps = 0, evict_ps = 0;
};

struct ObjectReport {
  std::string name;
  std::uint64_t bytes = 0;
  std::string pattern;  ///< of `forest`; empty otherwise
  PageCounters pages;
};

struct UvmReport {
  std::string prefetcher, evictor;
  std::uint64_t memory_pages = 0;
  std::uint64_t footprint_pages = 0;  ///< of all objects
  std::uint64_t kernels = 0;
  std::uint64_t batches = 0;
  std::uint64_t bottom_halves = 0;
  std::array<std::uint64_t, 18> batch_sizes{};  ///< batches of 2^i .. 2^(i+1) - 1 raw entries
  std::uint64_t block_services = 0;
  std::uint64_t evictions = 0;  ///< victims
  std::uint64_t transfers_in = 0, transfers_out = 0;
  std::array<std::uint64_t, 10> run_sizes{};      ///< copies to the device of 2^i .. 2^(i+1) - 1 pages
  std::uint64_t link_in_ps = 0, link_out_ps = 0;  ///< time that copies took
  std::uint64_t peak_pages = 0;                   ///< most that was charged against memory
  std::uint64_t end_pages = 0;                    ///< resident at the end
  std::uint64_t chunk_waste_pages = 0;            ///< charged at the end and not resident
  std::uint64_t prefetcher_bytes = 0;             ///< state that the prefetcher keeps
  std::uint64_t evictor_bytes = 0;                ///< state that the evictor keeps
  std::uint64_t time_ps = 0;                      ///< from the first event to the last
  std::uint64_t stall_ps = 0;                     ///< of it the GPU stood still
  std::uint64_t service_ps = 0;                   ///< of it the driver worked
  TimeSplit split;
  Timeline timeline;
  PageCounters total;
  std::vector<ObjectReport> objects;

  /// What came after `before`; sizes and what is resident at the end stay.
  [[nodiscard]] UvmReport since(const UvmReport& before) const;
  void archive(Archive& archive);
  [[nodiscard]] double oversubscription() const {
    return memory_pages == 0 ? 0 : static_cast<double>(footprint_pages) / static_cast<double>(memory_pages);
  }
};

/// Prefetched and used before leaving, of all prefetched; 0 without prefetches.
double accuracy(const PageCounters& counters);
/// Used arrivals that did not fault, of all used arrivals.
double coverage(const PageCounters& counters);
/// Arrivals never used, of all arrivals.
double unused_share(const PageCounters& counters);

std::string report_text(const UvmReport& report);
std::string report_json(const UvmReport& report);
/// The inverse; throws nlohmann::json::exception for text that report_json does not make.
UvmReport report_from_json(const std::string& text);

}  // namespace wg::host::uvm
