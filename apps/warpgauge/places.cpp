#include "places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "dnn/files.hpp"

namespace wg::app {

namespace fs = std::filesystem;

DataFolder data_folder() {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
  const DataFolder candidates[] = {{program.parent_path() / "share" / "warpgauge", "installed"},
                                   {program, "beside the program"}};
  if (!program.empty()) {
    for (const DataFolder& candidate : candidates) {
      if (fs::is_directory(candidate.path / "gpus", none)) {
        return candidate;
      }
    }
  }
  return {WG_DATA_PREFIX, "the sources it was built from"};
}

config::Directories machine_places() { return config::machine_directories(data_folder().path); }

std::vector<fs::path> workload_places() { return dnn::workload_folders(data_folder().path); }

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

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  const bool exists = fs::exists(a, none);
  if (exists != fs::exists(b, none)) {
    return false;
  }
  if (exists) {
    return (fs::is_regular_file(a, none) || fs::is_directory(a, none)) && fs::equivalent(a, b, none);
  }
  return a == b || fs::weakly_canonical(a, none) == fs::weakly_canonical(b, none);
}

void refuse_files_in_use(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  std::vector<std::string> taken = inputs;
  for (const std::string& path : outputs) {
    if (path.empty()) {
      continue;
    }
    // A file is written under another name first.
    for (const std::string& written : {path, path + ".part"}) {
      for (const std::string& other : taken) {
        if (!other.empty() && same_file(written, other)) {
          throw Error({.where = path,
                       .expected = "an output that is no input and no other output",
                       .found = "a file in use" + (other == path ? "" : ": " + other)});
        }
      }
    }
    taken.push_back(path);
  }
}

void print(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw Error({.where = "standard output",
                 .expected = "an output that takes the text",
                 .found = std::strerror(errno != 0 ? errno : EIO)});
  }
}

}  // namespace wg::app
