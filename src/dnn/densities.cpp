#include "dnn/densities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "dnn/files.hpp"
#include "host/cdma/lines.hpp"

namespace wg::dnn {
namespace {

constexpr double kMostRatio = 1e6;
constexpr double kMostIteration = 1e15;

double ratio_of(const Density& row, Codec codec) {
  switch (codec) {
    case Codec::none:
      return 1;
    case Codec::zvc:
      return row.zvc > 0 ? row.zvc : zvc_ratio(row.density);
    case Codec::rle:
      return row.rle;
    case Codec::deflate:
      return row.deflate;
  }
  return 0;
}

void refuse_unknown_columns(const CsvTable& table) {
  constexpr std::array<std::string_view, 7> kColumns{"iteration", "layer", "elements", "density",
                                                     "zvc",       "rle",   "deflate"};
  for (const std::string& name : table.columns) {
    if (std::find(kColumns.begin(), kColumns.end(), name) == kColumns.end()) {
      throw Error({.where = table.where_columns(),
                   .expected = fmt::format("columns {}", fmt::join(kColumns, ", ")),
                   .found = fmt::format("\"{}\"", name)});
    }
  }
}

}  // namespace

std::string_view name_of(Codec codec) {
  constexpr std::array<std::string_view, 4> kNames{"none", "zvc", "rle", "deflate"};
  return kNames[static_cast<std::size_t>(codec)];
}

double zvc_ratio(double density) { return host::cdma::zvc_ratio(density, sizeof(float)); }

Densities::Densities(const std::filesystem::path& path) : file_(path.string()) {
  const CsvTable table = read_table(path, {"iteration", "layer", "density"});
  refuse_unknown_columns(table);
  const std::size_t layer = table.column("layer");
  const auto optional = [&](const CsvRow& row, const char* name) {
    const std::size_t column = table.column(name);
    return column == CsvTable::kNone || row.cells[column].empty()
               ? 0
               : table.number(row, column, 1e-3, kMostRatio);
  };
  for (const CsvRow& row : table.rows) {
    const auto iteration =
        static_cast<std::uint64_t>(table.number(row, table.column("iteration"), 0, kMostIteration));
    Density density{.density = table.number(row, table.column("density"), 0, 1),
                    .zvc = optional(row, "zvc"),
                    .rle = optional(row, "rle"),
                    .deflate = optional(row, "deflate"),
                    .where = table.where(row)};
    if (!rows_[iteration].emplace(row.cells[layer], density).second) {
      throw Error({.where = table.where(row),
                   .expected = "one row for a layer and iteration",
                   .found = fmt::format("\"{}\" at {} again", row.cells[layer], iteration)});
    }
  }
  if (rows_.empty()) {
    throw Error({.where = file_, .expected = "rows", .found = "none"});
  }
}

std::vector<std::uint64_t> Densities::iterations() const {
  std::vector<std::uint64_t> list;
  for (const auto& [iteration, rows] : rows_) {
    list.push_back(iteration);
  }
  return list;
}

std::uint64_t Densities::at_or_before(std::uint64_t iteration) const {
  auto at = rows_.upper_bound(iteration);
  if (at == rows_.begin()) {
    throw Error({.where = file_,
                 .expected = fmt::format("an iteration up to {}", iteration),
                 .found = fmt::format("{} as the first", at->first)});
  }
  return std::prev(at)->first;
}

const Density* Densities::find(const Network& network, const Buffer& buffer, std::uint64_t iteration) const {
  const auto& rows = rows_.at(iteration);
  for (auto writer = buffer.writers.rbegin(); writer != buffer.writers.rend(); ++writer) {
    if (const auto at = rows.find(network.layers[*writer].name); at != rows.end()) {
      return &at->second;
    }
  }
  const auto at = rows.find(buffer.writers.empty() ? "data" : "*");
  return at == rows.end() ? nullptr : &at->second;
}

std::vector<double> Densities::ratios(const Network& network, std::uint64_t iteration, Codec codec) const {
  const std::uint64_t taken = at_or_before(iteration);
  std::vector<double> ratios;
  std::vector<Problem> problems;
  for (const Buffer& buffer : network.buffers) {
    const bool moves = buffer.last_reader != kNone && buffer.first_need != kNone;
    const Density* row = find(network, buffer, taken);
    double ratio = row == nullptr ? 1 : ratio_of(*row, codec);
    if (row == nullptr && buffer.writers.empty()) {
      ratio = codec == Codec::zvc ? zvc_ratio(1) : 1;
    }
    ratios.push_back(ratio > 0 ? ratio : 1);
    if (moves && row == nullptr && !buffer.writers.empty()) {
      problems.push_back({.where = fmt::format("{}, iteration {}", file_, taken),
                          .expected = fmt::format("a row for \"{}\" (or for \"*\", all others)", buffer.name),
                          .found = "none"});
    } else if (moves && ratio == 0) {
      problems.push_back({.where = row->where,
                          .expected = fmt::format("a measured ratio of {}", name_of(codec)),
                          .found = "none",
                          .advice = "`warpgauge dnn densities` measures them"});
    }
  }
  if (!problems.empty() && codec != Codec::none) {
    throw Error(std::move(problems));
  }
  refuse_unknown_layers(network);
  return ratios;
}

void Densities::refuse_unknown_layers(const Network& network) const {
  for (const auto& [iteration, rows] : rows_) {
    for (const auto& [name, row] : rows) {
      if (name != "*" && name != "data" && network.layer_named(name) == kNone) {
        throw Error({.where = row.where,
                     .expected = fmt::format("a layer of {}, \"data\" or \"*\"", network.name),
                     .found = fmt::format("\"{}\"", name)});
      }
    }
  }
}

double Densities::mean(const Network& network, std::uint64_t iteration,
                       const std::vector<bool>& wanted) const {
  const std::uint64_t taken = at_or_before(iteration);
  double sum = 0;
  double bytes = 0;
  for (std::size_t b = 0; b < network.buffers.size(); ++b) {
    if (wanted[b]) {
      const Density* row = find(network, network.buffers[b], taken);
      const double size = static_cast<double>(network.buffers[b].bytes);
      sum += size * (row == nullptr ? 1 : row->density);
      bytes += size;
    }
  }
  return bytes > 0 ? sum / bytes : 1;
}

}  // namespace wg::dnn
