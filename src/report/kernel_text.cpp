#include <fmt/format.h>

#include <algorithm>

#include "report/blocks.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "report/text.hpp"
#include "report/uvm.hpp"
#include "report/verdict.hpp"

namespace wg::report {
namespace {

std::string dim_text(const trace::Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

std::string facts(const gpu::KernelResult& k, std::uint64_t clock_hz) {
  Table table({{"", Align::left}, {"", Align::left}, {"", Align::left, 80}});
  const double seconds = static_cast<double>(k.time_ps) * 1e-12;
  table.row({"cycles", grouped(k.cycles), fmt::format("{} at {}", duration(seconds), clock(clock_hz))});
  table.row({"IPC", compact(ipc(k)), fmt::format("{} warp instructions", grouped(k.warp_instructions))});
  table.row({"thread IPC", compact(thread_ipc(k)),
             fmt::format("{} thread instructions", grouped(k.thread_instructions))});
  const gpu::Occupancy& o = k.occupancy;
  const double full = o.max_warps_per_sm;
  table.row(
      {"occupancy", full > 0 ? percent(o.achieved_warps / full) : "-",
       fmt::format("{} of {} warps per SM on average; {} fit ({}, limited by {})", compact(o.achieved_warps),
                   o.max_warps_per_sm, o.warps_per_sm, counted(o.ctas_per_sm, "CTA"), o.limited_by)});
  return table.text();
}

std::string hottest(const gpu::KernelResult& k) {
  if (k.profile.empty()) {
    return {};
  }
  const bool lines = std::any_of(k.profile.begin(), k.profile.end(),
                                 [](const gpu::PcProfile& row) { return row.line != 0; });
  Table table({{"pc"},
               {"instruction", Align::left, 26},
               {lines ? "line" : ""},
               {"issues"},
               {"lanes"},
               {"waited"},
               {"mostly for", Align::left}});
  for (const gpu::PcProfile& row : k.profile) {
    const double lanes =
        row.issues == 0 ? 0 : static_cast<double>(row.threads) / static_cast<double>(row.issues);
    table.row({fmt::format("{:04x}", row.pc), row.mnemonic, row.line != 0 ? std::to_string(row.line) : "",
               grouped(row.issues), fmt::format("{:.1f}", lanes), grouped(row.stalled()), waits_for(row)});
  }
  return table.text();
}

std::string limits(const gpu::KernelResult& k, const Style& style) {
  Table table({{"", Align::left}, {""}, {"", Align::left}, {""}, {"", Align::left}});
  for (const gpu::Limit& limit : k.limits) {
    if (limit.used > 0) {
      table.row({limit.name, compact(limit.used), fmt::format("of {} {}", compact(limit.peak), limit.unit),
                 percent(limit.share()), bar(limit.share(), 30, style.unicode)});
    }
  }
  return table.text();
}

}  // namespace

std::string kernel_text(const gpu::KernelResult& k, std::size_t count, std::uint64_t clock_hz,
                        const Style& style) {
  std::string out =
      heading(fmt::format("Kernel {} of {}: {}", k.index, count, cut(readable_name(k.name), 70)), style);
  out += fmt::format("  grid {}, block {}, {}{}\n\n", dim_text(k.grid), dim_text(k.block),
                     counted(k.ctas, "CTA"), k.complete ? "" : "  (not finished: the run stopped here)");
  out += facts(k, clock_hz);
  out += wrapped("why: " + verdict(k), style.columns);
  out += '\n' + section("Where the issue slots went", style) +
         slots_block(k.slots, k.issued_slots, k.issue_slots, style);
  if (!k.limits.empty()) {
    out += '\n' + section("How near each limit is", style) + limits(k, style);
  }
  if (const std::string rows = memory_block(k.counters, k.time_ps); !rows.empty()) {
    out += '\n' + section("Memory", style) + rows;
  }
  if (k.uvm) {
    out += '\n' + section("Managed memory", style) + uvm_block(*k.uvm);
  }
  if (const std::string rows = hottest(k); !rows.empty()) {
    out += '\n' + section("Hottest instructions", style) + rows;
  }
  return out;
}

}  // namespace wg::report
