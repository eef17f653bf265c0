#include "base/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"

namespace wg {
namespace {

void add_note(CsvTable& table, std::string_view comment) {
  const std::size_t colon = comment.find(':');
  if (colon != std::string_view::npos) {
    table.notes.emplace_back(trimmed(comment.substr(0, colon)), trimmed(comment.substr(colon + 1)));
  }
}

void add_row(CsvTable& table, std::string_view text, std::uint32_t line) {
  const std::vector<std::string_view> cells = cells_of(text);
  if (table.columns.empty()) {
    table.columns.assign(cells.begin(), cells.end());
    table.columns_line = line;
    return;
  }
  table.rows.push_back({line, {cells.begin(), cells.end()}});
  if (cells.size() != table.columns.size()) {
    throw Error(
        {.where = table.where(table.rows.back()),
         .expected = fmt::format("{} values: {}", table.columns.size(), fmt::join(table.columns, ", ")),
         .found = fmt::format("{}", cells.size())});
  }
}

}  // namespace

std::size_t CsvTable::column(std::string_view name) const {
  const auto at = std::find(columns.begin(), columns.end(), name);
  return at == columns.end() ? kNone : static_cast<std::size_t>(at - columns.begin());
}

std::string CsvTable::where(const CsvRow& row) const { return fmt::format("{}:{}", file, row.line); }

std::string CsvTable::where_columns() const { return fmt::format("{}:{}", file, columns_line); }

std::string CsvTable::note(std::string_view key) const {
  for (const auto& [name, value] : notes) {
    if (name == key) {
      return value;
    }
  }
  return {};
}

double CsvTable::number(const CsvRow& row, std::size_t column, double low, double high) const {
  const std::string& text = row.cells[column];
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool inside = value >= low && value <= high;  // false for NaN
  if (error != std::errc{} || end != text.data() + text.size() || !inside) {
    throw Error({.where = where(row),
                 .expected = fmt::format("\"{}\" between {} and {}", columns[column], low, high),
                 .found = text.empty() ? "nothing" : fmt::format("\"{}\"", text)});
  }
  return value;
}

CsvTable parse_csv_table(std::string_view text, std::string name) {
  CsvTable table;
  table.file = std::move(name);
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const std::size_t comment = line.find('#');
    const std::string_view content = trimmed(line.substr(0, comment));
    if (!content.empty()) {
      add_row(table, content, number);
    } else if (comment != std::string_view::npos) {
      add_note(table, line.substr(comment + 1));
    }
  }
  return table;
}

}  // namespace wg
