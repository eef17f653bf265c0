#include "report/files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/error.hpp"

namespace wg::report {
namespace {

[[noreturn]] void fail(const std::string& path, const char* expected, int error) {
  throw Error({.where = path,
               .expected = expected,
               .found = std::strerror(error != 0 ? error : EIO),
               .advice = "check the path and its permissions"});
}

/// `name` is what the user called the file.
void write_to(const std::string& path, const std::string& name, std::string_view content) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.flush();
  if (!out) {
    fail(name, "a file that can be written", errno);
  }
}

/// Pipes and devices cannot be replaced by renaming, and links (/dev/stdout is one) must not be; a folder is
/// left to fail.
bool in_place(const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::symlink_status(path, error).type();
  return kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular;
}

}  // namespace

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in && !std::filesystem::is_directory(path) && in.peek() == std::ifstream::traits_type::eof()) {
    return {};
  }
  if (!in || std::filesystem::is_directory(path) || !(text << in.rdbuf())) {
    fail(path, "a file that can be read", errno);
  }
  return std::move(text).str();
}

void write_file(const std::string& path, std::string_view content) {
  if (in_place(path)) {
    write_to(path, path, content);
    return;
  }
  std::error_code error;
  const std::string beside = path + ".part";
  write_to(beside, path, content);
  std::filesystem::rename(beside, path, error);
  if (error) {
    fail(path, "a file that can be replaced", error.value());
  }
}

void require_writable(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    fail(path, "a file that can be written", EISDIR);
  }
  if (!in_place(path)) {
    const std::string beside = path + ".part";
    write_to(beside, path, "");
    std::filesystem::remove(beside, error);
  }
}

}  // namespace wg::report
