// Files in a temporary folder, and what a wrong one answers.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/reader.hpp"

namespace wg::config::test {

/// A folder of machine files that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "wg-config-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path shipped() { return std::filesystem::path(WG_SOURCE_DIR) / "gpus"; }
inline Directories directories() { return {shipped()}; }

/// The problems of loading `name_or_path`; empty when it loads.
inline std::vector<Problem> problems_of(const std::string& name_or_path,
                                        const std::vector<std::string>& overrides = {},
                                        const Directories& where = directories()) {
  try {
    load(name_or_path, overrides, where);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.problems();
  }
  return {};
}

/// A shipped machine changed by the lines of `text`; `inherits` is on line 1.
inline std::vector<Problem> problems_of_change(const Folder& folder, const std::string& text) {
  return problems_of(folder.write("mine.toml", "inherits = \"v100\"\n" + text));
}

/// Where a problem of mine.toml is, without the folder.
inline std::string place(const Problem& problem) {
  return problem.where.substr(problem.where.rfind('/') + 1);
}

}  // namespace wg::config::test
