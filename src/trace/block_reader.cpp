#include "trace/block_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace wg::trace {

std::uint64_t count_newlines(std::string_view text) {
  // Byte-wide counters in lanes, so that the compiler makes it vector compares; emptied before they overflow.
  constexpr std::size_t kLanes = 32;
  constexpr std::size_t kRounds = 255;
  std::uint64_t total = 0;
  const char* at = text.data();
  std::size_t left = text.size();
  while (left >= kLanes) {
    std::array<std::uint8_t, kLanes> lanes{};
    const std::size_t rounds = std::min(kRounds, left / kLanes);
    for (std::size_t r = 0; r < rounds; ++r) {
      for (std::size_t l = 0; l < kLanes; ++l) {
        lanes[l] = static_cast<std::uint8_t>(lanes[l] + (at[l] == '\n' ? 1 : 0));
      }
      at += kLanes;
    }
    left -= rounds * kLanes;
    for (const std::uint8_t lane : lanes) {
      total += lane;
    }
  }
  return total + static_cast<std::uint64_t>(std::count(at, at + left, '\n'));
}

std::string quoted(std::string_view token) {
  constexpr std::size_t kShown = 40;
  std::string out = "`";
  for (const char c : token.substr(0, kShown)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + (token.size() > kShown ? "...`" : "`");
}

BlockReader::BlockReader(std::unique_ptr<ByteStream> stream, std::string name, std::size_t first_block)
    : stream_(std::move(stream)), name_(std::move(name)), block_(first_block) {}

bool BlockReader::more() {
  const std::size_t kept = end_ - begin_;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  }
  begin_ = 0;
  end_ = kept;
  if (buffer_.size() < kept + block_ + 1) {
    buffer_.resize(kept + block_ + 1);
  }
  const std::size_t got = stream_->read({buffer_.data() + end_, block_});
  end_ += got;
  buffer_[end_] = '\0';
  block_ = std::min(block_ * 2, kBlock);
  return got > 0;
}

void BlockReader::consume(std::size_t count) {
  line_ += count_newlines(view().substr(0, count));
  offset_ += count;
  begin_ += count;
}

bool BlockReader::line(std::string_view& out) {
  std::size_t searched = 0;
  const auto take = [&](std::size_t length, std::size_t newline) {
    out = view().substr(0, length);
    offset_ += length + newline;
    begin_ += length + newline;
    line_ += newline;
    if (out.ends_with('\r')) {
      out.remove_suffix(1);
    }
    return true;
  };
  for (;;) {
    const std::string_view text = view();
    if (searched < text.size()) {
      if (const void* found = std::memchr(text.data() + searched, '\n', text.size() - searched)) {
        return take(static_cast<std::size_t>(static_cast<const char*>(found) - text.data()), 1);
      }
    }
    searched = text.size();
    if (searched > kLongestLine) {
      throw Error(Problem{place(), "lines of a text trace", "a line longer than 1 MiB", ""});
    }
    if (!more()) {
      return !view().empty() && take(view().size(), 0);
    }
  }
}

void BlockReader::skip(std::uint64_t bytes, std::uint64_t lines) {
  line_ += lines;
  while (bytes > 0) {
    if (view().empty() && !more()) {
      throw Error(Problem{place(), "the text that was there before", "a shorter file",
                          "it changed while it was read"});
    }
    const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, view().size()));
    begin_ += step;
    offset_ += step;
    bytes -= step;
  }
}

std::string BlockReader::place() const { return fmt::format("{}:{}", name_, line_); }

}  // namespace wg::trace
