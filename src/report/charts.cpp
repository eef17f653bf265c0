#include "report/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/format.hpp"
#include "report/html.hpp"
#include "report/verdict.hpp"

namespace wg::report {
namespace {

constexpr double kWidth = 1040;
constexpr double kLabel = 250;
constexpr double kNote = 130;
constexpr double kRow = 24;

/// Issued green; arithmetic blue; memory red to yellow; synchronisation purple; front end teal; idle grey.
constexpr std::array<std::string_view, sm::kStalls + 1> kColours{
    "#5b8fd6", "#2f6cb8", "#f6c667", "#f0953f", "#d9482f", "#7a1f3d", "#c98b2b", "#e8d9a8", "#8e63b5",
    "#b08fd0", "#2a9d9d", "#7cc6c3", "#7fa8e0", "#97b9e8", "#4a7fc0", "#3a5fa0", "#6c8ebf", "#1f4e8c",
    "#a9c4ea", "#8fb3b0", "#e57f5b", "#c9ced6", "#d8b4a0", "#e4e7eb", "#9aa3af", "#3c9d5d"};

static_assert(!kColours.back().empty(), "one colour for each reason, and one for issued");

std::string rect(double x, double y, double w, double h, std::string_view colour, const std::string& hint) {
  return fmt::format(
      R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}" fill="{}"><title>{}</title></rect>)", x,
      y, w, h, colour, escaped(hint));
}

std::string label(double x, double y, std::string_view anchor, const std::string& text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor,
                     escaped(text));
}

std::string svg(double height, const std::string& content, std::string_view name) {
  return fmt::format(
      "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">{}</svg>\n",
      name, kWidth, height, content);
}

std::string legend(const std::vector<StackedRow>& rows) {
  std::array<bool, sm::kStalls + 1> used{};
  used[sm::kStalls] = true;
  for (const StackedRow& row : rows) {
    for (std::size_t i = 0; i < sm::kStalls; ++i) {
      used[i] = used[i] || row.slots[i] != 0;
    }
  }
  std::string out = "<ul class=\"legend\">";
  for (std::size_t n = 0; n <= sm::kStalls; ++n) {
    const std::size_t i = n == 0 ? sm::kStalls : n - 1;
    if (used[i]) {
      const auto stall = static_cast<sm::Stall>(i);
      const bool issued = i == sm::kStalls;
      out += fmt::format("<li title=\"{}\"><i style=\"background:{}\"></i>{}</li>",
                         issued ? "an instruction was issued" : escaped(phrase(stall)), slot_colour(i),
                         issued ? "issued" : sm::name_of(stall));
    }
  }
  return out + "</ul>\n";
}

/// One counter along the run: kernels side by side on a common axis of cycles.
struct Series {
  const CounterInfo* info = nullptr;
  std::vector<std::array<double, 3>> steps;  ///< begin, end, value
  double most = 0;
};

double value_of(const CounterValue& counter) {
  return std::visit([](auto value) { return static_cast<double>(value); }, counter.value);
}

std::vector<Series> series_of(const gpu::RunResult& result, std::vector<double>& borders) {
  std::vector<Series> out;
  double origin = 0;
  for (const gpu::KernelResult& kernel : result.kernels) {
    for (const gpu::Interval& interval : kernel.timeline) {
      for (const CounterValue& counter : interval.counters) {
        auto at =
            std::find_if(out.begin(), out.end(), [&](const Series& s) { return s.info == counter.info; });
        if (at == out.end()) {
          at = out.insert(out.end(), {counter.info, {}, 0});
        }
        const double value = value_of(counter);
        at->steps.push_back({origin + static_cast<double>(interval.begin_cycle),
                             origin + static_cast<double>(interval.end_cycle), value});
        at->most = std::max(at->most, value);
      }
    }
    origin += static_cast<double>(kernel.cycles);
    borders.push_back(origin);
  }
  return out;
}

/// Raw counters of an interval say little; these are charted where they occur, otherwise everything is.
constexpr std::array<std::string_view, 6> kTelling{"ipc",
                                                   "simd_efficiency",
                                                   "l1_load_hit_rate",
                                                   "l2_load_hit_rate",
                                                   "l2_bandwidth_share",
                                                   "dram_bandwidth_share"};

void keep_telling(std::vector<Series>& all) {
  const auto telling = [](const Series& series) {
    return std::find(kTelling.begin(), kTelling.end(), series.info->name) != kTelling.end();
  };
  if (std::any_of(all.begin(), all.end(), telling)) {
    std::erase_if(all, [&telling](const Series& series) { return !telling(series); });
  }
}

std::string series_chart(const Series& series, const std::vector<double>& borders) {
  constexpr double kTop = 20;
  constexpr double kHeight = 70;
  const double base = kTop + kHeight;
  const double scale = borders.back() > 0 ? kWidth / borders.back() : 0;
  std::string path = fmt::format("M0 {:.1f}", base);
  double last = 0;
  for (const auto& [begin, end, value] : series.steps) {
    const double y = base - (series.most > 0 ? value / series.most * kHeight : 0);
    if (begin != last) {
      path += fmt::format("V{0:.1f}M{1:.1f} {0:.1f}", base, begin * scale);
    }
    path += fmt::format("V{:.1f}H{:.1f}", y, end * scale);
    last = end;
  }
  path += fmt::format("V{:.1f}", base);
  std::string marks;
  if (borders.size() <= 64) {
    for (const double border : borders) {
      marks += fmt::format("<line class=\"border\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>",
                           border * scale, kTop, base);
    }
  }
  const std::string name = fmt::format("{} ({})", series.info->name, series.info->unit);
  return svg(
      base + 4,
      label(0, 13, "start", name) + label(kWidth, 13, "end", "up to " + compact(series.most)) +
          fmt::format("<path class=\"area\" d=\"{}\"/>", path) + marks +
          fmt::format("<line class=\"axis\" x1=\"0\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>", kWidth, base, base),
      escaped(name));
}

}  // namespace

std::string_view slot_colour(std::size_t reason) { return kColours[reason]; }

std::string stacked_chart(const std::vector<StackedRow>& rows) {
  const double span = kWidth - kLabel - kNote;
  std::string content;
  double y = 0;
  for (const StackedRow& row : rows) {
    content += label(kLabel - 10, y + 16, "end", cut(row.label, 34));
    double x = kLabel;
    for (const SlotShare& part : slot_shares(row.slots, row.issued, row.all)) {
      content += rect(x, y + 3, part.share * span, kRow - 6, slot_colour(part.reason),
                      fmt::format("{}: {} ({} slots)", part.name, percent(part.share), grouped(part.slots)));
      x += part.share * span;
    }
    content += label(kWidth - kNote + 10, y + 16, "start", row.note);
    y += kRow;
  }
  return legend(rows) + svg(y, content, "issue slots by reason");
}

std::string limits_chart(const std::vector<gpu::Limit>& limits) {
  const double span = kWidth - kLabel - 290;
  std::string content;
  double y = 0;
  for (const gpu::Limit& limit : limits) {
    if (limit.used <= 0) {
      continue;
    }
    const double share = std::clamp(limit.share(), 0.0, 1.0);
    content += label(kLabel - 10, y + 16, "end", limit.name);
    content += rect(kLabel, y + 5, span, kRow - 10, "#eef0f3", limit.name);
    content +=
        rect(kLabel, y + 5, span * share, kRow - 10, share >= 0.75 ? "#d9482f" : "#5b8fd6", percent(share));
    content += label(kLabel + span + 10, y + 16, "start",
                     fmt::format("{}  ({} of {} {})", percent(limit.share()), compact(limit.used),
                                 compact(limit.peak), limit.unit));
    y += kRow;
  }
  return y == 0 ? std::string{} : svg(y, content, "share of each limit");
}

std::string timeline_charts(const gpu::RunResult& result) {
  std::vector<double> borders;
  std::string out;
  std::vector<Series> all = series_of(result, borders);
  keep_telling(all);
  for (const Series& series : all) {
    out += series.most > 0 ? series_chart(series, borders) : "";
  }
  return out;
}

}  // namespace wg::report
