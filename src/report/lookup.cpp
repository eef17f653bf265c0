#include "report/lookup.hpp"

#include <algorithm>

#include "report/format.hpp"

namespace wg::report {

std::optional<double> number(std::span<const CounterValue> counters, std::string_view name) {
  const auto at = std::find_if(counters.begin(), counters.end(),
                               [name](const CounterValue& counter) { return counter.info->name == name; });
  if (at == counters.end()) {
    return std::nullopt;
  }
  return std::visit([](auto value) { return static_cast<double>(value); }, at->value);
}

const CounterInfo* find_info(std::span<const CounterInfo* const> dictionary, std::string_view name) {
  const auto at = std::find_if(dictionary.begin(), dictionary.end(),
                               [name](const CounterInfo* info) { return info->name == name; });
  return at == dictionary.end() ? nullptr : *at;
}

std::string value_text(const CounterValue& counter) {
  const auto* whole = std::get_if<std::uint64_t>(&counter.value);
  return whole != nullptr ? grouped(*whole) : compact(std::get<double>(counter.value));
}

}  // namespace wg::report
