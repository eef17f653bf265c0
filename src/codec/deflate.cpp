#include "codec/deflate.hpp"

#include <zlib.h>

#include <cassert>
#include <limits>
#include <new>

#include "base/error.hpp"

namespace wg::codec {
namespace {

constexpr int kRawWindowBits = -15;  // 32 KiB of history, no wrapper
constexpr int kMemoryLevel = 8;      // zlib's default

void point(z_stream& stream, std::span<const std::byte> in, std::span<std::byte> out) {
  static_assert(sizeof(uInt) == 4);
  assert(in.size() <= std::numeric_limits<uInt>::max() && out.size() <= std::numeric_limits<uInt>::max());
  // zlib does not write through next_in; it lacks the const unless ZLIB_CONST is set.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
}

}  // namespace

struct Deflate::State {
  explicit State(int level) {
    if (deflateInit2(&out, level, Z_DEFLATED, kRawWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
    if (inflateInit2(&in, kRawWindowBits) != Z_OK) {
      deflateEnd(&out);
      throw std::bad_alloc();
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    deflateEnd(&out);
    inflateEnd(&in);
  }

  z_stream out{};
  z_stream in{};
};

Deflate::Deflate(int level) {
  if (level < 1 || level > 9) {
    throw Error({.where = "deflate level", .expected = "1 to 9", .found = std::to_string(level)},
                ExitCode::usage);
  }
  state_ = std::make_unique<State>(level);
}
Deflate::Deflate(Deflate&&) noexcept = default;
Deflate& Deflate::operator=(Deflate&&) noexcept = default;
Deflate::~Deflate() = default;

Outcome Deflate::encode(std::span<const std::byte> raw, std::span<std::byte> out) {
  z_stream& stream = state_->out;
  deflateReset(&stream);
  point(stream, raw, out);
  int result = deflate(&stream, Z_FINISH);
  if (result == Z_OK && stream.avail_out == 0) {  // zlib says that it is done only where a byte is left
    std::byte spare{};
    stream.next_out = reinterpret_cast<Bytef*>(&spare);
    stream.avail_out = 1;
    result = deflate(&stream, Z_FINISH);
  }
  if (result != Z_STREAM_END || stream.total_out > out.size()) {
    return {Status::no_room, 0};
  }
  return {Status::ok, stream.total_out};
}

Outcome Deflate::decode(std::span<const std::byte> stream_bytes, std::span<std::byte> raw) {
  z_stream& stream = state_->in;
  inflateReset(&stream);
  std::byte none{};  // zlib wants a place to write to even for no data
  const auto out = raw.empty() ? std::span(&none, 1) : raw;
  point(stream, stream_bytes, out);
  const int result = inflate(&stream, Z_FINISH);
  const std::size_t at = stream.total_in;
  if (result == Z_STREAM_END) {
    if (stream.total_out != raw.size()) {
      return {stream.total_out < raw.size() ? Status::truncated : Status::no_room, at};
    }
    return at == stream_bytes.size() ? Outcome{Status::ok, at} : Outcome{Status::trailing, at};
  }
  if (result == Z_BUF_ERROR || result == Z_OK) {
    return {stream.avail_in == 0 ? Status::truncated : Status::no_room, at};
  }
  return {Status::deflate, at};
}

std::size_t Deflate::bound(std::size_t bytes) const { return deflateBound(&state_->out, bytes); }

}  // namespace wg::codec
