// The one table of everything a machine file can say. It drives the reader, `--set`, printing, hashing and
// the manual; a new figure of Machine is one row here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "config/machine.hpp"
#include "config/quantity.hpp"

namespace wg::config {

/// The value of a field in its base unit. Choices (pipe names, parts) are strings.
using Value = std::variant<std::uint64_t, bool, std::string>;

struct Field {
  std::string key;                            ///< e.g. "l2.size", "sm.class.fp32.latency"
  std::string unit;                           ///< for the manual: "SM cycles", "bytes"; empty where none
  std::string doc;                            ///< one line
  Value sample;                               ///< tells the type; its content means nothing
  Measure measure = Measure::count;           ///< numbers only
  std::uint64_t min = 0;                      ///< numbers only, inclusive
  std::uint64_t max = 0;                      ///< numbers only, inclusive
  std::span<const std::string_view> choices;  ///< strings only; empty = any printable ASCII text
  bool required = false;                      ///< has no sensible default: some file of the chain must set it
  bool may_be_off = false;                    ///< numbers only: 0 is written "off", whatever the range
  std::size_t index = 0;                      ///< instruction class, for the rows that exist per class
  Value (*read)(const Machine&, std::size_t index) = nullptr;
  void (*write)(Machine&, std::size_t index, const Value&) = nullptr;

  [[nodiscard]] Value get(const Machine& machine) const { return read(machine, index); }
  /// `value` must hold the field's type and be in range (see problem_of).
  void set(Machine& machine, const Value& value) const { write(machine, index, value); }
  [[nodiscard]] bool is_number() const { return std::holds_alternative<std::uint64_t>(sample); }
};

/// Every field, grouped by section in the order in which they are printed. Lives as long as the program.
std::span<const Field> fields();

/// Position in fields(), or fields().size() when there is no such key.
std::size_t find_field(std::string_view key);

/// What a user may write: `l2.ways from 1 to 1024`, `clock.sm as a clock such as "1755 MHz", 1 MHz to 10
/// GHz`.
std::string expectation(const Field& field);

/// Empty when `value` may be stored in `field`; otherwise what is wrong with it, as `found`.
std::string problem_of(const Field& field, const Value& value);

/// The value as TOML: 4, true, "64 KiB", "gto".
std::string to_toml(const Field& field, const Value& value);

/// Quotes any text as a TOML basic string.
std::string toml_string(std::string_view text);

}  // namespace wg::config
