#include "dnn/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "base/error.hpp"
#include "config/suggest.hpp"

namespace wg::dnn {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostText = 16U << 20;

void check_columns(const CsvTable& table, const std::vector<std::string>& required) {
  for (const std::string& name : required) {
    if (table.column(name) == CsvTable::kNone) {
      throw Error({.where = table.where_columns(),
                   .expected = fmt::format("a column \"{}\"", name),
                   .found = fmt::format("{}", fmt::join(table.columns, ", "))});
    }
  }
}

}  // namespace

Folders workload_folders(const fs::path& prefix) {
  Folders folders;
  if (const char* set = std::getenv("WARPGAUGE_WORKLOADS"); set != nullptr) {
    std::string_view rest = set;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      if (colon != 0) {
        folders.emplace_back(rest.substr(0, colon));
      }
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  folders.push_back(prefix / "workloads");
  return folders;
}

std::vector<std::string> names_in(std::string_view part, std::string_view extension, const Folders& folders) {
  std::set<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder / part, none)) {
      if (entry.path().extension() == extension) {
        names.insert(entry.path().stem().string());
      }
    }
  }
  return {names.begin(), names.end()};
}

fs::path find_file(const std::string& name, std::string_view part, std::string_view extension,
                   const Folders& folders) {
  if (name.find('/') != std::string::npos || name.ends_with(extension)) {
    if (!fs::is_regular_file(name)) {
      throw Error(
          {.where = name, .expected = "a file", .found = fs::exists(name) ? "something else" : "none"});
    }
    return name;
  }
  for (const fs::path& folder : folders) {
    const fs::path path = folder / part / (name + std::string(extension));
    if (fs::is_regular_file(path)) {
      return path;
    }
  }
  const std::vector<std::string> names = names_in(part, extension, folders);
  throw Error({.where = fmt::format("{}/{}", part, name),
               .expected = fmt::format("one of {}, or a {} file", fmt::join(names, ", "), extension),
               .found = fmt::format("\"{}\"", name),
               .advice = config::did_you_mean(config::nearest(name, names))});
}

CsvTable read_table(const fs::path& path, const std::vector<std::string>& required) {
  std::ifstream file(path, std::ios::binary);
  std::error_code none;
  if (!file || !fs::is_regular_file(path, none) || fs::file_size(path, none) > kMostText) {
    throw Error(
        {.where = path.string(), .expected = "a file of at most 16 MiB that can be read", .found = "none"});
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CsvTable table = parse_csv_table(text, path.string());
  check_columns(table, required);
  return table;
}

MeasuredTimes read_times(const fs::path& path, const Network& network, std::uint64_t batch,
                         const std::vector<LayerCost>& roofline) {
  const CsvTable table = read_table(path, {"layer", "fwd_ms", "bwd_ms"});
  MeasuredTimes out;
  out.gpu = table.note("gpu");
  const std::string text = table.note("batch");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.batch);
  if (error != std::errc{} || end != text.data() + text.size() || out.batch == 0) {
    throw Error({.where = table.file,
                 .expected = "a line \"# batch: N\", the images of one iteration",
                 .found = text.empty() ? "none" : fmt::format("\"{}\"", text)});
  }
  constexpr double kMostMilliseconds = 1e9;
  const double scale = 1e-3 * static_cast<double>(batch) / static_cast<double>(out.batch);
  std::vector<bool> seen(network.layers.size(), false);
  for (const LayerCost& cost : roofline) {
    out.times.push_back({cost.forward, cost.backward});
  }
  for (const CsvRow& row : table.rows) {
    const std::string& name = row.cells[table.column("layer")];
    const std::size_t layer = network.layer_named(name);
    if (layer == kNone || seen[layer]) {
      throw Error({.where = table.where(row),
                   .expected = fmt::format("a layer of {}, once", network.name),
                   .found = fmt::format("\"{}\"{}", name, layer == kNone ? "" : " again")});
    }
    seen[layer] = true;
    out.times[layer] = {scale * table.number(row, table.column("fwd_ms"), 0, kMostMilliseconds),
                        scale * table.number(row, table.column("bwd_ms"), 0, kMostMilliseconds)};
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i] && !network.layers[i].zero_copy) {
      out.missing.push_back(network.layers[i].name);
    }
  }
  return out;
}

std::vector<Link> read_links(const Folders& folders) {
  std::vector<Link> links;
  for (const fs::path& folder : folders) {
    std::error_code none;
    if (!fs::is_regular_file(folder / "links.csv", none)) {
      continue;
    }
    const CsvTable table = read_table(folder / "links.csv", {"link", "gb_per_s", "source"});
    for (const CsvRow& row : table.rows) {
      links.push_back({row.cells[table.column("link")],
                       1e9 * table.number(row, table.column("gb_per_s"), 1e-3, 1e5),
                       row.cells[table.column("source")]});
    }
  }
  return links;
}

}  // namespace wg::dnn
