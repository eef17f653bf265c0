#include "report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "report/format.hpp"
#include "report/json.hpp"
#include "report/settings.hpp"
#include "report/table.hpp"
#include "report/warnings.hpp"
#include "study/effect.hpp"

namespace wg::report {
namespace {

using Json = nlohmann::ordered_json;
using study::Figures;
using study::Outcome;
using study::State;

std::string_view name_of(State state) {
  switch (state) {
    case State::done:
      return "done";
    case State::failed:
      return "failed";
    case State::waiting:
      break;
  }
  return "waiting";
}

std::string value_of(const std::string& assignment) { return assignment.substr(assignment.find('=') + 1); }

Json point_json(const SweepReport& report, std::size_t i) {
  const Outcome& outcome = report.outcomes[i];
  const Figures& f = outcome.figures;
  Json point;
  const bool several = report.of_several_machines();
  point["gpu"] = several ? value_of(report.points[i][0]) : report.gpu;
  point["set"] = Json::object();
  for (std::size_t axis = several ? 1 : 0; axis < report.axes.size(); ++axis) {
    point["set"][report.axes[axis].key] = value_of(report.points[i][axis]);
  }
  point["machine_hash"] = report.machine_hashes[i];
  point["state"] = name_of(outcome.state);
  if (outcome.state == State::done) {
    point["cycles"] = f.cycles;
    point["time_ps"] = f.time_ps;
    point["warp_instructions"] = f.warp_instructions;
    point["thread_instructions"] = f.thread_instructions;
    point["speed"] = report.speed(i);
    point["main_stall"] = f.main_stall;
    point["main_stall_share"] = f.main_stall_share;
    point["nearest_limit"] = f.nearest_limit;
    point["nearest_limit_share"] = f.nearest_limit_share;
    point["dram_share"] = f.dram_share;
    point["l2_share"] = f.l2_share;
    if (!outcome.warnings.empty()) {
      point["warnings"] = distinct_warnings(outcome.warnings);
    }
  } else if (outcome.state == State::failed) {
    point["error"] = outcome.error;
  }
  return point;
}

std::string with_share(const std::string& name, double share) {
  return name.empty() ? "-" : fmt::format("{} {:.0f} %", name, 100 * share);
}

std::vector<std::string> figure_cells(const SweepReport& report, std::size_t i) {
  const Outcome& outcome = report.outcomes[i];
  const Figures& f = outcome.figures;
  if (outcome.state != State::done) {
    return {outcome.state == State::failed ? "failed" : "not run"};
  }
  return {grouped(f.cycles),
          duration(static_cast<double>(f.time_ps) * 1e-12),
          fmt::format("{:.3f}", report.speed(i)),
          with_share(f.main_stall, f.main_stall_share),
          with_share(f.nearest_limit, f.nearest_limit_share),
          percent(f.dram_share),
          percent(f.l2_share)};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    out += c == '"' ? "\"\"" : std::string(1, c);
  }
  return out + '"';
}

Figures figures_of(const Json& point) {
  return {.cycles = point.at("cycles").get<std::uint64_t>(),
          .time_ps = point.at("time_ps").get<std::uint64_t>(),
          .warp_instructions = point.at("warp_instructions").get<std::uint64_t>(),
          .thread_instructions = point.at("thread_instructions").get<std::uint64_t>(),
          .main_stall = point.at("main_stall").get<std::string>(),
          .main_stall_share = point.at("main_stall_share").get<double>(),
          .nearest_limit = point.value("nearest_limit", ""),
          .nearest_limit_share = point.value("nearest_limit_share", 0.0),
          .dram_share = point.at("dram_share").get<double>(),
          .l2_share = point.at("l2_share").get<double>()};
}

/// Each warning once, with the points that gave it unless all that are done did.
std::string warnings_text(const SweepReport& report) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> known;
  std::size_t done = 0;
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    done += report.outcomes[i].state == State::done ? 1U : 0U;
    for (std::string& warning : distinct_warnings(report.outcomes[i].warnings)) {
      const auto at =
          std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == warning; });
      if (at == known.end()) {
        known.emplace_back(std::move(warning), std::vector<std::size_t>{i + 1});
      } else {
        at->second.push_back(i + 1);
      }
    }
  }
  std::string out;
  for (const auto& [warning, points] : known) {
    out += points.size() == done
               ? fmt::format("warning: {}\n", warning)
               : fmt::format("warning, {} {}: {}\n", points.size() == 1 ? "point" : "points",
                             fmt::join(points, ", "), warning);
  }
  return out;
}

void require_same(const std::string& where, const char* what, const std::string& asked,
                  const std::string& found) {
  if (asked != found) {
    throw Error(
        {.where = where, .expected = fmt::format("a sweep with the {} {}", what, asked), .found = found});
  }
}

}  // namespace

double SweepReport::speed(std::size_t i) const {
  for (const Outcome& first : outcomes) {
    if (first.state == State::done) {
      const std::uint64_t time = outcomes[i].figures.time_ps;
      return outcomes[i].state != State::done || time == 0
                 ? 0
                 : static_cast<double>(first.figures.time_ps) / static_cast<double>(time);
    }
  }
  return 0;
}

std::string sweep_text(const SweepReport& report) {
  std::vector<Column> columns{{"#"}};
  for (const study::Axis& axis : report.axes) {
    columns.push_back({axis.key});
  }
  for (const char* title : {"cycles", "time", "speed"}) {
    columns.push_back({title});
  }
  columns.push_back({"main stall", Align::left});
  columns.push_back({"nearest limit", Align::left, 22});
  columns.push_back({"DRAM"});
  columns.push_back({"L2"});
  Table table(std::move(columns));
  std::string errors;
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    std::vector<std::string> row{std::to_string(i + 1)};
    for (const std::string& assignment : report.points[i]) {
      row.push_back(value_of(assignment));
    }
    for (std::string& cell : figure_cells(report, i)) {
      row.push_back(std::move(cell));
    }
    table.row(std::move(row));
    if (report.outcomes[i].state == State::failed) {
      errors += fmt::format("point {} failed: {}\n", i + 1, report.outcomes[i].error);
    }
    waiting += report.outcomes[i].state == State::waiting ? 1U : 0U;
  }
  std::string out = fmt::format(
      "{} on {}, {}\n\n{}\n", printable(report.workload),
      report.of_several_machines() ? counted(report.axes[0].values.size(), "machine") : printable(report.gpu),
      counted(report.points.size(), "point"), table.text());
  out +=
      "speed: time of the first point that is done by the time of this one; main stall: the reason of most\n"
      "issue slots without an instruction; nearest limit: the resource nearest to its peak; DRAM, L2: share "
      "of\n"
      "the peak bandwidth\n";
  for (const std::string& key : study::without_effect(report.axes, report.points, report.outcomes)) {
    out += fmt::format("{}: no effect (cycles and time within 0.1 %)\n", key);
  }
  if (waiting != 0) {
    out += fmt::format("NOT COMPLETE: {} not run\n", counted(waiting, "point"));
  }
  return out + errors + warnings_text(report);
}

std::string sweep_json(const SweepReport& report) {
  Json head{{"version", report.version},
            {"command", report.command},
            {"gpu", report.gpu},
            {"workload", report.workload},
            {"workload_hash", report.workload_hash},
            {"kernels", selection_text(report.kernels)},
            {"cold", report.cold},
            {"axes", Json::array()}};
  for (const study::Axis& axis : report.axes) {
    head["axes"].push_back({{"key", axis.key}, {"values", axis.values}});
  }
  head["no_effect"] = study::without_effect(report.axes, report.points, report.outcomes);
  const auto dumped = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string out = dumped(head);
  out.pop_back();
  out += ",\n\"points\":[";
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    out += (i == 0 ? "\n" : ",\n") + dumped(point_json(report, i));
  }
  return out + "\n]}\n";
}

std::string sweep_csv(const SweepReport& report) {
  std::string out;
  for (const study::Axis& axis : report.axes) {
    out += axis.key + ',';
  }
  out +=
      "machine_hash,state,cycles,time_ps,warp_instructions,thread_instructions,speed,main_stall,"
      "main_stall_share,nearest_limit,nearest_limit_share,dram_share,l2_share,error\n";
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    for (const std::string& assignment : report.points[i]) {
      out += value_of(assignment) + ',';
    }
    const Outcome& outcome = report.outcomes[i];
    const Figures& f = outcome.figures;
    out += fmt::format("{},{},", report.machine_hashes[i], name_of(outcome.state));
    if (outcome.state == State::done) {
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},\n", f.cycles, f.time_ps, f.warp_instructions,
                         f.thread_instructions, report.speed(i), f.main_stall, f.main_stall_share,
                         f.nearest_limit, f.nearest_limit_share, f.dram_share, f.l2_share);
    } else {
      out += ",,,,,,,,,,," + (outcome.error.empty() ? "" : quoted(outcome.error)) + '\n';
    }
  }
  return out;
}

void resume_sweep(SweepReport& report, std::string_view text, const std::string& where) {
  std::map<std::string, Outcome> known;
  try {
    const Json json = Json::parse(text);
    require_same(where, "workload", report.workload_hash, json.at("workload_hash").get<std::string>());
    require_same(where, "kernels", selection_text(report.kernels), json.at("kernels").get<std::string>());
    require_same(where, "L2 kept between kernels:", report.cold ? "no" : "yes",
                 json.at("cold").get<bool>() ? "no" : "yes");
    for (const Json& point : json.at("points")) {
      if (point.at("state").get<std::string>() == name_of(State::done)) {
        known[point.at("machine_hash").get<std::string>()] = {
            State::done, figures_of(point), {}, point.value("warnings", std::vector<std::string>{})};
      }
    }
  } catch (const Json::exception&) {
    const std::string kind = kind_of_json(text);
    throw Error({.where = where,
                 .expected = "a result of `warpgauge sweep`",
                 .found = kind == "a result of `warpgauge sweep`" ? kind + " with members missing" : kind});
  }
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    const auto at = known.find(report.machine_hashes[i]);
    if (report.outcomes[i].state == State::waiting && at != known.end()) {
      report.outcomes[i] = at->second;
    }
  }
}

}  // namespace wg::report
