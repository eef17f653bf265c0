#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "report/blocks.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "report/uvm.hpp"
#include "report/verdict.hpp"
#include "report/warnings.hpp"

namespace wg::report {
namespace {

constexpr std::size_t kFew = 3;  ///< kernels that are shown in full without being asked

struct Sums {
  std::uint64_t cycles = 0, time_ps = 0, warp = 0, thread = 0, ctas = 0;
};

Sums sums(const gpu::RunResult& r) {
  Sums s;
  for (const gpu::KernelResult& k : r.kernels) {
    s.cycles += k.cycles;
    s.time_ps += k.time_ps;
    s.warp += k.warp_instructions;
    s.thread += k.thread_instructions;
    s.ctas += k.ctas;
  }
  return s;
}

double per(std::uint64_t amount, double by) { return by > 0 ? static_cast<double>(amount) / by : 0; }

std::string title(const gpu::RunResult& r, const Style& style) {
  std::string out = heading(fmt::format("{} on {}", printable(r.workload), printable(r.gpu)), style);
  if (!r.complete) {
    const char* why = r.stopped_by == "interrupt"  ? "it was interrupted"
                      : r.stopped_by == "limit"    ? "it reached its limit of cycles"
                      : r.stopped_by == "deadlock" ? "the simulated machine deadlocked"
                                                   : "it failed";
    const bool in_part = !r.kernels.empty() && !r.kernels.back().complete;
    out += fmt::format("  NOT COMPLETE: {}; results cover {}{}\n", why, counted(r.kernels.size(), "kernel"),
                       in_part ? ", the last one in part" : "");
  }
  return out + '\n';
}

std::string totals(const gpu::RunResult& r, const Style& style) {
  const Sums s = sums(r);
  const double cycles = static_cast<double>(s.cycles);
  std::string out = heading(fmt::format("All {} kernels", r.kernels.size()), style);
  Table table({{"", Align::left}, {"", Align::left}, {"", Align::left, 80}});
  table.row({"cycles", grouped(s.cycles),
             fmt::format("{} at {}", duration(static_cast<double>(s.time_ps) * 1e-12), clock(r.clock_hz))});
  table.row({"IPC", compact(per(s.warp, cycles)), fmt::format("{} warp instructions", grouped(s.warp))});
  table.row({"thread IPC", compact(per(s.thread, cycles)),
             fmt::format("{} thread instructions", grouped(s.thread))});
  out += table.text();
  out += '\n' + section("Where the issue slots went", style) +
         slots_block(r.slots, r.issued_slots, r.issue_slots, style);
  if (const std::string rows = memory_block(r.totals, s.time_ps); !rows.empty()) {
    out += '\n' + section("Memory", style) + rows;
  }
  if (r.uvm) {
    out += '\n' + section("Managed memory", style) + uvm_block(*r.uvm);
  }
  return out + '\n';
}

std::string copies(const gpu::RunResult& r) {
  struct Sum {
    std::uint64_t count = 0, bytes = 0, time_ps = 0, link = 0, crossbar = 0, read = 0, written = 0;
  };
  std::map<std::string, Sum> by_kind;
  for (const gpu::CopyResult& copy : r.copies) {
    Sum& sum = by_kind[copy.kind];
    ++sum.count;
    sum.bytes += copy.bytes;
    sum.time_ps += copy.time_ps;
    sum.link += copy.link_bytes;
    sum.crossbar += copy.crossbar_bytes;
    sum.read += copy.dram_read_bytes;
    sum.written += copy.dram_write_bytes;
  }
  std::string out;
  for (const auto& [kind, sum] : by_kind) {
    const double seconds = static_cast<double>(sum.time_ps) * 1e-12;
    out += fmt::format("copies {}: {}, {} in {} ({})\n", kind, grouped(sum.count), bytes(sum.bytes),
                       duration(seconds), si(per(sum.bytes, seconds), "B/s"));
    std::vector<std::string> parts;
    if (sum.link != 0 && sum.link != sum.bytes) {
      parts.push_back(fmt::format("{} over the link, ratio {:.2f}", bytes(sum.link),
                                  static_cast<double>(sum.bytes) / static_cast<double>(sum.link)));
      parts.push_back(bytes(sum.crossbar) + " over the crossbar");
    }
    const auto part = [&parts](std::uint64_t amount, const char* what) {
      if (amount != 0) {
        parts.push_back(fmt::format("{} {}", bytes(amount), what));
      }
    };
    part(sum.read, "read from DRAM");
    part(sum.written, "written to DRAM");
    if (!parts.empty()) {
      out += fmt::format("  {}\n", fmt::join(parts, ", "));
    }
  }
  return out;
}

std::string cost(const gpu::RunResult& r) {
  const Sums s = sums(r);
  return fmt::format("simulated {} cycles and {} warp instructions in {} on {}\n({}, {}, peak memory {})\n",
                     grouped(s.cycles), grouped(s.warp), duration(r.wall_seconds),
                     counted(r.threads, "thread"), si(per(s.cycles, r.wall_seconds), "cycles/s"),
                     si(per(s.warp, r.wall_seconds), "warp-inst/s"), bytes(r.peak_rss_bytes));
}

std::string top_reason(const gpu::KernelResult& k) {
  const auto shares = slot_shares(k.slots, k.issued_slots, k.issue_slots);
  return shares.size() < 2 ? "-" : fmt::format("{} {:.0f} %", shares[1].name, shares[1].share * 100);
}

std::string nearest_limit(const gpu::KernelResult& k) {
  return k.limits.empty() ? "-" : fmt::format("{} {:.0f} %", k.limits[0].name, k.limits[0].share() * 100);
}

}  // namespace

std::string kernels_text(const gpu::RunResult& result) {
  Table table({{"#"},
               {"kernel", Align::left, 26},
               {"cycles"},
               {"time"},
               {"IPC"},
               {"warps"},
               {"most slots", Align::left},
               {"nearest limit", Align::left, 20}});
  for (const gpu::KernelResult& k : result.kernels) {
    table.row({std::to_string(k.index), readable_name(k.name) + (k.complete ? "" : " *"), grouped(k.cycles),
               duration(static_cast<double>(k.time_ps) * 1e-12), compact(ipc(k)),
               fmt::format("{:.1f}", k.occupancy.achieved_warps), top_reason(k), nearest_limit(k)});
  }
  return table.text();
}

std::string text(const gpu::RunResult& result, const Style& style) {
  std::string out = title(result, style);
  if (result.kernels.empty()) {
    out += "  no kernel was finished\n\n";
  }
  if (result.kernels.size() > kFew) {
    out += kernels_text(result) + '\n';
  }
  if (style.verbose || result.kernels.size() <= kFew) {
    for (const gpu::KernelResult& kernel : result.kernels) {
      out += kernel_text(kernel, result.kernels.size(), result.clock_hz, style) + '\n';
    }
  }
  if (result.kernels.size() > 1) {
    out += totals(result, style);
  }
  out += copies(result);
  for (const std::string& warning : distinct_warnings(result)) {
    out += wrapped("warning: " + warning, style.columns).substr(2);
  }
  return out + cost(result);
}

}  // namespace wg::report
