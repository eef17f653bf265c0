#include "report/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/error.hpp"

namespace wg::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 26> kFixedKeys{
    "index",       "id",        "name",           "grid",     "block",
    "cycles",      "time_ps",   "complete",       "kernels",  "warp_instructions",
    "ctas",        "occupancy", "issue_slots",    "slots",    "thread_instructions",
    "profile",     "limits",    "timeline",       "warnings", "issued_slots",
    "begin_cycle", "end_cycle", "schema_version", "copies",   "run",
    "uvm"};

bool fixed(std::string_view key) {
  return std::find(kFixedKeys.begin(), kFixedKeys.end(), key) != kFixedKeys.end();
}

Json dim(const trace::Dim3& d) { return Json::array({d.x, d.y, d.z}); }

Json number_of(const CounterValue& counter) {
  return std::visit([](auto value) { return Json(value); }, counter.value);
}

/// Reasons in their order; `sparse` leaves zeros out.
Json stalls(const sm::StallCycles& cycles, bool sparse) {
  Json out = Json::object();
  for (std::size_t i = 0; i < sm::kStalls; ++i) {
    if (!sparse || cycles[i] != 0) {
      out[std::string(sm::name_of(static_cast<sm::Stall>(i)))] = cycles[i];
    }
  }
  return out;
}

void add_counters_to(Json& object, std::span<const CounterValue> counters) {
  for (const CounterValue& counter : counters) {
    if (!fixed(counter.info->name)) {
      object[std::string(counter.info->name)] = number_of(counter);
    }
  }
}

Json occupancy(const gpu::Occupancy& o) {
  return {{"ctas_per_sm", o.ctas_per_sm},
          {"warps_per_sm", o.warps_per_sm},
          {"max_warps_per_sm", o.max_warps_per_sm},
          {"limited_by", o.limited_by},
          {"achieved_warps", o.achieved_warps}};
}

Json profile(const std::vector<gpu::PcProfile>& rows) {
  Json out = Json::array();
  for (const gpu::PcProfile& row : rows) {
    out.push_back({{"pc", row.pc},
                   {"mnemonic", row.mnemonic},
                   {"line", row.line},
                   {"issues", row.issues},
                   {"threads", row.threads},
                   {"stalls", stalls(row.stalls, true)}});
  }
  return out;
}

Json limits(const std::vector<gpu::Limit>& rows) {
  Json out = Json::array();
  for (const gpu::Limit& row : rows) {
    out.push_back({{"name", row.name}, {"unit", row.unit}, {"used", row.used}, {"peak", row.peak}});
  }
  return out;
}

/// Columns, one array per counter: a row per interval would repeat every name.
Json timeline(const std::vector<gpu::Interval>& intervals) {
  Json out = Json::object();
  for (const gpu::Interval& interval : intervals) {
    out["begin_cycle"].push_back(interval.begin_cycle);
    out["end_cycle"].push_back(interval.end_cycle);
    for (const CounterValue& counter : interval.counters) {
      out[std::string(counter.info->name)].push_back(number_of(counter));
    }
  }
  return out;
}

Json kernel(const gpu::KernelResult& k) {
  Json out{{"index", k.index},
           {"id", k.id},
           {"name", k.name},
           {"grid", dim(k.grid)},
           {"block", dim(k.block)},
           {"cycles", k.cycles},
           {"time_ps", k.time_ps},
           {"warp_instructions", k.warp_instructions},
           {"thread_instructions", k.thread_instructions},
           {"ctas", k.ctas},
           {"complete", k.complete},
           {"occupancy", occupancy(k.occupancy)},
           {"issue_slots", k.issue_slots},
           {"issued_slots", k.issued_slots},
           {"slots", stalls(k.slots, false)}};
  add_counters_to(out, k.counters);
  out["limits"] = limits(k.limits);
  out["profile"] = profile(k.profile);
  if (!k.timeline.empty()) {
    out["timeline"] = timeline(k.timeline);
  }
  if (k.uvm) {
    out["uvm"] = Json::parse(host::uvm::report_json(*k.uvm));
  }
  out["warnings"] = k.warnings;
  return out;
}

Json totals(const gpu::RunResult& r) {
  std::uint64_t cycles = 0, time = 0, warp = 0, thread = 0, ctas = 0;
  for (const gpu::KernelResult& k : r.kernels) {
    cycles += k.cycles;
    time += k.time_ps;
    warp += k.warp_instructions;
    thread += k.thread_instructions;
    ctas += k.ctas;
  }
  Json out{{"kernels", r.kernels.size()},
           {"cycles", cycles},
           {"time_ps", time},
           {"warp_instructions", warp},
           {"thread_instructions", thread},
           {"ctas", ctas},
           {"complete", r.complete},
           {"issue_slots", r.issue_slots},
           {"issued_slots", r.issued_slots},
           {"slots", stalls(r.slots, false)}};
  add_counters_to(out, r.totals);
  if (r.uvm) {
    out["uvm"] = Json::parse(host::uvm::report_json(*r.uvm));
  }
  return out;
}

Json run(const gpu::RunResult& r, const Settings& s) {
  return {{"version", r.version},
          {"command", r.command},
          {"gpu", r.gpu},
          {"workload", r.workload},
          {"threads", r.threads},
          {"wall_seconds", r.wall_seconds},
          {"cpu_seconds", r.cpu_seconds},
          {"peak_rss_bytes", r.peak_rss_bytes},
          {"machine_hash", r.machine_hash},
          {"workload_hash", r.workload_hash},
          {"complete", r.complete},
          {"stopped_by", r.stopped_by},
          {"clock_hz", r.clock_hz},
          {"kernel_selection", selection_text(s.kernels)},
          {"cold", s.cold},
          {"max_cycles", s.max_cycles},
          {"timeline_cycles", s.timeline_cycles},
          {"profile_size", s.profile_size},
          {"warnings", r.warnings}};
}

/// Text of the user's may hold any bytes; JSON must not.
std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Appends, so that the rows of thousands of kernels are held once.
template <class Rows, class Write>
void add_lines(std::string& out, const Rows& rows, Write&& write) {
  out += "[";
  for (const auto& row : rows) {
    out += &row == &rows.front() ? "\n    " : ",\n    ";
    out += dump(write(row));
  }
  out += rows.empty() ? "]" : "\n  ]";
}

std::string indented(const Json& json) {
  std::string out;
  for (const char c : dump(json, 2)) {
    out += c;
    out += c == '\n' ? "  " : "";
  }
  return out;
}

/// Reads an object and names what it lacks.
class Reader {
 public:
  Reader(const std::string& where, std::span<const CounterInfo* const> dictionary) : where_(where) {
    for (const CounterInfo* info : dictionary) {
      infos_.push_back(info);
      places_.emplace(info->name, places_.size());
    }
  }

  [[noreturn]] void fail(std::string expected, std::string found) const {
    throw Error({.where = where_,
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .advice = "give the file that an earlier `warpgauge run --json` wrote"});
  }

  [[nodiscard]] const Json& at(const Json& object, const char* key) const {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end()) {
      fail(fmt::format("key \"{}\"", key), "none");
    }
    return *found;
  }

  template <class T>
  void get(const Json& object, const char* key, T& out) const {
    const Json& value = at(object, key);
    const bool fits = std::is_same_v<T, bool>          ? value.is_boolean()
                      : std::is_same_v<T, std::string> ? value.is_string()
                      : std::is_floating_point_v<T>    ? value.is_number() || value.is_null()
                      : std::is_unsigned_v<T>          ? value.is_number_unsigned()
                                                       : value.is_array();
    if (!fits) {
      fail(fmt::format("another type for \"{}\"", key), value.type_name());
    }
    if constexpr (std::is_floating_point_v<T>) {
      out = value.is_null() ? std::numeric_limits<T>::quiet_NaN() : value.get<T>();
    } else {
      if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {
        if (value.get<std::uint64_t>() > std::numeric_limits<T>::max()) {
          fail(fmt::format("a number up to {} for \"{}\"", std::numeric_limits<T>::max(), key), dump(value));
        }
      }
      out = value.get<T>();
    }
  }

  /// For keys that files of earlier versions lack.
  template <class T>
  void get_if_there(const Json& object, const char* key, T& out) const {
    if (object.is_object() && object.contains(key)) {
      get(object, key, out);
    }
  }

  [[nodiscard]] trace::Dim3 dim(const Json& object, const char* key) const {
    std::array<std::uint32_t, 3> d{};
    const Json& value = at(object, key);
    if (!value.is_array() || value.size() != 3) {
      fail(fmt::format("three sizes in \"{}\"", key), dump(value));
    }
    d = value.get<std::array<std::uint32_t, 3>>();
    return {d[0], d[1], d[2]};
  }

  void stalls(const Json& object, const char* key, sm::StallCycles& out) const {
    const Json& reasons = at(object, key);
    std::size_t used = 0;
    for (std::size_t i = 0; i < sm::kStalls; ++i) {
      const auto found = reasons.find(std::string(sm::name_of(static_cast<sm::Stall>(i))));
      if (found != reasons.end()) {
        out[i] = found->get<std::uint64_t>();
        ++used;
      }
    }
    if (used != reasons.size()) {
      fail(fmt::format("known stall reasons in \"{}\"", key), dump(reasons));
    }
  }

  [[nodiscard]] CounterValue counter(const std::string& key, const Json& value) const {
    const auto known = places_.find(key);
    if (known == places_.end()) {
      fail("counters of this version's dictionary", fmt::format("\"{}\"", key));
    }
    const CounterInfo* info = infos_[known->second];
    if (value.is_number_unsigned()) {
      return {info, value.get<std::uint64_t>()};
    }
    if (!value.is_number() && !value.is_null()) {
      fail(fmt::format("a number for \"{}\"", key), value.type_name());
    }
    return {info, value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>()};
  }

  /// In the dictionary's order. Some fixed keys are counters too.
  [[nodiscard]] std::vector<CounterValue> counters(const Json& object) const {
    std::vector<std::pair<std::size_t, CounterValue>> found;
    for (const auto& [key, value] : object.items()) {
      const auto known = places_.find(key);
      if (known != places_.end() || !fixed(key)) {
        CounterValue read = counter(key, value);
        found.emplace_back(places_.at(key), read);
      }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<CounterValue> out;
    for (const auto& [place, value] : found) {
      out.push_back(value);
    }
    return out;
  }

 private:
  std::string where_;
  std::vector<const CounterInfo*> infos_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

std::vector<gpu::Interval> read_timeline(const Reader& reader, const Json& columns) {
  const Json& begins = reader.at(columns, "begin_cycle");
  std::vector<gpu::Interval> out(begins.size());
  for (const auto& [key, column] : columns.items()) {
    if (!column.is_array() || column.size() != out.size()) {
      reader.fail("timeline columns of one length", fmt::format("\"{}\"", key));
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (key == "begin_cycle") {
        out[i].begin_cycle = column[i].get<std::uint64_t>();
      } else if (key == "end_cycle") {
        out[i].end_cycle = column[i].get<std::uint64_t>();
      } else {
        out[i].counters.push_back(reader.counter(key, column[i]));
      }
    }
  }
  return out;
}

gpu::Occupancy read_occupancy(const Reader& reader, const Json& json) {
  gpu::Occupancy o;
  reader.get(json, "ctas_per_sm", o.ctas_per_sm);
  reader.get(json, "warps_per_sm", o.warps_per_sm);
  reader.get(json, "max_warps_per_sm", o.max_warps_per_sm);
  reader.get(json, "limited_by", o.limited_by);
  reader.get(json, "achieved_warps", o.achieved_warps);
  return o;
}

gpu::PcProfile read_profile(const Reader& reader, const Json& json) {
  gpu::PcProfile row;
  reader.get(json, "pc", row.pc);
  reader.get(json, "mnemonic", row.mnemonic);
  reader.get(json, "line", row.line);
  reader.get(json, "issues", row.issues);
  reader.get(json, "threads", row.threads);
  reader.stalls(json, "stalls", row.stalls);
  return row;
}

gpu::KernelResult read_kernel(const Reader& reader, const Json& json) {
  gpu::KernelResult k;
  reader.get(json, "index", k.index);
  reader.get(json, "id", k.id);
  reader.get(json, "name", k.name);
  k.grid = reader.dim(json, "grid");
  k.block = reader.dim(json, "block");
  reader.get(json, "cycles", k.cycles);
  reader.get(json, "time_ps", k.time_ps);
  reader.get(json, "warp_instructions", k.warp_instructions);
  reader.get(json, "thread_instructions", k.thread_instructions);
  reader.get(json, "ctas", k.ctas);
  reader.get(json, "complete", k.complete);
  k.occupancy = read_occupancy(reader, reader.at(json, "occupancy"));
  reader.get(json, "issue_slots", k.issue_slots);
  reader.get(json, "issued_slots", k.issued_slots);
  reader.stalls(json, "slots", k.slots);
  k.counters = reader.counters(json);
  for (const Json& limit : reader.at(json, "limits")) {
    gpu::Limit& row = k.limits.emplace_back();
    reader.get(limit, "name", row.name);
    reader.get(limit, "unit", row.unit);
    reader.get(limit, "used", row.used);
    reader.get(limit, "peak", row.peak);
  }
  for (const Json& row : reader.at(json, "profile")) {
    k.profile.push_back(read_profile(reader, row));
  }
  if (json.contains("timeline")) {
    k.timeline = read_timeline(reader, json.at("timeline"));
  }
  if (json.contains("uvm")) {
    k.uvm = host::uvm::report_from_json(json.at("uvm").dump());
  }
  reader.get(json, "warnings", k.warnings);
  return k;
}

void read_run(const Reader& reader, const Json& json, gpu::RunResult& r, Settings& s) {
  reader.get(json, "version", r.version);
  reader.get(json, "command", r.command);
  reader.get(json, "gpu", r.gpu);
  reader.get(json, "workload", r.workload);
  reader.get(json, "threads", r.threads);
  reader.get(json, "wall_seconds", r.wall_seconds);
  reader.get(json, "cpu_seconds", r.cpu_seconds);
  reader.get(json, "peak_rss_bytes", r.peak_rss_bytes);
  reader.get(json, "machine_hash", r.machine_hash);
  reader.get(json, "workload_hash", r.workload_hash);
  reader.get(json, "complete", r.complete);
  reader.get(json, "stopped_by", r.stopped_by);
  reader.get(json, "clock_hz", r.clock_hz);
  reader.get(json, "warnings", r.warnings);
  std::string selection;
  reader.get(json, "kernel_selection", selection);
  s.kernels = selection == "all" ? std::vector<std::uint64_t>{} : parse_selection(selection);
  reader.get(json, "cold", s.cold);
  reader.get(json, "max_cycles", s.max_cycles);
  reader.get(json, "timeline_cycles", s.timeline_cycles);
  reader.get(json, "profile_size", s.profile_size);
}

void check_version(const Reader& reader, const Json& json) {
  const Json& version = reader.at(json, "schema_version");
  if (version != kSchemaVersion) {
    reader.fail(fmt::format("schema_version {}", kSchemaVersion), dump(version));
  }
}

Saved read(const Reader& reader, const Json& json) {
  check_version(reader, json);
  Saved saved;
  gpu::RunResult& r = saved.result;
  read_run(reader, reader.at(json, "run"), r, saved.settings);
  const Json& sums = reader.at(json, "totals");
  r.totals = reader.counters(sums);
  reader.stalls(sums, "slots", r.slots);
  reader.get(sums, "issue_slots", r.issue_slots);
  reader.get(sums, "issued_slots", r.issued_slots);
  if (sums.contains("uvm")) {
    r.uvm = host::uvm::report_from_json(sums.at("uvm").dump());
  }
  for (const Json& copy : reader.at(json, "copies")) {
    gpu::CopyResult& row = r.copies.emplace_back();
    reader.get(copy, "kind", row.kind);
    reader.get(copy, "address", row.address);
    reader.get(copy, "bytes", row.bytes);
    reader.get(copy, "time_ps", row.time_ps);
    reader.get_if_there(copy, "link_bytes", row.link_bytes);
    reader.get_if_there(copy, "crossbar_bytes", row.crossbar_bytes);
    reader.get_if_there(copy, "dram_read_bytes", row.dram_read_bytes);
    reader.get_if_there(copy, "dram_write_bytes", row.dram_write_bytes);
  }
  for (const Json& row : reader.at(json, "kernels")) {
    r.kernels.push_back(read_kernel(reader, row));
  }
  return saved;
}

}  // namespace

std::string to_json(const gpu::RunResult& result, const Settings& settings) {
  const auto copy = [](const gpu::CopyResult& c) {
    return Json{{"kind", c.kind},
                {"address", c.address},
                {"bytes", c.bytes},
                {"time_ps", c.time_ps},
                {"link_bytes", c.link_bytes},
                {"crossbar_bytes", c.crossbar_bytes},
                {"dram_read_bytes", c.dram_read_bytes},
                {"dram_write_bytes", c.dram_write_bytes}};
  };
  std::string out = fmt::format(
      "{{\n  \"schema_version\": {},\n  \"complete\": {},\n  \"run\": {},\n  \"totals\": {},\n  \"copies\": ",
      kSchemaVersion, result.complete, indented(run(result, settings)), indented(totals(result)));
  add_lines(out, result.copies, copy);
  out += ",\n  \"kernels\": ";
  add_lines(out, result.kernels, kernel);
  return out + "\n}\n";
}

std::string kind_of_json(std::string_view text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return fmt::format("text that is not JSON at byte {}", error.byte);
  }
  const auto has = [&json](const char* key) { return json.is_object() && json.contains(key); };
  return has("schema_version")             ? "a result of `warpgauge run`"
         : has("points")                   ? "a result of `warpgauge sweep`"
         : has("totals") && has("objects") ? "a result of `warpgauge uvm replay`"
         : has("setup") && has("layers")   ? "a result of `warpgauge dnn run`"
                                           : "JSON of another kind";
}

Saved from_json(std::string_view text, const std::string& where,
                std::span<const CounterInfo* const> dictionary) {
  const Reader reader(where, dictionary);
  try {
    const Json json = Json::parse(text);
    if (!json.is_object() || !json.contains("schema_version")) {
      throw Error({.where = where,
                   .expected = "a result of `warpgauge run` (key \"schema_version\")",
                   .found = kind_of_json(text)});
    }
    return read(reader, json);
  } catch (const Json::parse_error& error) {
    throw Error({.where = fmt::format("{}@{}", where, error.byte),
                 .expected = "the JSON object of an earlier run",
                 .found = "text that is not JSON there",
                 .advice = "the file may be cut off"});
  } catch (const Json::exception& error) {
    reader.fail("the JSON object of an earlier run", error.what());
  }
}

std::string dictionary_json(std::span<const CounterInfo* const> dictionary) {
  const auto entry = [](const CounterInfo* info) {
    return Json{{"name", info->name}, {"unit", info->unit}, {"meaning", info->meaning}, {"ncu", info->ncu}};
  };
  std::string out;
  add_lines(out, dictionary, entry);
  return out + '\n';
}

std::span<const std::string_view> fixed_keys() { return kFixedKeys; }

}  // namespace wg::report
