// A file that is there when it is complete, or not at all. Pipes, devices and
// links are written in place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wg::trace {

class OutputFile {
 public:
  /// Writes to "`path`.part" beside it; in place what is there and no plain file. Throws wg::Error as all
  /// functions do.
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes what was not finished.
  ~OutputFile();

  void write(std::string_view bytes);
  /// Gives the file its name.
  void finish();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  void flush();

  std::string path_;
  std::string part_;  ///< `path_` when written in place
  int fd_;
  std::string buffer_;
  std::uint64_t size_ = 0;
  bool finished_ = false;
};

}  // namespace wg::trace
