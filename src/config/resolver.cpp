#include "config/resolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/check.hpp"
#include "config/suggest.hpp"

namespace wg::config::detail {
namespace {

std::string place(const std::string& file, Position at) {
  return fmt::format("{}:{}:{}", file, at.line, at.column);
}

std::string_view last_part(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

/// Keys of tables: "sm", "sm.class", "sm.class.fp32", "l2" ...
bool is_section(std::string_view key) {
  const std::string prefix = std::string(key) + ".";
  const auto all = fields();
  return std::any_of(all.begin(), all.end(),
                     [&](const Field& field) { return field.key.starts_with(prefix); });
}

/// A value that was understood, or what was there instead.
struct Reading {
  std::optional<Value> value;
  std::string found;
  std::string advice;
};

Reading good(Value value) { return {std::move(value), "", ""}; }
Reading bad(std::string found, std::string advice = "") {
  return {std::nullopt, std::move(found), std::move(advice)};
}

/// `shown` is how the user wrote it.
Reading read_number(const Field& field, std::string_view text, std::string shown) {
  std::uint64_t number = 0;
  std::string why;
  if (field.may_be_off && text == "off") {
    return good(number);
  }
  if (!parse_quantity(text, field.measure, number, why)) {
    return bad(std::move(shown), why);
  }
  const bool zero = field.may_be_off && number == 0;
  return problem_of(field, number).empty() && !zero ? good(number) : bad(std::move(shown));
}

Reading read_text(const Field& field, std::string text) {
  std::string found = problem_of(field, text);
  if (found.empty()) {
    return good(std::move(text));
  }
  const std::vector<std::string> names(field.choices.begin(), field.choices.end());
  return bad(std::move(found), did_you_mean(nearest(text, names)));
}

/// A value of a file: TOML's own types are taken strictly.
Reading read_raw(const Field& field, const RawValue& raw) {
  if (const auto* foreign = std::get_if<Foreign>(&raw)) {
    return bad(foreign->what, field.is_number() ? "write a whole number or a string with a unit" : "");
  }
  if (const auto* integer = std::get_if<std::int64_t>(&raw)) {
    const std::uint64_t scale = field.measure == Measure::thousandths ? 1000 : 1;
    const auto value = static_cast<std::uint64_t>(*integer) * scale;
    const bool fits =
        *integer >= (field.may_be_off ? 1 : 0) && field.is_number() && problem_of(field, value).empty();
    return fits ? good(value) : bad(fmt::format("{}", *integer));
  }
  if (const auto* flag = std::get_if<bool>(&raw)) {
    return problem_of(field, *flag).empty() ? good(*flag) : bad(*flag ? "true" : "false");
  }
  const std::string& text = std::get<std::string>(raw);
  if (std::holds_alternative<bool>(field.sample)) {
    return bad(toml_string(text), "without quotes");
  }
  if (!field.is_number()) {
    return read_text(field, text);
  }
  if (field.measure == Measure::count) {
    return bad(toml_string(text), "write the number without quotes");
  }
  return read_number(field, text, toml_string(text));
}

/// A value of the command line: the field tells the type.
Reading read_word(const Field& field, std::string_view text) {
  if (text.empty()) {
    return bad("nothing");
  }
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  if (field.is_number()) {
    return read_number(field, text, std::string(text));
  }
  if (!std::holds_alternative<bool>(field.sample)) {
    return read_text(field, std::string(text));
  }
  return text == "true" || text == "false" ? good(text == "true") : bad(std::string(text));
}

}  // namespace

std::string advice_for_key(std::string_view key) {
  std::vector<std::string> all{"inherits"};
  std::vector<std::string> elsewhere;
  for (const Field& field : fields()) {
    all.push_back(field.key);
    if (last_part(field.key) == last_part(key) && !field.key.starts_with("sm.class.")) {
      elsewhere.push_back(field.key);
    }
  }
  if (std::string near = nearest(key, all); !near.empty()) {
    return did_you_mean(near);
  }
  return elsewhere.empty() ? std::string() : did_you_mean(elsewhere.front());
}

Resolver::Resolver() : Resolver(Machine{}) {}

Resolver::Resolver(const Machine& machine) : wrong_(fields().size(), false) {
  result_.machine = machine;
  result_.origins.resize(fields().size());
}

void Resolver::set(std::size_t index, const Value& value, Origin origin) {
  fields()[index].set(result_.machine, value);
  wrong_[index] = false;
  origin.order = ++order_;
  result_.origins[index] = std::move(origin);
}

void Resolver::unknown_key(const Entry& entry, const std::string& file) {
  if (is_section(entry.key)) {
    const auto* foreign = std::get_if<Foreign>(&entry.value);
    if (foreign == nullptr || foreign->what != "an empty table") {
      add_problem(
          {place(file, entry.value_at), fmt::format("{} as a table", entry.key), "a single value", ""});
    }
    return;
  }
  const std::size_t dot = entry.key.rfind('.');
  for (std::size_t end = dot; end != std::string::npos && end > 0; end = entry.key.rfind('.', end - 1)) {
    const std::size_t index = find_field(std::string_view(entry.key).substr(0, end));
    if (index < fields().size()) {
      wrong_[index] = true;
      add_problem({place(file, entry.key_at), expectation(fields()[index]), "a table", ""});
      return;
    }
  }
  const std::string section = dot == std::string::npos ? "" : entry.key.substr(0, dot);
  const std::string expected = section.empty()       ? "a key or section of a machine"
                               : is_section(section) ? fmt::format("a key of [{}]", section)
                                                     : "a section of a machine";
  add_problem({place(file, entry.key_at), expected, toml_string(entry.key), advice_for_key(entry.key)});
}

void Resolver::apply(const Document& document, const std::string& file) {
  for (const Entry& entry : document.entries) {
    if (entry.key == "inherits") {
      continue;
    }
    const std::size_t index = find_field(entry.key);
    if (index == fields().size()) {
      unknown_key(entry, file);
      continue;
    }
    const Field& field = fields()[index];
    const Reading reading = read_raw(field, entry.value);
    if (reading.value) {
      set(index, *reading.value, {place(file, entry.value_at), entry.comment, 0});
    } else {
      wrong_[index] = true;
      add_problem({place(file, entry.value_at), expectation(field), reading.found, reading.advice});
    }
  }
}

void Resolver::apply_override(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string key(trimmed(assignment.substr(0, equals)));
  const std::string where = "--set " + key;
  if (equals == std::string_view::npos) {
    add_problem({where, "key=value, e.g. l2.size=64MiB", toml_string(assignment), ""});
    return;
  }
  const std::size_t index = find_field(key);
  if (index == fields().size()) {
    add_problem({where, "a key of a machine", toml_string(key), advice_for_key(key)});
    return;
  }
  const Field& field = fields()[index];
  const Reading reading = read_word(field, trimmed(assignment.substr(equals + 1)));
  if (reading.value) {
    set(index, *reading.value, {where, "set on the command line", 0});
  } else {
    wrong_[index] = true;
    add_problem({where, expectation(field), reading.found, reading.advice});
  }
}

void Resolver::require_all(const std::string& file) {
  std::vector<std::string_view> missing;
  for (std::size_t i = 0; i < fields().size(); ++i) {
    if (fields()[i].required && result_.origins[i].order == 0 && !wrong_[i]) {
      missing.push_back(fields()[i].key);
      wrong_[i] = true;  // no rule can say anything useful about it
    }
  }
  if (missing.empty()) {
    return;
  }
  constexpr std::size_t kShown = 8;
  const std::size_t shown = std::min(missing.size(), kShown);
  std::string list =
      fmt::format("{}", fmt::join(missing.begin(), missing.begin() + static_cast<long>(shown), ", "));
  if (missing.size() > shown) {
    list += fmt::format(" and {} more", missing.size() - shown);
  }
  add_problem({file, "values for " + list, "none in the file or in what it inherits",
               "start from a generation, e.g. inherits = \"base/hopper\""});
}

void Resolver::check_rules() {
  for (const Check& check : checks()) {
    const Origin* last = nullptr;
    bool usable = true;
    for (const std::string_view key : check.keys) {
      const std::size_t index = find_field(key);
      usable = usable && !wrong_[index];
      const Origin& origin = result_.origins[index];
      if (last == nullptr || origin.order > last->order) {
        last = &origin;
      }
    }
    std::string found = usable ? check.violation(result_.machine) : std::string();
    if (!found.empty()) {
      const std::string where = last->where.empty() ? result_.machine.name : last->where;
      add_problem({where, std::string(check.expected), std::move(found), ""});
    }
  }
}

void Resolver::check_ranges() {
  for (std::size_t i = 0; i < fields().size(); ++i) {
    const Field& field = fields()[i];
    std::string found = problem_of(field, field.get(result_.machine));
    if (!found.empty()) {
      wrong_[i] = true;
      add_problem({result_.machine.name, expectation(field), std::move(found), ""});
    }
  }
}

void Resolver::throw_if_bad() const {
  if (!problems_.empty()) {
    throw Error(problems_);
  }
}

}  // namespace wg::config::detail
