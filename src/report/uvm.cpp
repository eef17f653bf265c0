#include "report/uvm.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"
#include "report/html.hpp"
#include "report/table.hpp"

namespace wg::report {
namespace {

using host::uvm::Cause;
using host::uvm::PageCounters;
using host::uvm::TimelineStep;
using host::uvm::UvmReport;

constexpr std::uint64_t kPage = 4096;

std::string time(std::uint64_t ps) { return duration(static_cast<double>(ps) * 1e-12); }
std::string size(std::uint64_t pages) { return bytes(pages * kPage); }
std::string share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : percent(static_cast<double>(part) / static_cast<double>(whole));
}

/// The figures of one line, the same for runs, kernels and objects.
std::vector<std::string> cells(const PageCounters& c) {
  return {grouped(c.raw_faults),
          grouped(c.unique_faults),
          grouped(c.of(Cause::fault)),
          grouped(c.of(Cause::prefetch)),
          share_of(c.prefetch_used, c.of(Cause::prefetch)),
          share_of(c.prefetch_used, c.used),
          grouped(c.left()),
          grouped(c.left_unused),
          grouped(c.again),
          time(c.wait_ps)};
}

std::string table_row(const std::string& name, const PageCounters& counters, const std::string& more) {
  std::string out = fmt::format("<tr><td class=\"l\">{}</td>", escaped(name));
  for (const std::string& cell : cells(counters)) {
    out += fmt::format("<td>{}</td>", cell);
  }
  return out + fmt::format("<td>{}</td></tr>\n", more);
}

std::string table_head(const char* first, const char* last) {
  return fmt::format(
      "<div class=\"scroll\"><table><tr><th class=\"l\">{}</th><th>fault entries</th><th>unique</th>"
      "<th>pages in by fault</th><th>by prefetch</th><th>accuracy</th><th>coverage</th><th>pages out</th>"
      "<th>left unused</th><th>returned</th><th>accesses waited</th><th>{}</th></tr>\n",
      first, last);
}

/// Kernels side by side: pages in above the line, pages out below it.
std::string lane(const gpu::RunResult& r) {
  constexpr double kWidth = 1040;
  constexpr double kHalf = 60;
  double all = 0;
  double most = 1;
  for (const gpu::KernelResult& k : r.kernels) {
    all += static_cast<double>(k.time_ps);
    for (const TimelineStep& step : k.uvm ? k.uvm->timeline.steps() : std::vector<TimelineStep>{}) {
      most = std::max({most, static_cast<double>(step.fault_pages + step.prefetch_pages),
                       static_cast<double>(step.evicted_pages)});
    }
  }
  std::string out;
  double origin = 0;
  const auto bar = [&](double x, double width, double base, std::uint64_t pages, const char* colour,
                       bool down) {
    const double height = static_cast<double>(pages) / most * kHalf;
    out += fmt::format(
        R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}" fill="{}"><title>{} pages</title></rect>)",
        x, down ? base : base - height, std::max(width, 0.3), height, colour, grouped(pages));
    return height;
  };
  for (const gpu::KernelResult& k : r.kernels) {
    if (k.uvm && all > 0) {
      const double step = static_cast<double>(k.uvm->timeline.step_ps()) / all * kWidth;
      double x = origin / all * kWidth;
      for (const TimelineStep& at : k.uvm->timeline.steps()) {
        const double faults = bar(x, step, kHalf, at.fault_pages, "#d9482f", false);
        bar(x, step, kHalf - faults, at.prefetch_pages, "#f6c667", false);
        bar(x, step, kHalf, at.evicted_pages, "#2f6cb8", true);
        x += step;
      }
    }
    origin += static_cast<double>(k.time_ps);
  }
  return fmt::format(
      "<p>Pages over time: in by fault (red) and prefetch (yellow), out by eviction (blue); {} pages at "
      "most in a step.</p>\n<svg role=\"img\" aria-label=\"migrations over time\" viewBox=\"0 0 {} {}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">{}<line class=\"axis\" x1=\"0\" x2=\"{}\" y1=\"{}\" "
      "y2=\"{}\"/></svg>\n",
      grouped(static_cast<std::uint64_t>(most)), kWidth, 2 * kHalf, out, kWidth, kHalf, kHalf);
}

std::string setting(const UvmReport& u) {
  return fmt::format("{} of managed memory on a device with {} ({}); prefetcher {}, evictor {}",
                     size(u.footprint_pages), size(u.memory_pages), percent(u.oversubscription()),
                     u.prefetcher, u.evictor);
}

}  // namespace

std::string uvm_block(const UvmReport& u) {
  const PageCounters& c = u.total;
  Table table({{"", Align::left}, {""}, {"", Align::left, 100}});
  table.row({"far faults", grouped(c.unique_faults),
             fmt::format("pages, from {} entries ({} coalesced, {} duplicate, {} flushed) in {}",
                         grouped(c.raw_faults), grouped(c.coalesced), grouped(c.duplicates),
                         grouped(c.flushed), u.batches == 1 ? "1 batch" : grouped(u.batches) + " batches")});
  table.row({"stalled", time(u.stall_ps),
             fmt::format("of issue slots; accesses waited {} in all, the driver worked {}", time(c.wait_ps),
                         time(u.service_ps))});
  table.row(
      {"pages in", grouped(c.arrived()),
       fmt::format("{}: {} by fault, {} by prefetch, {} by copies", size(c.arrived()),
                   grouped(c.of(Cause::fault)), grouped(c.of(Cause::prefetch)), grouped(c.of(Cause::hint)))});
  table.row({"prefetch", share_of(c.prefetch_used, c.of(Cause::prefetch)),
             fmt::format("used before leaving; it covers {} of used pages, and keeps {} of state",
                         share_of(c.prefetch_used, c.used), bytes(u.prefetcher_bytes))});
  table.row({"pages out", grouped(c.left()),
             fmt::format("{} in {}; {} never used, {} pages returned later", size(c.left()),
                         counted(u.evictions, "eviction"), grouped(c.left_unused), grouped(c.again))});
  return "  " + setting(u) + '\n' + table.text();
}

std::string uvm_html(const gpu::RunResult& r) {
  if (!r.uvm) {
    return {};
  }
  std::string out = "<section><h2>Managed memory</h2>\n<p>" + escaped(setting(*r.uvm)) + ".</p>\n" + lane(r);
  constexpr std::size_t kMost = 200;
  out += table_head("kernel", "stalled");
  std::size_t shown = 0;
  for (const gpu::KernelResult& k : r.kernels) {
    if (k.uvm && shown++ < kMost) {
      out += table_row(fmt::format("{} {}", k.index, cut(readable_name(k.name), 40)), k.uvm->total,
                       time(k.uvm->stall_ps));
    }
  }
  out += table_row("run", r.uvm->total, time(r.uvm->stall_ps)) + "</table></div>\n";
  out += table_head("object", "size");
  for (const host::uvm::ObjectReport& object : r.uvm->objects) {
    const std::string name = object.pattern.empty() ? object.name : object.name + " " + object.pattern;
    out += table_row(name, object.pages, bytes(object.bytes));
  }
  return out + "</table></div></section>\n";
}

std::string migrations_csv(const gpu::RunResult& r) {
  std::string out =
      "kernel,begin_us,end_us,batches,faults,pages_in_fault,pages_in_prefetch,pages_out_eviction,"
      "service_us\n";
  for (const gpu::KernelResult& k : r.kernels) {
    if (!k.uvm) {
      continue;
    }
    const double step_us = static_cast<double>(k.uvm->timeline.step_ps()) * 1e-6;
    double begin = 0;
    for (const TimelineStep& step : k.uvm->timeline.steps()) {
      out += fmt::format("{},{},{},{},{},{},{},{},{:.3f}\n", k.index, begin, begin + step_us, step.batches,
                         step.faults, step.fault_pages, step.prefetch_pages, step.evicted_pages,
                         static_cast<double>(step.service_ps) * 1e-6);
      begin += step_us;
    }
  }
  return out;
}

}  // namespace wg::report
