// Statistics: plain integers in structs, named once in a dictionary.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace wg {

/// One entry of the dictionary of everything a run can print.
struct CounterInfo {
  std::string_view name;     ///< snake_case, unique over the program
  std::string_view unit;     ///< e.g. "cycles", "sectors", "bytes", "ratio", "GB/s"
  std::string_view meaning;  ///< one line
  std::string_view ncu;      ///< the Nsight Compute metric it corresponds to; empty where there is none
};

/// Names a plain counter of the struct `S`. A struct of counters lists its fields once as an array of these.
template <class S>
struct CounterField {
  CounterInfo info;
  std::uint64_t S::* member;
};

/// Adds every listed field of `from` to `to`.
template <class S>
void add_counters(S& to, const S& from, std::span<const CounterField<S>> fields) {
  for (const CounterField<S>& field : fields) {
    to.*field.member += from.*field.member;
  }
}

/// A value with its dictionary entry. `info` points at static storage.
struct CounterValue {
  const CounterInfo* info = nullptr;
  std::variant<std::uint64_t, double> value;
};

}  // namespace wg
