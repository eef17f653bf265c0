// Errors that a user can cause. Thrown at the boundary only, never from the engine's loops.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace wg {

/// What the process answers to its caller; the values are a contract for scripts.
enum class ExitCode { ok = 0, usage = 1, bad_input = 2, deadlock = 3, stopped = 4, internal = 5 };

/// One thing that is wrong and what to do about it. Empty fields are left out of the text.
struct Problem {
  std::string where{};     ///< file:line:column, file@offset, or option name
  std::string expected{};  ///< what would have been right
  std::string found{};     ///< what was there
  std::string advice{};    ///< what to do, e.g. the nearest valid name

  /// One line; what came from a user's file cannot steer the terminal: see printable().
  [[nodiscard]] std::string text() const;
};

/// Carries one or more problems to the edge of the program.
class Error : public std::runtime_error {
 public:
  explicit Error(Problem problem, ExitCode code = ExitCode::bad_input);
  explicit Error(std::vector<Problem> problems, ExitCode code = ExitCode::bad_input);

  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  std::vector<Problem> problems_;
  ExitCode code_;
};

}  // namespace wg
