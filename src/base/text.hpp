// Pieces of text lines, for every reader of small text files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wg {

/// `text` without blanks, tabs and line ends at either side.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// The cells of a line of comma-separated values, trimmed; at least one. No quotes: no cell holds a comma.
inline std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) {
      return cells;
    }
    line.remove_prefix(comma + 1);
  }
}

/// `text` as it may go to a terminal: control characters and bytes that are not UTF-8 become \x1b, \n, \t
/// ...; all other UTF-8 stays as it is.
std::string printable(std::string_view text);

}  // namespace wg
