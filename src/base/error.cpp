#include "base/error.hpp"

#include <utility>

#include "base/text.hpp"

namespace wg {
namespace {

std::string join(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) {
      text += '\n';
    }
    text += problem.text();
  }
  return text;
}

}  // namespace

std::string Problem::text() const {
  std::string out = where;
  const auto add = [&out](const char* label, const std::string& part) {
    if (!part.empty()) {
      out += out.empty() ? "" : ": ";
      out += label + part;
    }
  };
  add("expected ", expected);
  if (!found.empty()) {
    out += (expected.empty() ? ": found " : ", found ") + found;
  }
  if (!advice.empty()) {
    out += " (" + advice + ")";
  }
  return printable(out);
}

Error::Error(Problem problem, ExitCode code) : Error(std::vector{std::move(problem)}, code) {}

Error::Error(std::vector<Problem> problems, ExitCode code)
    : std::runtime_error(join(problems)), problems_(std::move(problems)), code_(code) {}

}  // namespace wg
