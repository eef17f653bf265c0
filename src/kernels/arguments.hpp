// Arguments of the catalogue's kernels: what may be given, and the checked values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wg::kernels {

enum class ArgumentKind : std::uint8_t { integer, real, choice };

/// Describes one argument. Views point at string literals.
struct Argument {
  std::string_view name;
  ArgumentKind kind = ArgumentKind::integer;
  std::string fallback;   ///< value when not given, as a user would write it
  std::uint64_t min = 0;  ///< integers: range, both ends allowed
  std::uint64_t max = 0;
  double real_max = 0;                    ///< reals: (0, real_max]
  std::vector<std::string_view> choices;  ///< choices: the valid words
  std::string_view unit;                  ///< "bytes", "elements" ...; may be empty
  std::string_view doc;                   ///< one line

  /// "1 to 64", "FADD, FMUL, FFMA" ...
  [[nodiscard]] std::string valid() const;
};

Argument integer(std::string_view name, std::uint64_t fallback, std::uint64_t min, std::uint64_t max,
                 std::string_view unit, std::string_view doc);
Argument real(std::string_view name, std::string_view fallback, double max, std::string_view doc);
/// The first choice is the default.
Argument choice(std::string_view name, std::vector<std::string_view> choices, std::string_view doc);

/// Values for all arguments of one kernel, checked against their descriptions.
class Arguments {
 public:
  /// Value of an integer argument, or of a choice between numbers; asking for a name that the kernel does not
  /// have is our mistake.
  [[nodiscard]] std::uint64_t number(std::string_view name) const;
  /// The same where the argument's range fits 32 bits.
  [[nodiscard]] std::uint32_t number32(std::string_view name) const;
  [[nodiscard]] double fraction(std::string_view name) const;
  [[nodiscard]] const std::string& word(std::string_view name) const;
  [[nodiscard]] bool is(std::string_view name, std::string_view value) const { return word(name) == value; }

  /// Checks `text` against `argument` and keeps it; false when it is no valid value.
  bool set(const Argument& argument, std::string_view text);
  /// "a=1&b=FFMA", every argument in the order in which they were set first.
  [[nodiscard]] std::string text() const;

 private:
  struct Value {
    std::string_view name;
    std::string text;  ///< normalised: suffixes resolved
    std::uint64_t number = 0;
    double fraction = 0;
  };
  [[nodiscard]] const Value& find(std::string_view name) const;
  std::vector<Value> values_;
};

/// Reads a whole number with an optional binary suffix: 64k = 65,536, 2M, 1G; false when it is none or too
/// large.
bool parse_number(std::string_view text, std::uint64_t& value);

}  // namespace wg::kernels
