// An aligned text table: the one way this program puts figures under each other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wg::report {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::right;
  std::size_t most = 60;  ///< widest a cell may be; longer ones are cut
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// Missing cells at the end are empty; more cells than columns are a mistake of the caller.
  void row(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Lines ending in '\n', each starting with `indent` blanks, without blanks at the end. The line of titles
  /// is left out when all are empty.
  [[nodiscard]] std::string text(std::size_t indent = 2) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace wg::report
