// Any bytes as a stream, a container, an array, or data to compress. The first three bytes choose.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "codec/bytes.hpp"
#include "codec/frame_header.hpp"
#include "codec/tensor_file.hpp"

namespace {

using namespace wg::codec;
using Bytes = std::vector<std::byte>;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// Compresses and expands in memory of the exact size; all instruction sets agree.
void round_trip(CodecId id, std::size_t element, const Bytes& raw) {
  Bytes first;
  for (const Simd simd : available_simd()) {
    const auto codec = make_codec(id, element, simd);
    Bytes stream(codec->bound(raw.size()));
    const Outcome outcome = codec->encode(raw, stream);
    require(outcome.ok());
    stream.resize(outcome.bytes);
    stream.shrink_to_fit();
    require(codec->encode(raw, stream) == outcome);
    require(simd == Simd::scalar || stream == first);
    first = stream;
    Bytes back(raw.size());
    require(codec->decode(stream, stream.size(), back).ok() && back == raw);
  }
}

/// All instruction sets take the stream for the same data, or refuse it.
void decode(CodecId id, std::size_t element, const Bytes& stream, std::size_t raw_bytes) {
  Bytes first(raw_bytes);
  const Outcome expected = make_codec(id, element, Simd::scalar)->decode(stream, stream.size(), first);
  for (const Simd simd : available_simd()) {
    Bytes raw(raw_bytes);
    const Outcome outcome = make_codec(id, element, simd)->decode(stream, stream.size(), raw);
    require(outcome.ok() == expected.ok() && outcome.bytes <= stream.size());
    require(!outcome.ok() || raw == first);
  }
}

/// A container whose check of header and index is right, so that what lies behind it is reached.
Bytes with_check(Bytes file) {
  if (file.size() >= kFrameHeader) {
    std::memcpy(file.data(), "WGFRAME1", 8);
    const FrameSpec spec{CodecId::zvc, 4, std::max<std::size_t>(load<std::uint32_t>(file.data() + 12), 1)};
    const std::size_t raw = load<std::uint64_t>(file.data() + 16) & 0xFFFFF;
    store(file.data() + 16, static_cast<std::uint64_t>(raw));
    const std::size_t index = detail::window_count(raw, spec.window) * load<std::uint8_t>(file.data() + 10);
    const std::size_t front = kFrameHeader + load<std::uint32_t>(file.data() + 40) + index;
    if (front <= file.size()) {
      store(file.data() + 24, static_cast<std::uint64_t>(file.size() - front));
      store(file.data() + 44, detail::header_check(std::span(file).first(front)));
    }
  }
  return file;
}

void read_container(const Bytes& file) {
  try {
    static_cast<void>(decompress_npy(file, "fuzz"));
  } catch (const wg::Error&) {
  }
  try {
    FrameReader(file, "fuzz").decode();
  } catch (const wg::Error& error) {
    require(*error.what() != '\0');
  }
}

void read_array(const Bytes& file) {
  try {
    for (const Layout layout : kLayouts) {
      const Bytes packed = compress_npy(file, "fuzz", {CodecId::zvc, layout, 256});
      require(decompress_npy(packed, "packed") == file);
    }
  } catch (const wg::Error& error) {
    require(*error.what() != '\0');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) {
    return 0;
  }
  const CodecId id = codecs()[data[1] % codecs().size()].id;
  const std::size_t element = std::size_t{1} << (data[2] & 3);
  const auto* begin = reinterpret_cast<const std::byte*>(data + 3);
  const Bytes rest(begin, begin + (size - 3));
  switch (data[0] % 5) {
    case 0:
      round_trip(id, element, rest);
      break;
    case 1:
      decode(id, element, rest, std::size_t{data[2]} * 16 + data[0]);
      break;
    case 2:
      read_container(rest);
      break;
    case 3:
      read_container(with_check(rest));
      break;
    default:
      read_array(rest);
  }
  return 0;
}
