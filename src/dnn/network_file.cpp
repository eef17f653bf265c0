// The only file of this room that reads TOML.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "config/suggest.hpp"
#include "dnn/files.hpp"

namespace wg::dnn {
namespace {

constexpr std::size_t kMostText = 4U << 20;
constexpr std::int64_t kMostExtent = 1 << 20;
constexpr std::int64_t kMostBatch = 1 << 20;

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  NetworkSpec network(const toml::table& root) {
    known(root, {"title", "source", "batch", "input", "layers"});
    NetworkSpec spec;
    spec.name = std::filesystem::path(file_).stem().string();
    spec.title = text(root, "title", spec.name);
    spec.source = text(root, "source", "");
    spec.batch = number(root, "batch", 1, kMostBatch, 1);
    spec.input = input(root);
    const toml::array* layers = root["layers"].as_array();
    if (layers == nullptr || layers->empty()) {
      fail(root["layers"].node() == nullptr ? root : *root["layers"].node(), "\"layers\", a list of tables",
           "none");
    }
    for (const toml::node& node : *layers) {
      const toml::table* table = node.as_table();
      if (table == nullptr) {
        fail(node,
             "a table such as { name = \"conv1\", type = \"conv\", from = \"data\", out = 96, kernel = 11 }",
             "something else");
      }
      spec.layers.push_back(layer(*table));
    }
    return spec;
  }

 private:
  [[nodiscard]] std::string where(const toml::node& node) const {
    const toml::source_position at = node.source().begin;
    return fmt::format("{}:{}:{}", file_, at.line, at.column);
  }

  [[noreturn]] void fail(const toml::node& node, std::string expected, std::string found,
                         std::string advice = {}) const {
    throw Error({.where = where(node),
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .advice = std::move(advice)});
  }

  void known(const toml::table& table, const std::vector<std::string>& keys) const {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::find(keys.begin(), keys.end(), name) == keys.end()) {
        fail(node, fmt::format("one of {}", fmt::join(keys, ", ")), fmt::format("\"{}\"", name),
             config::did_you_mean(config::nearest(name, keys)));
      }
    }
  }

  [[nodiscard]] std::string text(const toml::table& table, const char* key,
                                 const std::string& otherwise) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return otherwise;
    }
    if (!node->is_string()) {
      fail(*node, fmt::format("\"{}\" as text", key), "something else");
    }
    return node->as_string()->get();
  }

  std::uint64_t whole(const toml::node& node, const std::string& key, std::int64_t low,
                      std::int64_t high) const {
    const auto* value = node.as_integer();
    if (value == nullptr || value->get() < low || value->get() > high) {
      fail(node, fmt::format("\"{}\", a whole number from {} to {}", key, low, high),
           value == nullptr ? "something else" : fmt::format("{}", value->get()));
    }
    return static_cast<std::uint64_t>(value->get());
  }

  [[nodiscard]] std::uint64_t number(const toml::table& table, const char* key, std::int64_t low,
                                     std::int64_t high, std::uint64_t otherwise) const {
    const toml::node* node = table.get(key);
    return node == nullptr ? otherwise : whole(*node, key, low, high);
  }

  [[nodiscard]] Shape input(const toml::table& root) const {
    const toml::node* node = root.get("input");
    const toml::array* array = node == nullptr ? nullptr : node->as_array();
    if (array == nullptr || array->size() != 3) {
      fail(node == nullptr ? root : *node, "\"input\", such as [3, 224, 224]: channels, height, width",
           node == nullptr ? "none" : "something else");
    }
    const auto extent = [&](std::size_t i) { return whole(*array->get(i), "input", 1, kMostExtent); };
    return {extent(0), extent(1), extent(2)};
  }

  [[nodiscard]] LayerKind kind(const toml::table& table) const {
    std::vector<std::string> names;
    const std::string type = text(table, "type", "");
    for (std::size_t i = 0; i <= static_cast<std::size_t>(LayerKind::concat); ++i) {
      const auto one = static_cast<LayerKind>(i);
      names.emplace_back(name_of(one));
      if (names.back() == type) {
        return one;
      }
    }
    const toml::node* node = table.get("type");
    fail(node == nullptr ? table : *node, fmt::format("a \"type\" of {}", fmt::join(names, ", ")),
         node == nullptr ? "none" : fmt::format("\"{}\"", type),
         config::did_you_mean(config::nearest(type, names)));
  }

  [[nodiscard]] std::vector<std::string> sources(const toml::table& table) const {
    const toml::node* node = table.get("from");
    std::vector<std::string> names;
    if (node != nullptr && node->is_string()) {
      names.push_back(node->as_string()->get());
    } else if (node != nullptr && node->is_array()) {
      for (const toml::node& one : *node->as_array()) {
        if (!one.is_string()) {
          fail(one, "the name of a layer", "something else");
        }
        names.push_back(one.as_string()->get());
      }
    } else {
      fail(node == nullptr ? table : *node, "\"from\", the layer or layers that it reads",
           node == nullptr ? "none" : "something else");
    }
    return names;
  }

  [[nodiscard]] LayerSpec layer(const toml::table& table) const {
    known(table, {"name", "type", "from", "out", "kernel", "stride", "pad", "groups", "round_down"});
    LayerSpec spec;
    spec.where = where(table);
    spec.name = text(table, "name", "");
    if (spec.name.empty() || spec.name.find(',') != std::string::npos) {
      fail(table, "a \"name\" without commas", spec.name.empty() ? "none" : fmt::format("\"{}\"", spec.name));
    }
    spec.kind = kind(table);
    spec.from = sources(table);
    spec.out = number(table, "out", 1, kMostExtent, 0);
    spec.kernel = number(table, "kernel", 1, kMostExtent, 0);
    spec.stride = number(table, "stride", 1, kMostExtent, 1);
    spec.pad = number(table, "pad", 0, kMostExtent, 0);
    spec.groups = number(table, "groups", 1, kMostExtent, 1);
    if (const toml::node* node = table.get("round_down"); node != nullptr) {
      if (!node->is_boolean()) {
        fail(*node, "\"round_down\" as true or false", "something else");
      }
      spec.round_down = node->as_boolean()->get();
    }
    return spec;
  }

  std::string file_;
};

/// Refuses what would let a file exhaust the stack of the recursive parser, or of the trees it builds:
/// brackets in brackets and keys with many dots. Networks need three brackets and no dots outside of strings.
void tame(const std::string& text, const std::string& file) {
  constexpr int kDeepest = 16;
  int depth = 0;
  int dots = 0;
  std::size_t line = 1;
  char quote = 0;
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      dots = 0;
      quote = 0;
      comment = false;
    } else if (comment) {
      continue;
    } else if (quote != 0) {
      i += c == '\\' && quote == '"' ? 1 : 0;
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
      dots = text.compare(i, 3, std::string(3, c)) == 0 ? kDeepest + 1 : dots;  // a multi-line string
    } else {
      comment = c == '#';
      dots += c == '.' ? 1 : 0;
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
    if (depth > kDeepest || dots > kDeepest) {
      throw Error({.where = fmt::format("{}:{}", file, line),
                   .expected = "at most 16 brackets in each other, 16 dots in a line, strings that end on it",
                   .found = "more"});
    }
  }
}

}  // namespace

Network read_network(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::error_code none;
  std::ifstream in(path, std::ios::binary);
  if (!in || !std::filesystem::is_regular_file(path, none) ||
      std::filesystem::file_size(path, none) > kMostText) {
    throw Error({.where = file, .expected = "a file of at most 4 MiB that can be read", .found = "none"});
  }
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  tame(text, file);
  try {
    return build(Reader(file).network(toml::parse(text, file)));
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw Error({.where = fmt::format("{}:{}:{}", file, at.line, at.column),
                 .expected = "TOML",
                 .found = std::string(error.description())});
  }
}

}  // namespace wg::dnn
