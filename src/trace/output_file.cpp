#include "trace/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace wg::trace {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

bool plain_or_new(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

}  // namespace

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)),
      part_(plain_or_new(path_) ? path_ + ".part" : path_),
      fd_(::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (fd_ < 0) {
    throw Error(Problem{path_, "a file that can be written", std::strerror(errno), ""});
  }
}

OutputFile::~OutputFile() {
  ::close(fd_);
  if (!finished_ && part_ != path_) {
    ::unlink(part_.c_str());
  }
}

void OutputFile::write(std::string_view bytes) {
  size_ += bytes.size();
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) {
    flush();
  }
}

void OutputFile::finish() {
  flush();
  if (part_ != path_ && std::rename(part_.c_str(), path_.c_str()) != 0) {
    throw Error(Problem{path_, "a file that can be written", std::strerror(errno), ""});
  }
  finished_ = true;
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t done = ::write(fd_, rest.data(), rest.size());
    if (done < 0 && errno != EINTR) {
      throw Error(Problem{path_, "room for the file", std::strerror(errno), ""});
    }
    rest.remove_prefix(done < 0 ? 0 : static_cast<std::size_t>(done));
  }
  buffer_.clear();
}

}  // namespace wg::trace
