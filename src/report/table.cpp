#include "report/table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "report/format.hpp"

namespace wg::report {

void Table::row(std::vector<std::string> cells) {
  assert(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = width(columns_[c].title);
    for (const auto& cells : rows_) {
      widest = std::max(widest, std::min(width(cells[c]), columns_[c].most));
    }
    widths.push_back(widest);
  }
  std::string out;
  const auto line = [&](auto&& cell_of) {
    std::string text(indent, ' ');
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      text += c == 0 ? "" : "  ";
      text += columns_[c].align == Align::left ? pad(cell_of(c), widths[c]) : pad_left(cell_of(c), widths[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  if (std::any_of(columns_.begin(), columns_.end(),
                  [](const Column& column) { return !column.title.empty(); })) {
    line([this](std::size_t c) { return columns_[c].title; });
  }
  for (const auto& cells : rows_) {
    line([&cells](std::size_t c) { return cells[c]; });
  }
  return out;
}

}  // namespace wg::report
