#include "places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "dnn/files.hpp"

namespace wg::app {

config::Directories machine_places() { return config::machine_directories(WG_DATA_PREFIX); }

std::vector<std::filesystem::path> workload_places() { return dnn::workload_folders(WG_DATA_PREFIX); }

report::Style output_style(bool verbose) {
  report::Style style;
  style.verbose = verbose;
  style.colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') {
      const std::string_view locale = value;
      style.unicode = locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
      break;
    }
  }
  return style;
}

void refuse_same_file(const char* command, const std::string& in, const std::string& out) {
  std::error_code none;
  if (std::filesystem::equivalent(in, out, none)) {
    throw Error({.where = command,
                 .expected = "an output that is not the input",
                 .found = fmt::format("{} for both", out)},
                ExitCode::usage);
  }
}

void print(const std::string& text) { fmt::print("{}", text); }

}  // namespace wg::app
