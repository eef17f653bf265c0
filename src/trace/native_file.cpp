#include "trace/native_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.hpp"

namespace wg::trace::native {
namespace {

/// Closes a descriptor when it goes.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail(const FileBytes& file, std::uint64_t offset, std::string expected, std::string found,
                       const char* advice = "the file is damaged; convert the trace again") {
  throw Error(
      Problem{fmt::format("{}@{}", file.name(), offset), std::move(expected), std::move(found), advice});
}

/// A field of the fixed parts, which were checked to be there.
template <class Word>
Word field(std::string_view bytes, std::size_t at) {
  Word value{};
  std::memcpy(&value, bytes.data() + at, sizeof(Word));
  return value;
}

void check_head(const FileBytes& file) {
  const std::string_view all = file.all();
  if (!all.starts_with(kMagic)) {
    fail(file, 0, "the first bytes of a native trace (.wgt)",
         all.size() < kMagic.size() ? fmt::format("a file of {} bytes", all.size()) : "other content",
         "`warpgauge trace convert` writes native traces");
  }
  if (all.size() < kHeadBytes + kTailBytes) {
    fail(file, all.size(), fmt::format("at least {} bytes", kHeadBytes + kTailBytes), "the end of the file");
  }
  const auto version = field<std::uint32_t>(all, 8);
  if (version != kVersion) {
    fail(file, 8, fmt::format("version {} of the format", kVersion), fmt::format("version {}", version),
         "convert the trace again, or use the Warpgauge that wrote it");
  }
  if (field<std::uint32_t>(all, 12) != 0) {
    fail(file, 12, "four zero bytes", "others");
  }
}

}  // namespace

std::shared_ptr<const FileBytes> FileBytes::map(const std::string& path) {
  const Descriptor descriptor(path);
  struct stat status{};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) {
    throw Error(Problem{path, "a readable file", std::strerror(errno), ""});
  }
  std::shared_ptr<FileBytes> file(new FileBytes);
  file->name_ = path;
  if (status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
    if (mapped == MAP_FAILED) {
      throw Error(Problem{path, "to map the file into memory", std::strerror(errno), ""});
    }
    file->mapped_ = mapped;
    file->all_ = {static_cast<const char*>(mapped), size};
  }
  return file;
}

std::shared_ptr<const FileBytes> FileBytes::of_memory(std::string name, std::string bytes,
                                                      const ReadLimits& limits) {
  std::shared_ptr<FileBytes> file(new FileBytes);
  file->name_ = std::move(name);
  file->memory_ = std::move(bytes);
  file->all_ = file->memory_;
  file->limits_ = limits;
  return file;
}

FileBytes::~FileBytes() {
  if (mapped_ != nullptr) {
    ::munmap(mapped_, all_.size());
  }
}

std::string_view FileBytes::unpack(const Section& section, std::string_view part, Unpacked& storage) const {
  const std::string_view stored = all_.substr(section.offset, section.stored);
  if (section.raw > limits_.most_raw) {
    fail(*this, section.offset, fmt::format("a {} of at most {} bytes", part, limits_.most_raw),
         fmt::format("{}", section.raw));
  }
  if (limits_.verify) {
    const std::uint64_t checksum = XXH3_64bits(stored.data(), stored.size());
    if (checksum != section.checksum) {
      fail(*this, section.offset, fmt::format("a {} with checksum {:016x}", part, section.checksum),
           fmt::format("{:016x}", checksum));
    }
  }
  const bool packed = section.stored != section.raw;
  if (!packed && all_.size() - section.offset - section.stored >= kSlack) {
    return stored;
  }
  storage = std::make_unique_for_overwrite<char[]>(section.raw + kSlack);
  std::memset(storage.get() + section.raw, 0, kSlack);
  if (packed) {
    decompress(section, stored, part, storage.get());
  } else {
    std::ranges::copy(stored, storage.get());
  }
  return {storage.get(), section.raw};
}

void FileBytes::decompress(const Section& section, std::string_view stored, std::string_view part,
                           char* to) const {
  const std::lock_guard lock(zstd_mutex_);
  if (zstd_ == nullptr) {
    zstd_ = {ZSTD_createDCtx(), &ZSTD_freeDCtx};
  }
  if (zstd_ == nullptr) {
    throw std::bad_alloc();
  }
  const std::size_t got = ZSTD_decompressDCtx(zstd_.get(), to, section.raw, stored.data(), stored.size());
  if (ZSTD_isError(got) != 0 || got != section.raw) {
    fail(*this, section.offset, fmt::format("a zstd frame of {} bytes ({})", section.raw, part),
         ZSTD_isError(got) != 0 ? ZSTD_getErrorName(got) : fmt::format("{} bytes", got));
  }
}

std::vector<FooterCommand> read_commands(const FileBytes& file) {
  check_head(file);
  const std::string_view all = file.all();
  const std::size_t tail = all.size() - kTailBytes;
  if (!all.ends_with(kEndMagic)) {
    fail(file, all.size() - kEndMagic.size(), "the last bytes of a native trace", "others",
         "the file was cut off or not written to its end; convert the trace again");
  }
  const auto size = field<std::uint64_t>(all, tail + 24);
  if (size != all.size()) {
    fail(file, tail + 24, fmt::format("the size of the file ({} bytes)", all.size()),
         fmt::format("{}", size));
  }
  if (file.limits().verify &&
      field<std::uint64_t>(all, tail + 32) != XXH3_64bits(all.data() + tail, kTailBytes - 16)) {
    fail(file, tail, "a tail that matches its checksum", "another");
  }
  const Section footer{field<std::uint64_t>(all, tail), field<std::uint32_t>(all, tail + 8),
                       field<std::uint32_t>(all, tail + 12), field<std::uint64_t>(all, tail + 16)};
  if (footer.offset < kHeadBytes || footer.offset > tail || footer.stored != tail - footer.offset ||
      footer.stored > footer.raw) {
    fail(file, tail, "a footer right before the tail",
         fmt::format("{} bytes at {}", footer.stored, footer.offset));
  }
  Unpacked storage;
  ByteReader in(file.unpack(footer, "footer", storage), {file.name(), footer.offset, "footer"});
  return read_footer(in, footer.offset);
}

}  // namespace wg::trace::native
