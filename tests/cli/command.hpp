// Runs the program as a user does and keeps what it said.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wg::cli {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal when it was ended by one
  std::string out;
  std::string err;
};

/// The program under test: $WG_BINARY, else that of this build.
std::string program();

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs warpgauge with these arguments and an environment of its own (no locale, no colour) that has
/// `variables` as well.
Outcome run(const std::vector<std::string>& arguments, const Variables& variables = {});
/// Sends `signal` that long after the start.
Outcome run_and_signal(const std::vector<std::string>& arguments, int signal, int after_ms);

/// A folder of its own for the running test, removed afterwards.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

std::string read(const std::string& path);

/// A small trace: two kernels of one warp and a copy, in the format of tracer version 4.
std::string tiny_trace(const Folder& folder);

}  // namespace wg::cli
