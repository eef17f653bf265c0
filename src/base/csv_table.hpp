// Small files of comma-separated values that users write: densities, times, links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wg {

/// One line of values.
struct CsvRow {
  std::uint32_t line = 0;
  std::vector<std::string> cells;
};

/// '#' begins a comment anywhere in a line. The first line with anything else names the columns; every row
/// has as many cells. Cells are trimmed; there are no quotes, so that no cell holds a comma or a '#'.
struct CsvTable {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::string file;  ///< as messages call it
  std::vector<std::string> columns;
  std::uint32_t columns_line = 1;  ///< where they stand
  std::vector<CsvRow> rows;
  std::vector<std::pair<std::string, std::string>> notes;  ///< lines that are all comment, "# key: value"

  /// kNone when there is no such column.
  [[nodiscard]] std::size_t column(std::string_view name) const;
  /// Throws wg::Error with file and line unless the cell is a number in [low, high].
  [[nodiscard]] double number(const CsvRow& row, std::size_t column, double low, double high) const;
  [[nodiscard]] std::string where(const CsvRow& row) const;
  [[nodiscard]] std::string where_columns() const;
  /// Empty when there is none.
  [[nodiscard]] std::string note(std::string_view key) const;
};

/// `columns` stays empty when there is no line of columns. Throws wg::Error for a row of another length.
CsvTable parse_csv_table(std::string_view text, std::string name);

}  // namespace wg
