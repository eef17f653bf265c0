#include "report/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text.hpp"

namespace wg::report {
namespace {

struct Group {
  std::string_view text;   ///< without the kernel
  std::string_view first;  ///< number of the first kernel; empty when the warning names none
  std::uint64_t count = 0;
};

Group split(std::string_view warning) {
  constexpr std::string_view kPrefix = "kernel ";
  const std::size_t colon = warning.find(": ");
  if (!warning.starts_with(kPrefix) || colon == std::string_view::npos) {
    return {warning, {}, 1};
  }
  return {warning.substr(colon + 2), warning.substr(kPrefix.size(), colon - kPrefix.size()), 1};
}

}  // namespace

std::vector<std::string> distinct_warnings(const gpu::RunResult& result) {
  return distinct_warnings(result.warnings);
}

std::vector<std::string> distinct_warnings(std::span<const std::string> warnings) {
  std::vector<Group> groups;
  for (const std::string& warning : warnings) {
    const Group one = split(warning);
    const auto same = std::find_if(groups.begin(), groups.end(), [&one](const Group& group) {
      return group.text == one.text && group.first.empty() == one.first.empty();
    });
    if (same == groups.end()) {
      groups.push_back(one);
    } else {
      ++same->count;
    }
  }
  std::vector<std::string> out;
  for (const Group& group : groups) {
    if (group.first.empty()) {
      out.push_back(printable(group.text));
    } else if (group.count == 1) {
      out.push_back(fmt::format("kernel {}: {}", group.first, printable(group.text)));
    } else {
      out.push_back(fmt::format("{} kernels, first {}: {}", group.count, group.first, printable(group.text)));
    }
  }
  return out;
}

}  // namespace wg::report
