#include "config/document.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "config/field.hpp"

namespace wg::config {
namespace {

constexpr std::size_t kMaxLine = 1000;
constexpr std::ptrdiff_t kMaxDots = 16;

std::string place(const std::string& file, Position at) {
  return fmt::format("{}:{}:{}", file, at.line, at.column);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Refuses what could make the recursive TOML parser run out of stack.
bool tame(std::string_view text, const std::string& file, std::vector<Problem>& problems) {
  if (text.size() > kMaxDocument) {
    problems.push_back({file, "a machine file of at most 256 KiB", "a longer one", ""});
    return false;
  }
  std::uint32_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    const std::string where = place(file, {number, 1});
    const std::string_view code = line.substr(0, comment_start(line));
    if (line.size() > kMaxLine) {
      problems.push_back({where, "a line of at most 1000 bytes", fmt::format("{} bytes", line.size()), ""});
    } else if (code.find(R"(""")") != std::string_view::npos || code.find("'''") != std::string_view::npos) {
      problems.push_back({where, "strings that end on their line", "a multi-line string", ""});
    } else if (std::count(code.begin(), code.end(), '.') > kMaxDots) {
      problems.push_back({where, "at most 16 dots in a line", "more", ""});
    } else {
      continue;
    }
    return false;
  }
  return true;
}

Position position(const toml::source_position& at) {
  return {static_cast<std::uint32_t>(at.line), static_cast<std::uint32_t>(at.column)};
}

RawValue raw_value(const toml::node& node) {
  if (const auto* integer = node.as_integer()) {
    return integer->get();
  }
  if (const auto* flag = node.as_boolean()) {
    return flag->get();
  }
  if (const auto* text = node.as_string()) {
    return text->get();
  }
  if (const auto* real = node.as_floating_point()) {
    return Foreign{fmt::format("the fraction {}", real->get())};
  }
  return Foreign{node.is_array() ? "an array" : node.is_table() ? "an empty table" : "a date or time"};
}

/// Walks a parsed document. Depth is bounded by tame().
class Flattener {
 public:
  Flattener(std::vector<std::string_view> lines, std::vector<Entry>& out)
      : lines_(std::move(lines)), out_(out) {}

  void walk(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string path = prefix + std::string(key.str());
      const toml::table* inner = node.as_table();
      if (inner != nullptr && !inner->empty()) {
        walk(*inner, path + ".");
        continue;
      }
      Entry entry{path, raw_value(node), position(key.source().begin), position(node.source().begin), {}};
      entry.comment = comment_of(entry.value_at.line);
      out_.push_back(std::move(entry));
    }
  }

 private:
  [[nodiscard]] std::string comment_of(std::uint32_t line) const {
    if (line == 0 || line > lines_.size()) {
      return {};
    }
    const std::string_view text = lines_[line - 1];
    const std::size_t start = comment_start(text);
    return start == std::string_view::npos ? std::string() : std::string(trimmed(text.substr(start + 1)));
  }

  std::vector<std::string_view> lines_;
  std::vector<Entry>& out_;
};

}  // namespace

std::size_t comment_start(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return i;
    }
  }
  return std::string_view::npos;
}

Document parse_document(std::string_view text, const std::string& file, std::vector<Problem>& problems) {
  Document document;
  if (!tame(text, file, problems)) {
    return document;
  }
  try {
    const toml::table root = toml::parse(text, file);
    Flattener(lines_of(text), document.entries).walk(root, "");
  } catch (const toml::parse_error& error) {
    problems.push_back(
        {place(file, position(error.source().begin)), "TOML", std::string(error.description()), ""});
    return {};
  }
  std::sort(document.entries.begin(), document.entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.value_at.line, a.value_at.column) < std::tie(b.value_at.line, b.value_at.column);
  });
  return document;
}

}  // namespace wg::config
