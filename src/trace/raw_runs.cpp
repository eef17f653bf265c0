#include "trace/raw_runs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.hpp"

namespace wg::trace {
namespace {

constexpr std::size_t kReadBytes = std::size_t{32} << 10;  // a run's share of the memory while merging

}  // namespace

void RunBuilder::add(std::uint64_t cta, std::uint32_t warp, std::string_view line) {
  const auto [entry, fresh] =
      by_warp_.try_emplace(WarpKey{cta, warp}, static_cast<std::uint32_t>(segments_.size()));
  if (fresh) {
    segments_.push_back({cta, 0, 0, warp});
  }
  Segment& segment = segments_[entry->second];
  segment.bytes += line.size() + 1;
  ++segment.lines;
  text_.append(line);
  text_.push_back('\n');
  lines_.push_back({entry->second, static_cast<std::uint32_t>(line.size() + 1)});
}

std::string RunBuilder::build() {
  std::vector<std::uint32_t> order(segments_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return std::tie(segments_[a].cta, segments_[a].warp) < std::tie(segments_[b].cta, segments_[b].warp);
  });
  std::string run(text_.size() + segments_.size() * sizeof(Segment), '\0');
  std::vector<std::size_t> cursor(segments_.size());
  std::size_t at = 0;
  for (const std::uint32_t s : order) {
    std::memcpy(run.data() + at, &segments_[s], sizeof(Segment));
    cursor[s] = at + sizeof(Segment);
    at = cursor[s] + segments_[s].bytes;
  }
  const char* from = text_.data();
  for (const Line& line : lines_) {
    std::memcpy(run.data() + cursor[line.segment], from, line.length);
    cursor[line.segment] += line.length;
    from += line.length;
  }
  text_.clear();
  lines_.clear();
  segments_.clear();
  by_warp_.clear();
  return run;
}

SpillFile::SpillFile() {
  const char* const named = std::getenv("TMPDIR");
  folder_ = named != nullptr && *named != '\0' ? named : "/tmp";
  std::string path = folder_ + "/warpgauge-XXXXXX";
  fd_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd_ < 0) {
    throw Error(Problem{folder_, "a folder for temporary files", std::strerror(errno), "set TMPDIR"});
  }
  ::unlink(path.c_str());
}

SpillFile::~SpillFile() { ::close(fd_); }

void SpillFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote <= 0) {
      throw Error(
          Problem{folder_, "room to group a raw trace", std::strerror(errno), "set TMPDIR to a larger disk"});
    }
    size_ += static_cast<std::uint64_t>(wrote);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void SpillFile::read(std::uint64_t offset, char* out, std::size_t count) const {
  while (count > 0) {
    const ssize_t got = ::pread(fd_, out, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      throw Error(
          Problem{folder_, "to read the temporary file", got == 0 ? "its end" : std::strerror(errno), ""});
    }
    offset += static_cast<std::uint64_t>(got);
    out += got;
    count -= static_cast<std::size_t>(got);
  }
}

RunReader::RunReader(std::string run) : buffer_(std::move(run)) { read_head(); }

RunReader::RunReader(std::shared_ptr<const SpillFile> file, std::uint64_t begin, std::uint64_t end)
    : file_(std::move(file)), file_at_(begin), file_end_(end) {
  read_head();
}

void RunReader::take(std::string& out) {
  const std::size_t before = out.size();
  out.resize(before + head_.bytes);
  take_bytes(out.data() + before, head_.bytes);
  read_head();
}

void RunReader::read_head() {
  has_head_ = at_ < buffer_.size() || file_at_ < file_end_;
  if (has_head_) {
    take_bytes(reinterpret_cast<char*>(&head_), sizeof(head_));
  }
}

void RunReader::take_bytes(char* out, std::size_t count) {
  while (count > 0) {
    if (at_ == buffer_.size()) {
      buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kReadBytes, file_end_ - file_at_)));
      file_->read(file_at_, buffer_.data(), buffer_.size());
      file_at_ += buffer_.size();
      at_ = 0;
    }
    const std::size_t step = std::min(count, buffer_.size() - at_);
    std::memcpy(out, buffer_.data() + at_, step);
    at_ += step;
    out += step;
    count -= step;
  }
}

}  // namespace wg::trace
