#include "report/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace wg::report {
namespace {

constexpr std::uint64_t kMostSelected = 10'000'000;

[[noreturn]] void fail(std::string_view part) {
  throw Error({.where = "--kernels",
               .expected = "kernel numbers from 1 and ranges, such as 3,5-9",
               .found = fmt::format("\"{}\"", part),
               .advice = "kernels are counted from 1 in launch order"},
              ExitCode::usage);
}

std::uint64_t parse_place(std::string_view text, std::string_view part) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0) {
    fail(part);
  }
  return value;
}

}  // namespace

std::vector<std::uint64_t> parse_selection(std::string_view text) {
  std::vector<std::uint64_t> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const std::size_t dash = part.find('-');
    const std::uint64_t first = parse_place(part.substr(0, dash), part);
    const std::uint64_t last =
        dash == std::string_view::npos ? first : parse_place(part.substr(dash + 1), part);
    if (last < first || last - first >= kMostSelected - std::min(out.size(), kMostSelected)) {
      fail(part);
    }
    for (std::uint64_t place = first; place <= last; ++place) {
      out.push_back(place);
    }
    begin = end + 1;
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void check_selection(const std::vector<std::uint64_t>& kernels, std::uint64_t count) {
  if (!kernels.empty() && kernels.back() > count) {
    throw Error({.where = "--kernels",
                 .expected = fmt::format("places from 1 to {}, the kernels of this workload", count),
                 .found = std::to_string(kernels.back()),
                 .advice = "`warpgauge trace info` lists them"},
                ExitCode::usage);
  }
}

std::string selection_text(const std::vector<std::uint64_t>& kernels) {
  std::string out;
  for (std::size_t i = 0; i < kernels.size();) {
    std::size_t last = i;
    while (last + 1 < kernels.size() && kernels[last + 1] == kernels[last] + 1) {
      ++last;
    }
    out += out.empty() ? "" : ",";
    out += last == i ? std::to_string(kernels[i]) : fmt::format("{}-{}", kernels[i], kernels[last]);
    i = last + 1;
  }
  return out.empty() ? "all" : out;
}

}  // namespace wg::report
