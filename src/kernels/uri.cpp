// Reading kernel: URIs.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "kernels/catalogue.hpp"

namespace wg::kernels {
namespace {

constexpr std::string_view kScheme = "kernel:";

/// Edit distance (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

Problem unknown_name(std::string where, std::string_view what, std::string_view found,
                     std::span<const std::string_view> valid) {
  const auto nearest =
      std::ranges::min_element(valid, {}, [&](std::string_view name) { return distance(name, found); });
  return {std::move(where), fmt::format("a {}, one of {}", what, fmt::join(valid, ", ")),
          fmt::format("'{}'", found), fmt::format("did you mean '{}'?", *nearest)};
}

const Entry& find_entry(const std::string& uri, std::string_view name) {
  const std::span<const Entry> entries = catalogue();
  const auto found = std::ranges::find(entries, name, &Entry::name);
  if (found == entries.end()) {
    std::vector<std::string_view> names;
    std::ranges::transform(entries, std::back_inserter(names), &Entry::name);
    throw Error(unknown_name(uri, "kernel", name, names));
  }
  return *found;
}

/// Checks one "name=value" and keeps it; what is wrong goes to `problems`.
void read_argument(const std::string& uri, const Entry& entry, std::string_view text, Request& request,
                   std::vector<std::string_view>& seen, std::vector<Problem>& problems) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    problems.push_back({uri, "argument=value", fmt::format("'{}'", text), ""});
    return;
  }
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = text.substr(equals + 1);
  const auto argument = std::ranges::find(entry.arguments, name, &Argument::name);
  if (argument == entry.arguments.end()) {
    std::vector<std::string_view> names;
    std::ranges::transform(entry.arguments, std::back_inserter(names), &Argument::name);
    problems.push_back(unknown_name(uri, fmt::format("argument of {}", entry.name), name, names));
    return;
  }
  if (std::ranges::find(seen, name) != seen.end()) {
    problems.push_back({uri, fmt::format("'{}' once", name), "it twice", ""});
    return;
  }
  seen.push_back(name);
  if (request.arguments.set(*argument, value)) {
    return;
  }
  if (argument->kind == ArgumentKind::choice) {
    problems.push_back(unknown_name(uri, fmt::format("value of {}", name), value, argument->choices));
  } else {
    problems.push_back(
        {uri, fmt::format("{} for '{}'", argument->valid(), name), fmt::format("'{}'", value), ""});
  }
}

}  // namespace

bool is_builder_uri(std::string_view text) { return text.starts_with(kScheme); }

std::string Request::uri() const { return fmt::format("{}{}?{}", kScheme, entry->name, arguments.text()); }

Request parse_uri(const std::string& uri) {
  if (!is_builder_uri(uri)) {
    throw Error(Problem{uri, "kernel:NAME?argument=value&...", "", "'kernels list' shows the names"});
  }
  std::string_view rest = std::string_view(uri).substr(kScheme.size());
  const std::size_t question = rest.find('?');
  const Entry& entry = find_entry(uri, rest.substr(0, question));
  Request request{&entry, {}};
  for (const Argument& argument : entry.arguments) {
    request.arguments.set(argument, argument.fallback);
  }
  rest = question == std::string_view::npos ? std::string_view{} : rest.substr(question + 1);
  std::vector<Problem> problems;
  std::vector<std::string_view> seen;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    read_argument(uri, entry, rest.substr(0, end), request, seen, problems);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!problems.empty()) {
    throw Error(std::move(problems), ExitCode::bad_input);
  }
  return request;
}

}  // namespace wg::kernels
