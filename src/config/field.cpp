#include "config/field.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace wg::config {
namespace {

constexpr std::size_t kMaxText = 200;

bool printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::string limit(const Field& field, std::uint64_t value) { return print_quantity(value, field.measure); }

}  // namespace

std::size_t find_field(std::string_view key) {
  const std::span<const Field> all = fields();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Field& field) { return field.key == key; });
  return static_cast<std::size_t>(at - all.begin());
}

std::string expectation(const Field& field) {
  if (field.is_number()) {
    return fmt::format("{} as {} from {} to {}{}", field.key, describe(field.measure),
                       limit(field, field.min), limit(field, field.max),
                       field.may_be_off ? ", or \"off\"" : "");
  }
  if (std::holds_alternative<bool>(field.sample)) {
    return field.key + " as true or false";
  }
  if (field.choices.empty()) {
    return fmt::format("{} as 1 to {} printable ASCII characters", field.key, kMaxText);
  }
  return fmt::format("{} as one of {}", field.key, fmt::join(field.choices, ", "));
}

std::string problem_of(const Field& field, const Value& value) {
  if (value.index() != field.sample.index()) {
    return to_toml(field, value);
  }
  bool good = true;
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    const bool off = field.may_be_off && *number == 0;
    good = off || (*number >= field.min && *number <= field.max);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    good = field.choices.empty()
               ? !text->empty() && text->size() <= kMaxText && printable(*text)
               : std::find(field.choices.begin(), field.choices.end(), *text) != field.choices.end();
  }
  return good ? std::string() : to_toml(field, value);
}

std::string to_toml(const Field& field, const Value& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    if (field.may_be_off && *number == 0) {
      return toml_string("off");
    }
    const bool plain = !field.is_number() || field.measure == Measure::count;
    return plain ? fmt::format("{}", *number) : toml_string(print_quantity(*number, field.measure));
  }
  if (const auto* flag = std::get_if<bool>(&value)) {
    return *flag ? "true" : "false";
  }
  return toml_string(std::get<std::string>(value));
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
  return out;
}

}  // namespace wg::config
