#include "config/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <limits>
#include <span>

namespace wg::config {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;
  std::uint64_t scale;
  bool printed;  ///< used by print_quantity; the others are only read
};

constexpr std::uint64_t kKilo = 1000;
constexpr std::uint64_t kKibi = 1024;

constexpr std::array kByteUnits{
    Unit{"B", 1, true},
    Unit{"KiB", kKibi, true},
    Unit{"MiB", kKibi* kKibi, true},
    Unit{"GiB", kKibi* kKibi* kKibi, true},
    Unit{"TiB", kKibi* kKibi* kKibi* kKibi, true},
    Unit{"kB", kKilo, false},
    Unit{"MB", kKilo* kKilo, false},
    Unit{"GB", kKilo* kKilo* kKilo, false},
    Unit{"TB", kKilo* kKilo* kKilo* kKilo, false},
};
constexpr std::array kHertzUnits{
    Unit{"Hz", 1, true},
    Unit{"kHz", kKilo, true},
    Unit{"MHz", kKilo* kKilo, true},
    Unit{"GHz", kKilo* kKilo* kKilo, false},
};
constexpr std::array kRateUnits{
    Unit{"B/s", 1, true},
    Unit{"kB/s", kKilo, true},
    Unit{"MB/s", kKilo* kKilo, true},
    Unit{"GB/s", kKilo* kKilo* kKilo, true},
    Unit{"TB/s", kKilo* kKilo* kKilo* kKilo, false},
};
constexpr std::array kTimeUnits{
    Unit{"ns", 1, true},
    Unit{"us", kKilo, true},
    Unit{"ms", kKilo* kKilo, true},
    Unit{"s", kKilo* kKilo* kKilo, true},
};

std::span<const Unit> units_of(Measure measure) {
  switch (measure) {
    case Measure::bytes:
      return kByteUnits;
    case Measure::hertz:
      return kHertzUnits;
    case Measure::rate:
      return kRateUnits;
    case Measure::nanoseconds:
      return kTimeUnits;
    case Measure::count:
    case Measure::thousandths:
      break;
  }
  return {};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

/// A decimal number as an integer and the power of ten that it is divided by.
struct Decimal {
  std::uint64_t digits = 0;
  std::uint64_t divisor = 1;
};

/// Takes a decimal number off the front of `text`; at most 18 digits so that nothing overflows.
bool take_decimal(std::string_view& text, Decimal& out, std::string& why) {
  constexpr std::size_t kMaxDigits = 18;
  std::size_t digits = 0;
  bool point = false;
  std::size_t i = 0;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    if (++digits > kMaxDigits) {
      why = "the number has more than 18 digits";
      return false;
    }
    out.digits = out.digits * 10 + static_cast<std::uint64_t>(text[i] - '0');
    out.divisor *= point ? 10 : 1;
  }
  if (digits == 0 || text[i - 1] == '.') {
    why = "it does not begin with a number";
    return false;
  }
  text.remove_prefix(i);
  return true;
}

std::string unit_list(std::span<const Unit> units) {
  std::string list;
  for (const Unit& unit : units) {
    list += (list.empty() ? "" : ", ") + std::string(unit.name);
  }
  return list;
}

bool find_scale(std::string_view name, Measure measure, std::uint64_t& scale, std::string& why) {
  scale = measure == Measure::thousandths ? kKilo : 1;
  if (name.empty()) {
    return true;
  }
  for (const Unit& unit : units_of(measure)) {
    if (unit.name == name) {
      scale = unit.scale;
      return true;
    }
  }
  if (units_of(measure).empty()) {
    why = "it is a plain number, without a unit";
  } else if (name == "KB") {
    why = "KB is ambiguous: write KiB (1024) or kB (1000)";
  } else {
    why = "units: " + unit_list(units_of(measure));
  }
  return false;
}

}  // namespace

bool parse_quantity(std::string_view text, Measure measure, std::uint64_t& value, std::string& why) {
  text = trim(text);
  Decimal number;
  std::uint64_t scale = 1;
  if (!take_decimal(text, number, why) || !find_scale(trim(text), measure, scale, why)) {
    return false;
  }
  const Wide scaled = static_cast<Wide>(number.digits) * scale;
  if (scaled % number.divisor != 0) {
    why = measure == Measure::count         ? "it is a whole number"
          : measure == Measure::thousandths ? "it has at most three decimals"
                                            : "it is a whole number of the smallest unit";
    return false;
  }
  const Wide result = scaled / number.divisor;
  if (result > std::numeric_limits<std::uint64_t>::max()) {
    why = "it does not fit 64 bits";
    return false;
  }
  value = static_cast<std::uint64_t>(result);
  return true;
}

std::string print_quantity(std::uint64_t value, Measure measure) {
  if (measure == Measure::thousandths) {
    std::string text = fmt::format("{}.{:03}", value / kKilo, value % kKilo);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + '0' : text;
  }
  const Unit* best = nullptr;
  for (const Unit& unit : units_of(measure)) {
    if (unit.printed && value % unit.scale == 0 && (value != 0 || unit.scale == 1)) {
      best = &unit;
    }
  }
  return best != nullptr ? fmt::format("{} {}", value / best->scale, best->name) : fmt::format("{}", value);
}

std::string_view describe(Measure measure) {
  switch (measure) {
    case Measure::count:
      return "a whole number";
    case Measure::bytes:
      return "a size such as \"64 KiB\"";
    case Measure::hertz:
      return "a clock such as \"1755 MHz\"";
    case Measure::rate:
      return "a bandwidth such as \"25.6 GB/s\"";
    case Measure::nanoseconds:
      return "a time such as \"1 us\"";
    case Measure::thousandths:
      return "a number such as \"2.6\"";
  }
  return "";
}

}  // namespace wg::config
