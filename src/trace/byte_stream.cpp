#include "trace/byte_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace wg::trace {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kXzMagic =
    "\xFD"
    "7zXZ\0"sv;
constexpr std::string_view kGzMagic = "\x1F\x8B"sv;
constexpr std::string_view kZstMagic = "\x28\xB5\x2F\xFD"sv;

class FileStream final : public ByteStream {
 public:
  explicit FileStream(const std::string& path)
      : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) {
      throw Error(Problem{path, "a readable file", std::strerror(errno), ""});
    }
    ::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;
  ~FileStream() override { ::close(fd_); }

  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = ::read(fd_, out.data() + done, out.size() - done);
      if (got == 0) {
        break;
      }
      if (got < 0) {
        if (errno == EINTR) {
          continue;
        }
        throw Error(
            Problem{fmt::format("{}@{}", path_, offset_ + done), "to read on", std::strerror(errno), ""});
      }
      done += static_cast<std::size_t>(got);
    }
    offset_ += done;
    return done;
  }

 private:
  std::string path_;
  int fd_;
  std::uint64_t offset_ = 0;
};

class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string_view bytes) : rest_(bytes) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t count = std::min(out.size(), rest_.size());
    std::copy_n(rest_.data(), count, out.data());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

/// Gives back bytes that were read to look at them, then goes on with the rest.
class Prefixed final : public ByteStream {
 public:
  Prefixed(std::string head, std::unique_ptr<ByteStream> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}
  std::size_t read(std::span<char> out) override {
    std::size_t count = std::min(out.size(), head_.size() - used_);
    std::copy_n(head_.data() + used_, count, out.data());
    used_ += count;
    if (count < out.size()) {
      count += rest_->read(out.subspan(count));
    }
    return count;
  }

 private:
  std::string head_;
  std::size_t used_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

std::unique_ptr<ByteStream> detect(std::unique_ptr<ByteStream> raw, const std::string& name) {
  std::array<char, 8> head{};
  const std::size_t got = raw->read(head);
  const std::string_view seen(head.data(), got);
  const Compression by_magic = compression_by_magic(seen);
  const Compression by_suffix = compression_by_suffix(name);
  if (by_magic == Compression::none && by_suffix != Compression::none && got > 0) {
    throw Error(Problem{name + "@0", fmt::format("the first bytes of a {} file", suffix_of(by_suffix)),
                        "other content", "the name promises a compressed file"});
  }
  auto whole = std::make_unique<Prefixed>(std::string(seen), std::move(raw));
  return by_magic == Compression::none ? std::move(whole) : decompress(std::move(whole), by_magic, name);
}

}  // namespace

Compression compression_by_magic(std::string_view head) {
  if (head.starts_with(kXzMagic)) {
    return Compression::xz;
  }
  if (head.starts_with(kGzMagic)) {
    return Compression::gz;
  }
  return head.starts_with(kZstMagic) ? Compression::zst : Compression::none;
}

std::string_view suffix_of(Compression compression) {
  constexpr std::array<std::string_view, 4> kSuffixes = {"", ".xz", ".gz", ".zst"};
  return kSuffixes[static_cast<std::size_t>(compression)];
}

Compression compression_by_suffix(std::string_view name) {
  for (const Compression c : {Compression::xz, Compression::gz, Compression::zst}) {
    if (name.ends_with(suffix_of(c))) {
      return c;
    }
  }
  return Compression::none;
}

std::unique_ptr<ByteStream> open_file(const std::string& path) { return detect(open_plain_file(path), path); }

std::unique_ptr<ByteStream> open_plain_file(const std::string& path) {
  return std::make_unique<FileStream>(path);
}

std::unique_ptr<ByteStream> open_memory(std::string name, std::string_view bytes) {
  return detect(std::make_unique<MemoryStream>(bytes), name);
}

}  // namespace wg::trace
