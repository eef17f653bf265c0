// Applies settings to a machine one by one, collecting problems. Private to this room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/reader.hpp"

namespace wg::config::detail {

class Resolver {
 public:
  Resolver();
  explicit Resolver(const Machine& machine);

  /// Stores what a file sets. `inherits` is skipped.
  void apply(const Document& document, const std::string& file);
  /// Stores one "key=value" of the command line.
  void apply_override(std::string_view assignment);
  /// Names required fields that nothing has set; `file` is the one asked for.
  void require_all(const std::string& file);
  /// Checks rules between fields, leaving out those that read a field already found wrong.
  void check_rules();
  /// Checks each field alone, for a machine that was built in code.
  void check_ranges();

  void add_problem(Problem problem) { problems_.push_back(std::move(problem)); }
  [[nodiscard]] std::vector<Problem>& problems() { return problems_; }
  void throw_if_bad() const;
  [[nodiscard]] LoadedMachine& result() { return result_; }

 private:
  void set(std::size_t index, const Value& value, Origin origin);
  void unknown_key(const Entry& entry, const std::string& file);

  LoadedMachine result_;
  std::vector<bool> wrong_;  ///< parallel to fields()
  std::vector<Problem> problems_;
  std::uint32_t order_ = 0;
};

/// Advice for a key that does not exist: the nearest that does, the same name in another section first.
std::string advice_for_key(std::string_view key);

}  // namespace wg::config::detail
