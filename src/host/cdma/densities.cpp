#include "host/cdma/densities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/cdma/model.hpp"

namespace wg::host::cdma {
namespace {

/// Where in a file something is wrong.
struct Place {
  const std::string& file;
  std::size_t line;
  [[noreturn]] void fail(std::string expected, std::string_view found) const {
    throw Error({.where = fmt::format("{}:{}", file, line),
                 .expected = std::move(expected),
                 .found = fmt::format("\"{}\"", found)});
  }
};

std::uint64_t whole(std::string_view text, const char* what, const Place& place) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    place.fail(fmt::format("{} as a whole number", what), text);
  }
  return value;
}

Compressibility compressibility(std::string_view text, Compressibility::Kind kind, const Place& place) {
  const bool density = kind == Compressibility::Kind::density;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  if (!number || (density ? value < 0 || value > 1 : value < kLeastRatio || value > kMostRatio)) {
    place.fail(
        density ? "a density from 0 to 1" : fmt::format("a ratio from {} to {}", kLeastRatio, kMostRatio),
        text);
  }
  return {kind, value};
}

/// Where the columns stand.
struct Columns {
  std::optional<std::size_t> address, bytes, density, ratio;
  std::size_t count = 0;

  Columns(std::string_view line, const Place& place) {
    for (const std::string_view name : cells_of(line)) {
      std::optional<std::size_t>* column = name == "address"   ? &address
                                           : name == "bytes"   ? &bytes
                                           : name == "density" ? &density
                                           : name == "ratio"   ? &ratio
                                                               : nullptr;
      if (column == nullptr || column->has_value()) {
        place.fail("columns address, bytes, density, ratio, each at most once", name);
      }
      *column = count++;
    }
    if (density.has_value() == ratio.has_value()) {
      place.fail("a column density or a column ratio", line);
    }
    if (address.has_value() != bytes.has_value()) {
      place.fail("columns address and bytes together", line);
    }
  }
};

}  // namespace

Densities::Densities(std::string_view text, const std::string& name) {
  std::optional<Columns> columns;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const Place place{name, ++number};
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) {
      continue;
    }
    if (!columns) {
      columns.emplace(line, place);
      by_address_ = columns->address.has_value();
      has_density_ = columns->density.has_value();
      continue;
    }
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() != columns->count) {
      place.fail(fmt::format("{} values", columns->count), line);
    }
    Row row;
    row.how = has_density_ ? compressibility(cells[*columns->density], Compressibility::Kind::density, place)
                           : compressibility(cells[*columns->ratio], Compressibility::Kind::ratio, place);
    if (by_address_) {
      row.begin = whole(cells[*columns->address], "an address", place);
      const std::uint64_t bytes = whole(cells[*columns->bytes], "a number of bytes", place);
      if (bytes > kNever - row.begin) {
        place.fail("a range that ends below 2^64", line);
      }
      row.end = row.begin + bytes;
    }
    rows_.push_back(row);
  }
  if (rows_.empty()) {
    throw Error({.where = name,
                 .expected = "a line with the columns' names and lines with values",
                 .found = columns ? "no values" : "no columns"});
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
