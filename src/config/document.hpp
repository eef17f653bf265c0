// A TOML file as a flat list of what it sets, each with its place and its comment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace wg::config {

/// Place in a file; lines and columns count from 1.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// A value that no field can hold: what it is ("an array", "a table") and how it was written.
struct Foreign {
  std::string what;
};

using RawValue = std::variant<std::int64_t, bool, std::string, Foreign>;

struct Entry {
  std::string key;  ///< dotted path from the root: "l2.size"
  RawValue value;
  Position key_at;
  Position value_at;
  std::string comment;  ///< trailing comment of the line that holds the value, without '#' and outer blanks
};

/// The entries of a file, in the order of their lines.
struct Document {
  std::vector<Entry> entries;
};

/// The longest text that is taken for a machine file.
inline constexpr std::size_t kMaxDocument = 256 * 1024;

/// The comment that follows a line's code: the first '#' outside quotes ends the code. npos = no comment.
std::size_t comment_start(std::string_view line);

/// Parses `text`; `file` names it in problems. A text that is no TOML gives one problem (the parser stops at
/// the first) and an empty document. Texts above kMaxDocument, lines above 1,000 bytes, keys of more than 16
/// parts and multi-line strings are refused: no machine needs them, and they let a file exhaust the stack.
Document parse_document(std::string_view text, const std::string& file, std::vector<Problem>& problems);

}  // namespace wg::config
