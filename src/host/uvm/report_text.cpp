// A report as text.
#include <fmt/format.h>

#include "host/uvm/counters.hpp"
#include "host/uvm/page_mask.hpp"

namespace wg::host::uvm {
namespace {

std::string time(std::uint64_t ps) {
  const double us = static_cast<double>(ps) * 1e-6;
  return us < 1e4   ? fmt::format("{:.2f} us", us)
         : us < 1e7 ? fmt::format("{:.2f} ms", us * 1e-3)
                    : fmt::format("{:.2f} s", us * 1e-6);
}

std::string size(std::uint64_t pages) {
  return fmt::format("{:.1f} MiB", static_cast<double>(pages) * kPageBytes / (1024.0 * 1024.0));
}

double rate(std::uint64_t pages, std::uint64_t ps) {
  return ps == 0 ? 0 : static_cast<double>(pages * kPageBytes) / static_cast<double>(ps) * 1e3;
}

std::string counters_text(const PageCounters& c) {
  const double distance =
      c.again == 0 ? 0 : static_cast<double>(c.again_distance) / static_cast<double>(c.again);
  std::string out;
  out += fmt::format("  accesses            {:>14}   remote {}\n", c.accesses, c.remote);
  out += fmt::format("  faults, raw         {:>14}   coalesced {}, duplicate {}, flushed {}\n", c.raw_faults,
                     c.coalesced, c.duplicates, c.flushed);
  out += fmt::format("  faults, unique      {:>14}\n", c.unique_faults);
  out += fmt::format("  pages in            {:>14}   {}: fault {}, prefetch {}, hint {}, counter {}\n",
                     c.arrived(), size(c.arrived()), c.of(Cause::fault), c.of(Cause::prefetch),
                     c.of(Cause::hint), c.of(Cause::counter));
  out += fmt::format("  pages out           {:>14}   {}: eviction {}, CPU {}, hint {}; without a copy {}\n",
                     c.left(), size(c.left()), c.of(Cause::eviction), c.of(Cause::cpu), c.of(Cause::hint_out),
                     c.dropped);
  out += fmt::format("  prefetch accuracy   {:>12.1f} %   coverage {:.1f} %\n", 100 * accuracy(c),
                     100 * coverage(c));
  out += fmt::format("  moved, never used   {:>14}   {:.1f} % of pages in; left unused {}\n",
                     c.left_unused + c.end_unused, 100 * unused_share(c), c.left_unused);
  out += fmt::format("  pages that returned {:>14}   after {:.0f} accesses on average\n", c.again, distance);
  if (c.throttles + c.pins != 0) {
    out += fmt::format("  CPU-GPU thrashing   {:>14}   throttles, {} pins\n", c.throttles, c.pins);
  }
  out += fmt::format("  GPU stalled         {:>14}   accesses waited {} in all\n", time(c.stall_ps),
                     time(c.wait_ps));
  return out;
}

template <std::size_t N>
std::string histogram(const std::array<std::uint64_t, N>& classes) {
  std::string out;
  for (std::size_t i = 0; i < N; ++i) {
    if (classes[i] != 0) {
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ",
                         i == 0 ? "1" : fmt::format("{}-{}", 1ULL << i, (2ULL << i) - 1), classes[i]);
    }
  }
  return out.empty() ? "none" : out;
}

}  // namespace

std::string report_text(const UvmReport& r) {
  std::string out = fmt::format(
      "Prefetcher {}, evictor {}; {} of managed memory on a device with {} ({:.0f} %)\n", r.prefetcher,
      r.evictor, size(r.footprint_pages), size(r.memory_pages), 100 * r.oversubscription());
  out += fmt::format("Took {}, of which the GPU stood still for {}; the driver worked {}\n\n",
                     time(r.time_ps), time(r.stall_ps), time(r.service_ps));
  out += counters_text(r.total);
  out += fmt::format("  batches             {:>14}   in {} bottom halves, {} kernels; block services {}\n",
                     r.batches, r.bottom_halves, r.kernels, r.block_services);
  out += fmt::format("  entries of a batch  {}\n", histogram(r.batch_sizes));
  out += fmt::format("  evictions           {:>14}\n", r.evictions);
  out += fmt::format("  copies in           {:>14}   {:.2f} GB/s while copying; pages of a copy {}\n",
                     r.transfers_in, rate(r.total.arrived(), r.link_in_ps), histogram(r.run_sizes));
  out += fmt::format("  copies out          {:>14}   {:.2f} GB/s while copying\n", r.transfers_out,
                     rate(r.total.left(), r.link_out_ps));
  out += fmt::format("  driver's time       batch {}, block {}, page {}, copy {}, eviction {}\n",
                     time(r.split.batch_ps), time(r.split.block_ps), time(r.split.page_ps),
                     time(r.split.copy_in_ps), time(r.split.evict_ps));
  out += fmt::format("  memory              peak {}, at the end {} resident, {} lost in chunks\n",
                     size(r.peak_pages), size(r.end_pages), size(r.chunk_waste_pages));
  out += fmt::format("  state of the parts  {:>14}   bytes of the prefetcher, {} of the evictor\n",
                     r.prefetcher_bytes, r.evictor_bytes);
  for (std::size_t i = 0; i < r.objects.size() && r.objects.size() > 1; ++i) {
    const ObjectReport& object = r.objects[i];
    out += fmt::format("\nObject {} {}, {} bytes{}{}\n", i, object.name, object.bytes,
                       object.pattern.empty() ? "" : ", pattern ", object.pattern);
    out += counters_text(object.pages);
  }
  return out;
}

}  // namespace wg::host::uvm
