#include "host/cdma/densities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/csv_table.hpp"
#include "base/error.hpp"
#include "host/cdma/model.hpp"

namespace wg::host::cdma {
namespace {

[[noreturn]] void fail(std::string where, std::string expected, std::string_view found) {
  throw Error(
      {.where = std::move(where), .expected = std::move(expected), .found = fmt::format("\"{}\"", found)});
}

std::uint64_t whole(std::string_view text, const char* what, const std::string& where) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    fail(where, fmt::format("{} as a whole number", what), text);
  }
  return value;
}

/// Where the columns stand.
struct Columns {
  std::size_t address, bytes, density, ratio;

  explicit Columns(const CsvTable& table)
      : address(table.column("address")),
        bytes(table.column("bytes")),
        density(table.column("density")),
        ratio(table.column("ratio")) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i != address && i != bytes && i != density && i != ratio) {
        fail(table.where_columns(), "columns address, bytes, density, ratio, each at most once",
             table.columns[i]);
      }
    }
    constexpr std::size_t kNone = CsvTable::kNone;
    if (!table.columns.empty() && (density == kNone) == (ratio == kNone)) {
      fail(table.where_columns(), "a column density or a column ratio",
           fmt::format("{}", fmt::join(table.columns, ",")));
    }
    if ((address == kNone) != (bytes == kNone)) {
      fail(table.where_columns(), "columns address and bytes together",
           fmt::format("{}", fmt::join(table.columns, ",")));
    }
  }
};

}  // namespace

Densities::Densities(std::string_view text, const std::string& name) {
  const CsvTable table = parse_csv_table(text, name);
  const Columns columns(table);
  by_address_ = columns.address != CsvTable::kNone;
  has_density_ = columns.density != CsvTable::kNone;
  for (const CsvRow& line : table.rows) {
    const std::string where = table.where(line);
    Row row;
    row.how = has_density_
                  ? Compressibility{Compressibility::Kind::density, table.number(line, columns.density, 0, 1)}
                  : Compressibility{Compressibility::Kind::ratio,
                                    table.number(line, columns.ratio, kLeastRatio, kMostRatio)};
    if (by_address_) {
      row.begin = whole(line.cells[columns.address], "an address", where);
      const std::uint64_t bytes = whole(line.cells[columns.bytes], "a number of bytes", where);
      if (bytes > kNever - row.begin) {
        fail(where, "a range that ends below 2^64", fmt::format("{}", fmt::join(line.cells, ",")));
      }
      row.end = row.begin + bytes;
    }
    rows_.push_back(row);
  }
  if (rows_.empty()) {
    throw Error({.where = name,
                 .expected = "a line with the columns' names and lines with values",
                 .found = table.columns.empty() ? "no columns" : "no values"});
  }
  if (!by_address_) {
    return;
  }
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    if (rows_[i].begin < rows_[i - 1].end) {
      throw Error({.where = name,
                   .expected = "ranges that do not overlap",
                   .found = fmt::format("two at 0x{:x} and 0x{:x}", rows_[i - 1].begin, rows_[i].begin)});
    }
  }
}

std::vector<Piece> Densities::pieces(std::size_t index, std::uint64_t address, Bytes bytes,
                                     const Compressibility& otherwise) const {
  if (!by_address_) {
    return {{bytes, index < rows_.size() ? rows_[index].how : otherwise}};
  }
  std::vector<Piece> out;
  const auto add = [&out](std::uint64_t count, const Compressibility& how) {
    if (count != 0 && !out.empty() && out.back().how == how) {
      out.back().bytes += Bytes{count};
    } else if (count != 0) {
      out.push_back({Bytes{count}, how});
    }
  };
  std::uint64_t at = address;
  const std::uint64_t end = address + bytes.count();
  auto row = std::upper_bound(rows_.begin(), rows_.end(), at,
                              [](std::uint64_t value, const Row& r) { return value < r.end; });
  for (; row != rows_.end() && row->begin < end; ++row) {
    const std::uint64_t begin = std::max(at, row->begin);
    add(begin - at, otherwise);
    at = std::min(end, row->end);
    add(at - begin, row->how);
  }
  add(end - at, otherwise);
  return out;
}

}  // namespace wg::host::cdma
