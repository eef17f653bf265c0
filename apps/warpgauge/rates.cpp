#include "rates.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "config/quantity.hpp"
#include "config/suggest.hpp"
#include "dnn/files.hpp"
#include "places.hpp"

namespace wg::app {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void wrong(const std::string& option, std::string expected, const std::string& found,
                        std::string advice) {
  throw Error({.where = option,
               .expected = std::move(expected),
               .found = fmt::format("\"{}\"", found),
               .advice = std::move(advice)},
              ExitCode::usage);
}

}  // namespace

std::uint64_t rate_of(const std::string& option, const std::string& text) {
  constexpr std::uint64_t kLeast = 1'000'000, kMost = 100'000'000'000'000;
  const bool plain = !text.empty() && is_digit(text.back());
  std::uint64_t rate = 0;
  std::string why;
  if (!config::parse_quantity(plain ? text + " GB/s" : text, config::Measure::rate, rate, why)) {
    wrong(option, "a bandwidth such as \"12.8GB/s\"; a number alone is in GB/s", text, why);
  }
  if (rate < kLeast || rate > kMost) {
    wrong(option, "1 MB/s to 100 TB/s", text, plain ? "a number alone is in GB/s" : "");
  }
  return rate;
}

std::uint64_t link_rate(const std::string& text) {
  const bool name =
      !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
  if (!name) {
    return rate_of("--link", text);
  }
  std::vector<std::string> names;
  for (const dnn::Link& link : dnn::read_links(workload_places())) {
    if (link.name == text) {
      return static_cast<std::uint64_t>(std::llround(link.rate));
    }
    names.push_back(link.name);
  }
  wrong("--link", fmt::format("a bandwidth such as \"12.8GB/s\", or one of {}", fmt::join(names, ", ")), text,
        config::did_you_mean(config::nearest(text, names)));
}

}  // namespace wg::app
