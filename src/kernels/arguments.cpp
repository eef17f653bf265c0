#include "kernels/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace wg::kernels {

bool parse_number(std::string_view text, std::uint64_t& value) {
  if (text.empty()) {
    return false;
  }
  unsigned shift = 0;
  switch (text.back()) {
    case 'k':
    case 'K':
      shift = 10;
      break;
    case 'm':
    case 'M':
      shift = 20;
      break;
    case 'g':
    case 'G':
      shift = 30;
      break;
    default:
      break;
  }
  text.remove_suffix(shift == 0 ? 0 : 1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value > (~std::uint64_t{0} >> shift)) {
    return false;
  }
  value <<= shift;
  return true;
}

std::string Argument::valid() const {
  switch (kind) {
    case ArgumentKind::integer:
      return fmt::format("a whole number from {} to {}", min, max);
    case ArgumentKind::real:
      return fmt::format("a number above 0, at most {}", real_max);
    case ArgumentKind::choice:
      return fmt::format("one of {}", fmt::join(choices, ", "));
  }
  return {};
}

Argument integer(std::string_view name, std::uint64_t fallback, std::uint64_t min, std::uint64_t max,
                 std::string_view unit, std::string_view doc) {
  Argument argument;
  argument.name = name;
  argument.fallback = std::to_string(fallback);
  argument.min = min;
  argument.max = max;
  argument.unit = unit;
  argument.doc = doc;
  return argument;
}

Argument real(std::string_view name, std::string_view fallback, double max, std::string_view doc) {
  Argument argument;
  argument.name = name;
  argument.kind = ArgumentKind::real;
  argument.fallback = fallback;
  argument.real_max = max;
  argument.doc = doc;
  return argument;
}

Argument choice(std::string_view name, std::vector<std::string_view> choices, std::string_view doc) {
  Argument argument;
  argument.name = name;
  argument.kind = ArgumentKind::choice;
  argument.fallback = choices.front();
  argument.choices = std::move(choices);
  argument.doc = doc;
  return argument;
}

bool Arguments::set(const Argument& argument, std::string_view text) {
  Value value{argument.name, std::string(text), 0, 0};
  switch (argument.kind) {
    case ArgumentKind::integer:
      if (!parse_number(text, value.number) || value.number < argument.min || value.number > argument.max) {
        return false;
      }
      value.text = std::to_string(value.number);
      break;
    case ArgumentKind::real: {
      const char* end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, value.fraction);
      if (error != std::errc{} || stop != end || !(value.fraction > 0) ||
          value.fraction > argument.real_max) {
        return false;
      }
      value.text = fmt::format("{}", value.fraction);
      break;
    }
    case ArgumentKind::choice:
      if (std::ranges::find(argument.choices, text) == argument.choices.end()) {
        return false;
      }
      if (!parse_number(text, value.number)) {
        value.number = 0;
      }
      break;
  }
  const auto same = std::ranges::find(values_, argument.name, &Value::name);
  if (same == values_.end()) {
    values_.push_back(std::move(value));
  } else {
    *same = std::move(value);
  }
  return true;
}

const Arguments::Value& Arguments::find(std::string_view name) const {
  const auto found = std::ranges::find(values_, name, &Value::name);
  if (found == values_.end()) {
    throw std::logic_error(fmt::format("the kernel has no argument '{}'", name));
  }
  return *found;
}

std::uint64_t Arguments::number(std::string_view name) const { return find(name).number; }
std::uint32_t Arguments::number32(std::string_view name) const {
  return static_cast<std::uint32_t>(find(name).number);
}
double Arguments::fraction(std::string_view name) const { return find(name).fraction; }
const std::string& Arguments::word(std::string_view name) const { return find(name).text; }

std::string Arguments::text() const {
  std::string out;
  for (const Value& value : values_) {
    out += fmt::format("{}{}={}", out.empty() ? "" : "&", value.name, value.text);
  }
  return out;
}

}  // namespace wg::kernels
