// Streaming decompressors over another ByteStream. Each keeps one input buffer and one library state.
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "trace/byte_stream.hpp"

namespace wg::trace {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;
constexpr std::uint64_t kXzMemoryLimit = std::uint64_t{1} << 30;  // `xz -9` needs 65 MiB
constexpr int kZstdWindowLogMax = 27;                             // 128 MiB, the command line's own limit

/// The compressed side: a refillable buffer that knows its offset in the file.
class Input {
 public:
  Input(std::unique_ptr<ByteStream> stream, std::string name)
      : stream_(std::move(stream)), name_(std::move(name)), buffer_(kInputBytes) {}

  /// The next bytes; empty at the end of the file.
  std::span<char> refill() {
    offset_ += filled_;
    filled_ = stream_->read(buffer_);
    return {buffer_.data(), filled_};
  }
  /// `unused`: bytes of the last refill that the library has not taken.
  [[noreturn]] void fail(std::size_t unused, std::string expected, std::string found) const {
    throw Error(Problem{fmt::format("{}@{}", name_, offset_ + filled_ - unused), std::move(expected),
                        std::move(found), "offset in the compressed file"});
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::string name_;
  std::vector<char> buffer_;
  std::uint64_t offset_ = 0;
  std::size_t filled_ = 0;
};

class XzStream final : public ByteStream {
 public:
  XzStream(std::unique_ptr<ByteStream> input, std::string name) : input_(std::move(input), std::move(name)) {
    if (lzma_stream_decoder(&state_, kXzMemoryLimit, LZMA_CONCATENATED) != LZMA_OK) {
      throw Error(Problem{"xz", "a decoder", "not enough memory", ""});
    }
  }
  XzStream(const XzStream&) = delete;
  XzStream& operator=(const XzStream&) = delete;
  ~XzStream() override { lzma_end(&state_); }

  std::size_t read(std::span<char> out) override {
    state_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_.avail_out = out.size();
    while (state_.avail_out > 0 && !done_) {
      if (state_.avail_in == 0 && !input_ended_) {
        const std::span<char> more = input_.refill();
        state_.next_in = reinterpret_cast<const std::uint8_t*>(more.data());
        state_.avail_in = more.size();
        input_ended_ = more.empty();
      }
      const lzma_ret result = lzma_code(&state_, input_ended_ ? LZMA_FINISH : LZMA_RUN);
      if (result == LZMA_STREAM_END) {
        done_ = true;
      } else if (result != LZMA_OK) {
        fail(result);
      }
    }
    return out.size() - state_.avail_out;
  }

 private:
  [[noreturn]] void fail(lzma_ret result) {
    done_ = true;
    if (result == LZMA_BUF_ERROR) {
      input_.fail(state_.avail_in, "a complete .xz stream", "the end of the file");
    }
    input_.fail(state_.avail_in, "valid .xz data",
                result == LZMA_MEMLIMIT_ERROR ? "a stream that needs over 1 GiB" : "damaged data");
  }

  Input input_;
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool input_ended_ = false;
  bool done_ = false;
};

class GzStream final : public ByteStream {
 public:
  GzStream(std::unique_ptr<ByteStream> input, std::string name) : input_(std::move(input), std::move(name)) {
    constexpr int kGzipHeader = 15 + 16;
    if (inflateInit2(&state_, kGzipHeader) != Z_OK) {
      throw Error(Problem{"gz", "a decoder", "not enough memory", ""});
    }
  }
  GzStream(const GzStream&) = delete;
  GzStream& operator=(const GzStream&) = delete;
  ~GzStream() override { inflateEnd(&state_); }

  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size() && !ended_) {
      if (state_.avail_in == 0 && !fill()) {
        break;
      }
      const std::size_t room = std::min<std::size_t>(out.size() - done, std::size_t{1} << 30);
      state_.next_out = reinterpret_cast<Bytef*>(out.data() + done);
      state_.avail_out = static_cast<uInt>(room);
      const int result = inflate(&state_, Z_NO_FLUSH);
      done += room - state_.avail_out;
      inside_member_ = true;
      if (result == Z_STREAM_END) {
        inside_member_ = false;
        inflateReset(&state_);
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        ended_ = true;
        input_.fail(state_.avail_in, "valid .gz data", "damaged data");
      }
    }
    return done;
  }

 private:
  bool fill() {
    const std::span<char> more = input_.refill();
    state_.next_in = reinterpret_cast<Bytef*>(more.data());
    state_.avail_in = static_cast<uInt>(more.size());
    if (!more.empty()) {
      return true;
    }
    ended_ = true;
    if (inside_member_) {
      input_.fail(0, "a complete .gz stream", "the end of the file");
    }
    return false;
  }

  Input input_;
  z_stream state_{};
  bool inside_member_ = false;
  bool ended_ = false;
};

class ZstdStream final : public ByteStream {
 public:
  ZstdStream(std::unique_ptr<ByteStream> input, std::string name)
      : input_(std::move(input), std::move(name)), state_(ZSTD_createDStream(), &ZSTD_freeDStream) {
    if (!state_) {
      throw Error(Problem{"zstd", "a decoder", "not enough memory", ""});
    }
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, kZstdWindowLogMax);
  }

  std::size_t read(std::span<char> out) override {
    ZSTD_outBuffer sink{out.data(), out.size(), 0};
    while (sink.pos < sink.size && !ended_) {
      if (source_.pos == source_.size && !flushing_) {
        const std::span<char> more = input_.refill();
        source_ = {more.data(), more.size(), 0};
        if (more.empty()) {
          ended_ = true;
          if (pending_ != 0) {
            input_.fail(0, "a complete .zst stream", "the end of the file");
          }
          break;
        }
      }
      pending_ = ZSTD_decompressStream(state_.get(), &sink, &source_);
      if (ZSTD_isError(pending_) != 0U) {
        ended_ = true;
        input_.fail(source_.size - source_.pos, "valid .zst data", ZSTD_getErrorName(pending_));
      }
      // A full sink may hide output that the library still holds, though all input is taken.
      flushing_ = pending_ != 0 && sink.pos == sink.size;
    }
    return sink.pos;
  }

 private:
  Input input_;
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> state_;
  ZSTD_inBuffer source_{nullptr, 0, 0};
  std::size_t pending_ = 0;
  bool flushing_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> decompress(std::unique_ptr<ByteStream> input, Compression compression,
                                       std::string name) {
  switch (compression) {
    case Compression::xz:
      return std::make_unique<XzStream>(std::move(input), std::move(name));
    case Compression::gz:
      return std::make_unique<GzStream>(std::move(input), std::move(name));
    case Compression::zst:
      return std::make_unique<ZstdStream>(std::move(input), std::move(name));
    case Compression::none:
      break;
  }
  return input;
}

}  // namespace wg::trace
