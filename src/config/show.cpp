// Printing and hashing a machine, both by walking the field table.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "config/reader.hpp"

namespace wg::config {
namespace {

constexpr std::string_view kClasses = "sm.class.";

std::string source_of(const Origin& origin) {
  if (!origin.comment.empty()) {
    return origin.comment;
  }
  return origin.order == 0 ? "default of this version" : "no source given in " + origin.where;
}

/// One line of output: everything before the comment, and the comment.
struct Line {
  std::string code;
  std::string comment;
};

std::string section_of(std::string_view key) {
  if (key.starts_with(kClasses)) {
    return "sm.class";
  }
  const std::size_t dot = key.rfind('.');
  return std::string(key.substr(0, dot == std::string_view::npos ? 0 : dot));
}

/// The fields of one class become one inline table: fp32 = { pipe = "fma", ... }.
Line class_line(const LoadedMachine& loaded, std::size_t first, std::size_t last) {
  const std::string_view key = std::string_view(fields()[first].key).substr(kClasses.size());
  Line line{std::string(key.substr(0, key.find('.'))) + " = {", ""};
  for (std::size_t i = first; i < last; ++i) {
    const Field& field = fields()[i];
    const std::string name = field.key.substr(field.key.rfind('.') + 1);
    line.code +=
        fmt::format("{} {} = {}", i == first ? "" : ",", name, to_toml(field, field.get(loaded.machine)));
    const std::string source = source_of(loaded.origins[i]);
    if (line.comment.find(source) == std::string::npos) {
      line.comment += (line.comment.empty() ? "" : "; ") + source;
    }
  }
  line.code += " }";
  return line;
}

std::size_t end_of_class(std::size_t first) {
  const std::string& key = fields()[first].key;
  const std::string prefix = key.substr(0, key.rfind('.') + 1);
  std::size_t last = first;
  while (last < fields().size() && fields()[last].key.starts_with(prefix)) {
    ++last;
  }
  return last;
}

std::string print(const std::string& section, const std::vector<Line>& lines) {
  std::size_t width = 0;
  for (const Line& line : lines) {
    width = std::max(width, line.code.size());
  }
  std::string out = section.empty() ? "" : fmt::format("\n[{}]\n", section);
  for (const Line& line : lines) {
    out += fmt::format("{:<{}}  # {}\n", line.code, width, line.comment);
  }
  return out;
}

}  // namespace

std::string show(const LoadedMachine& loaded) {
  std::string out =
      fmt::format("# {}: every value the timing model reads, with its source\n", loaded.machine.name);
  std::string section;
  std::vector<Line> lines;
  for (std::size_t i = 0; i < fields().size();) {
    const Field& field = fields()[i];
    if (section_of(field.key) != section) {
      out += print(section, lines);
      lines.clear();
      section = section_of(field.key);
    }
    if (section == "sm.class") {
      const std::size_t last = end_of_class(i);
      lines.push_back(class_line(loaded, i, last));
      i = last;
      continue;
    }
    const std::string name = field.key.substr(field.key.rfind('.') + 1);
    lines.push_back({fmt::format("{} = {}", name, to_toml(field, field.get(loaded.machine))),
                     source_of(loaded.origins[i])});
    ++i;
  }
  return out + print(section, lines);
}

std::uint64_t machine_hash(const Machine& machine) {
  std::string all;
  for (const Field& field : fields()) {
    all += field.key + " = " + to_toml(field, field.get(machine)) + "\n";
  }
  return XXH3_64bits(all.data(), all.size());
}

}  // namespace wg::config
