#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "report/charts.hpp"
#include "report/format.hpp"
#include "report/memory.hpp"
#include "report/uvm.hpp"
#include "report/verdict.hpp"
#include "report/warnings.hpp"

namespace wg::report {
namespace {

constexpr std::size_t kBars = 40;     ///< kernels in the chart of slots; more would not be read
constexpr std::size_t kDetails = 12;  ///< kernels with a part of their own

constexpr std::string_view kCss = R"(
:root{color-scheme:light}*{box-sizing:border-box}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;color:#1c2430;
background:#f5f6f8;margin:0}
header{background:#18212e;color:#fff;padding:26px 0 22px}
header p{margin:4px 0 0;color:#b9c3d0}main,.in{max-width:1120px;margin:0 auto;padding:0 28px}
h1{font-size:25px;margin:0;font-weight:650}h2{font-size:18px;margin:0 0 12px}h3{font-size:15px;margin:20px 0 6px}
section{background:#fff;border:1px solid #e1e5ea;border-radius:10px;padding:20px 24px;margin:18px 0}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(160px,1fr));gap:14px;margin:18px 0}
.card{background:#fff;border:1px solid #e1e5ea;border-radius:10px;padding:14px 18px}
.card b{display:block;font-size:22px;font-weight:650}.card span{color:#5d6876;font-size:13px}
table{border-collapse:collapse;width:100%;font-size:13.5px}th{color:#5d6876;font-weight:600}
th,td{padding:5px 10px;text-align:right;border-bottom:1px solid #edf0f3;white-space:nowrap;
font-variant-numeric:tabular-nums}th.l,td.l{text-align:left}td.w{white-space:normal}
tr:last-child td{border-bottom:0}code{font:12.5px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
svg{display:block;width:100%;height:auto;font:12.5px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;
fill:#1c2430;margin:4px 0}
.area{fill:#5b8fd6;fill-opacity:.55;stroke:#2f6cb8;stroke-width:.8}.axis{stroke:#c9ced6}
.border{stroke:#c9ced6;stroke-dasharray:3 3}
.legend{list-style:none;padding:0;margin:0 0 10px;display:flex;flex-wrap:wrap;gap:4px 16px;font-size:12.5px}
.legend i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px}
.why{border-left:4px solid #d9482f;padding:2px 0 2px 14px;margin:0 0 14px}
.warn{border-left:4px solid #f0953f;padding:2px 0 2px 14px;margin:6px 0}
.scroll{overflow-x:auto}summary{cursor:pointer;font-weight:600}details{margin:8px 0}
footer{color:#5d6876;font-size:12.5px;padding:0 0 34px;word-break:break-word}
)";

std::string share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : percent(static_cast<double>(part) / static_cast<double>(whole));
}

std::string card(const std::string& value, const std::string& name) {
  return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(name));
}

double seconds(std::uint64_t ps) { return static_cast<double>(ps) * 1e-12; }

std::string name_of(const gpu::KernelResult& k) {
  return fmt::format("{}. {}", k.index, readable_name(k.name));
}

struct Sums {
  std::uint64_t cycles = 0, time_ps = 0, warp = 0, thread = 0;
};

Sums sums(const gpu::RunResult& r) {
  Sums s;
  for (const gpu::KernelResult& k : r.kernels) {
    s.cycles += k.cycles;
    s.time_ps += k.time_ps;
    s.warp += k.warp_instructions;
    s.thread += k.thread_instructions;
  }
  return s;
}

/// Places of the kernels with most cycles, in the order of the run.
std::vector<std::size_t> heaviest(const gpu::RunResult& r, std::size_t most) {
  std::vector<std::size_t> order(r.kernels.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&r](std::size_t a, std::size_t b) { return r.kernels[a].cycles > r.kernels[b].cycles; });
  order.resize(std::min(order.size(), most));
  std::sort(order.begin(), order.end());
  return order;
}

std::string summary(const gpu::RunResult& r) {
  const Sums s = sums(r);
  const double cycles = static_cast<double>(s.cycles);
  const auto rate = [cycles](std::uint64_t amount) {
    return cycles > 0 ? compact(static_cast<double>(amount) / cycles) : "-";
  };
  std::string out = "<div class=\"cards\">\n";
  out += card(grouped(s.cycles), "cycles in all kernels");
  out += card(duration(seconds(s.time_ps)), "at " + clock(r.clock_hz));
  out += card(rate(s.warp), "warp instructions per cycle");
  out += card(rate(s.thread), "thread instructions per cycle");
  out += card(share_of(r.issued_slots, r.issue_slots), "of issue slots used");
  out += card(grouped(r.kernels.size()), r.complete ? "kernels" : "kernels (not complete)");
  return out + "</div>\n";
}

std::string slots(const gpu::RunResult& r) {
  std::vector<StackedRow> rows;
  for (const std::size_t place : heaviest(r, kBars)) {
    const gpu::KernelResult& k = r.kernels[place];
    rows.push_back({name_of(k), grouped(k.cycles) + " cycles", k.slots, k.issued_slots, k.issue_slots});
  }
  if (r.kernels.size() > 1) {
    rows.push_back({"all kernels", "", r.slots, r.issued_slots, r.issue_slots});
  }
  const std::string note =
      r.kernels.size() > kBars ? fmt::format("<p>The {} kernels with most cycles.</p>\n", kBars) : "";
  return fmt::format("<section><h2>Where the issue slots went</h2>\n{}{}</section>\n", note,
                     stacked_chart(rows));
}

std::string kernel_table(const gpu::RunResult& r) {
  std::string out =
      "<section><h2>Kernels</h2><div class=\"scroll\"><table><tr><th>#</th><th "
      "class=\"l\">kernel</th><th>cycles</th>"
      "<th>time</th><th>IPC</th><th>thread IPC</th><th>warps per SM</th><th>slots used</th>"
      "<th class=\"l\">nearest limit</th></tr>\n";
  for (const gpu::KernelResult& k : r.kernels) {
    const std::string limit =
        k.limits.empty() ? "-"
                         : fmt::format("{} {}", k.limits.front().name, percent(k.limits.front().share()));
    out += fmt::format(
        "<tr><td>{}</td><td class=\"l\" "
        "title=\"{}\"><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{:.1f}</td><td>{}</td><td class=\"l\">{}</td></tr>\n",
        k.index, escaped(k.name), escaped(cut(readable_name(k.name), 40)), grouped(k.cycles),
        duration(seconds(k.time_ps)), compact(ipc(k)), compact(thread_ipc(k)), k.occupancy.achieved_warps,
        escaped(share_of(k.issued_slots, k.issue_slots)), escaped(limit));
  }
  return out + "</table></div></section>\n";
}

std::string memory_table(std::span<const CounterValue> counters, std::uint64_t time_ps) {
  const std::vector<MemoryRow> rows = memory_rows(counters, time_ps);
  if (rows.empty()) {
    return {};
  }
  std::string out =
      "<div class=\"scroll\"><table><tr><th class=\"l\"></th><th>amount</th><th>hits</th><th>sectors per "
      "request</th>"
      "<th class=\"l\"></th></tr>\n";
  for (const MemoryRow& row : rows) {
    out += fmt::format(
        "<tr><td class=\"l\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"l\">{}</td></tr>\n",
        escaped(row.what), escaped(row.amount), escaped(row.hits), row.per_request, escaped(row.note));
  }
  return out + "</table></div>\n";
}

std::string profile_table(const gpu::KernelResult& k) {
  const bool lines = std::any_of(k.profile.begin(), k.profile.end(),
                                 [](const gpu::PcProfile& row) { return row.line != 0; });
  std::string out = fmt::format(
      "<div class=\"scroll\"><table><tr><th>pc</th><th class=\"l\">instruction</th>{}<th>issues</th>"
      "<th>warp cycles waited</th><th class=\"l\">mostly for</th></tr>\n",
      lines ? "<th>line</th>" : "");
  for (const gpu::PcProfile& row : k.profile) {
    out += fmt::format(
        "<tr><td><code>{:04x}</code></td><td class=\"l\"><code>{}</code></td>{}<td>{}</td><td>{}</td>"
        "<td class=\"l\">{}</td></tr>\n",
        row.pc, escaped(row.mnemonic), lines ? fmt::format("<td>{}</td>", row.line) : "", grouped(row.issues),
        grouped(row.stalled()), escaped(waits_for(row)));
  }
  return out + "</table></div>\n";
}

std::string details(const gpu::KernelResult& k, bool open) {
  const gpu::Occupancy& o = k.occupancy;
  std::string out = fmt::format(
      "<details{}><summary>{} &middot; {} cycles</summary>\n<p class=\"why\">Why: {}.</p>\n"
      "<p>Grid {} x {} x {}, block {} x {} x {}. {} of {} warps fit on an SM ({}, limited by {}); {} "
      "were there "
      "on average.</p>\n",
      open ? " open" : "", escaped(cut(name_of(k), 90)), grouped(k.cycles), escaped(verdict(k)), k.grid.x,
      k.grid.y, k.grid.z, k.block.x, k.block.y, k.block.z, o.warps_per_sm, o.max_warps_per_sm,
      counted(o.ctas_per_sm, "CTA"), escaped(o.limited_by), compact(o.achieved_warps));
  const std::string chart = limits_chart(k.limits);
  out += chart.empty() ? "" : "<h3>How near each limit is</h3>\n" + chart;
  const std::string memory = memory_table(k.counters, k.time_ps);
  out += memory.empty() ? "" : "<h3>Memory</h3>\n" + memory;
  out += k.profile.empty() ? "" : "<h3>Hottest instructions</h3>\n" + profile_table(k);
  return out + "</details>\n";
}

std::string kernels_in_detail(const gpu::RunResult& r) {
  const std::vector<std::size_t> places = heaviest(r, kDetails);
  std::uint64_t most = 0;
  for (const std::size_t place : places) {
    most = std::max(most, r.kernels[place].cycles);
  }
  std::string out = "<section><h2>Why, kernel by kernel</h2>\n";
  bool opened = false;
  for (const std::size_t place : places) {
    const bool open = !opened && r.kernels[place].cycles == most;
    opened = opened || open;
    out += details(r.kernels[place], open);
  }
  if (r.kernels.size() > places.size()) {
    out += fmt::format("<p>The {} kernels with most cycles; the JSON result has all.</p>\n", places.size());
  }
  return out + "</section>\n";
}

std::string footer(const gpu::RunResult& r) {
  return fmt::format(
      "<footer class=\"in\"><p>Warpgauge {}. Machine {}, workload {}. Simulated in {} on {}, peak "
      "memory {}."
      "<br><code>{}</code></p></footer>\n",
      escaped(r.version), escaped(r.machine_hash), escaped(r.workload_hash), duration(r.wall_seconds),
      counted(r.threads, "thread"), bytes(r.peak_rss_bytes), escaped(r.command));
}

std::string warnings(const gpu::RunResult& r) {
  std::string out;
  if (!r.complete) {
    out += fmt::format("<p class=\"warn\">This run is not complete ({}): it covers {}{}.</p>\n",
                       escaped(r.stopped_by), counted(r.kernels.size(), "kernel"),
                       r.kernels.empty() || r.kernels.back().complete ? "" : ", the last one in part");
  }
  for (const std::string& warning : distinct_warnings(r)) {
    out += fmt::format("<p class=\"warn\">{}</p>\n", escaped(warning));
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html(const gpu::RunResult& r) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{0} on {1} - "
      "Warpgauge</title>\n"
      "<style>{2}</style></head><body>\n<header><div class=\"in\"><h1>{0}</h1><p>simulated on "
      "{1}</p></div></header>\n"
      "<main>\n",
      escaped(r.workload), escaped(r.gpu), kCss);
  out += summary(r) + warnings(r);
  if (!r.kernels.empty()) {
    out += slots(r) + kernels_in_detail(r);
    if (const std::string charts = timeline_charts(r); !charts.empty()) {
      out += "<section><h2>Over time</h2>\n" + charts + "</section>\n";
    }
    out += uvm_html(r) + kernel_table(r);
    if (const std::string memory = memory_table(r.totals, sums(r).time_ps); !memory.empty()) {
      out += "<section><h2>Memory, all kernels</h2>\n" + memory + "</section>\n";
    }
  }
  return out + "</main>\n" + footer(r) + "</body></html>\n";
}

}  // namespace wg::report
