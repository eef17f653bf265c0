#include "report/compression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "codec/deflate.hpp"
#include "report/format.hpp"
#include "report/table.hpp"

namespace wg::report {
namespace {

using codec::CodecFigures;
using codec::CodecId;
using codec::Layout;
using codec::MapFigures;
using Json = nlohmann::ordered_json;

/// One codec in one layout over all maps that were measured in it.
struct Total {
  CodecId codec;
  Layout layout;
  std::uint64_t maps = 0;
  std::uint64_t raw = 0;
  std::uint64_t payload = 0;
  std::uint64_t framed = 0;
  double sum_of_ratios = 0;
  double most = 0;
};

std::vector<Total> totals_of(std::span<const MapFigures> maps) {
  std::vector<Total> totals;
  for (const MapFigures& map : maps) {
    for (const CodecFigures& one : map.codecs) {
      auto at = std::find_if(totals.begin(), totals.end(), [&](const Total& total) {
        return total.codec == one.codec && total.layout == one.layout;
      });
      if (at == totals.end()) {
        at = totals.insert(at, Total{one.codec, one.layout});
      }
      const double ratio = codec::ratio(map.raw_bytes, one.payload_bytes);
      ++at->maps;
      at->raw += map.raw_bytes;
      at->payload += one.payload_bytes;
      at->framed += one.framed_bytes;
      at->sum_of_ratios += ratio;
      at->most = std::max(at->most, ratio);
    }
  }
  return totals;
}

/// Codecs of all maps, in the order of their numbers.
std::vector<CodecId> codecs_of(const std::vector<Total>& totals) {
  std::vector<CodecId> ids;
  for (const Total& total : totals) {
    if (std::find(ids.begin(), ids.end(), total.codec) == ids.end()) {
      ids.push_back(total.codec);
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::string three(double value) { return fmt::format("{:.3f}", value); }

/// One row for each layout that `entries` has; `first` are the cells before the ratios.
template <class Entries, class Cells, class Ratio>
void ratio_rows(Table& table, const std::vector<CodecId>& ids, const Entries& entries, Cells cells,
                Ratio ratio) {
  for (const Layout layout : codec::kLayouts) {
    std::vector<std::string> row = cells(layout);
    bool any = false;
    for (const CodecId id : ids) {
      const auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
        return entry.codec == id && entry.layout == layout;
      });
      any = any || at != entries.end();
      row.push_back(at == entries.end() ? "-" : three(ratio(*at)));
    }
    if (any) {
      table.row(std::move(row));
    }
  }
}

std::string ratios(std::span<const MapFigures> maps, const std::vector<Total>& totals) {
  const std::vector<CodecId> ids = codecs_of(totals);
  std::vector<Column> columns{{"map", Align::left}, {"layout", Align::left}, {"size"}, {"density"}};
  for (const CodecId id : ids) {
    columns.push_back({std::string(codec::info(id).name)});
  }
  Table table(std::move(columns));
  std::uint64_t raw = 0, elements = 0, nonzeros = 0;
  for (const MapFigures& map : maps) {
    raw += map.raw_bytes;
    elements += map.header.elements();
    nonzeros += map.nonzeros;
    ratio_rows(
        table, ids, map.codecs,
        [&](Layout layout) {
          return std::vector<std::string>{std::filesystem::path(map.name).filename().string(),
                                          std::string(name_of(layout)), bytes(map.raw_bytes),
                                          three(map.density())};
        },
        [&](const CodecFigures& one) { return codec::ratio(map.raw_bytes, one.payload_bytes); });
  }
  if (maps.size() > 1) {
    const double density =
        elements == 0 ? 0.0 : static_cast<double>(nonzeros) / static_cast<double>(elements);
    const auto total_row = [&](const char* name) {
      return [&, name](Layout layout) {
        return std::vector<std::string>{name, std::string(name_of(layout)), bytes(raw), three(density)};
      };
    };
    ratio_rows(table, ids, totals, total_row("all together"),
               [](const Total& total) { return codec::ratio(total.raw, total.payload); });
    ratio_rows(table, ids, totals, total_row("mean of the maps"),
               [](const Total& total) { return total.sum_of_ratios / static_cast<double>(total.maps); });
  }
  return table.text();
}

std::string details(const MapFigures& map) {
  Table table({{"codec", Align::left},
               {"layout", Align::left},
               {"payload bytes"},
               {"framed bytes"},
               {"raw windows"},
               {"windows by size, in sixteenths of a window", Align::left, 120}});
  for (const CodecFigures& one : map.codecs) {
    std::string spread;
    for (std::size_t bin = 0; bin < one.histogram.size(); ++bin) {
      if (one.histogram[bin] != 0) {
        spread += fmt::format("{}{}: {}", spread.empty() ? "" : ", ",
                              bin + 1 == one.histogram.size() ? "raw" : fmt::format("{}", bin),
                              grouped(one.histogram[bin]));
      }
    }
    table.row({std::string(codec::info(one.codec).name), std::string(name_of(one.layout)),
               grouped(one.payload_bytes), grouped(one.framed_bytes), grouped(one.raw_windows), spread});
  }
  return table.text();
}

Json sizes(std::uint64_t raw, std::uint64_t payload, std::uint64_t framed) {
  return {{"payload_bytes", payload},
          {"ratio", codec::ratio(raw, payload)},
          {"framed_bytes", framed},
          {"framed_ratio", codec::ratio(raw, framed)}};
}

Json codec_json(const MapFigures& map, const CodecFigures& one) {
  Json out{{"codec", codec::info(one.codec).name}, {"layout", name_of(one.layout)}};
  out.update(sizes(map.raw_bytes, one.payload_bytes, one.framed_bytes));
  if (one.codec == CodecId::deflate) {
    out["zlib_bytes"] = one.payload_bytes + map.windows * codec::kZlibWrapper;
  }
  out["raw_windows"] = one.raw_windows;
  out["histogram"] = one.histogram;
  return out;
}

Json map_json(const MapFigures& map) {
  Json codecs = Json::array();
  for (const CodecFigures& one : map.codecs) {
    codecs.push_back(codec_json(map, one));
  }
  return {{"name", map.name},
          {"dtype", map.header.descr},
          {"shape", map.header.shape},
          {"raw_bytes", map.raw_bytes},
          {"elements", map.header.elements()},
          {"nonzeros", map.nonzeros},
          {"density", map.density()},
          {"windows", map.windows},
          {"codecs", std::move(codecs)}};
}

Json total_json(const Total& total) {
  Json out{{"codec", codec::info(total.codec).name},
           {"layout", name_of(total.layout)},
           {"maps", total.maps},
           {"raw_bytes", total.raw}};
  out.update(sizes(total.raw, total.payload, total.framed));
  out["mean_ratio"] = total.sum_of_ratios / static_cast<double>(total.maps);
  out["max_ratio"] = total.most;
  return out;
}

}  // namespace

std::string compression_text(std::span<const MapFigures> maps) {
  const std::string window = maps.empty() ? "" : bytes(maps.front().window);
  std::string out =
      fmt::format("Compression ratios in windows of {}\n{}", window, ratios(maps, totals_of(maps)));
  if (maps.size() == 1) {
    out += '\n' + details(maps.front());
  }
  return out;
}

std::string compression_json(std::span<const MapFigures> maps) {
  const auto lines = [](const char* key, const std::vector<Json>& rows) {
    std::string out = fmt::format("\"{}\": [", key);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out += (i == 0 ? "\n" : ",\n") + rows[i].dump();
    }
    return out + "\n]";
  };
  std::vector<Json> rows;
  std::vector<Json> sums;
  std::transform(maps.begin(), maps.end(), std::back_inserter(rows), map_json);
  const std::vector<Total> totals = totals_of(maps);
  std::transform(totals.begin(), totals.end(), std::back_inserter(sums), total_json);
  return fmt::format("{{\n\"window_bytes\": {},\n{},\n{}\n}}\n", maps.empty() ? 0 : maps.front().window,
                     lines("maps", rows), lines("totals", sums));
}

}  // namespace wg::report
