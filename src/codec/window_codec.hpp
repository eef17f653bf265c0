// One window of data through a codec that is chosen by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "codec/outcome.hpp"
#include "codec/simd.hpp"

namespace wg::codec {

/// Values are written into files: never renumber.
enum class CodecId : std::uint8_t { zvc = 0, rle16 = 1, rle8 = 2, rle_val = 3, rle_zero = 4, deflate = 5 };

/// The window of the cDMA paper's RLE and zlib study, in bytes.
inline constexpr std::size_t kDefaultWindow = 4096;

/// Compresses and expands windows. It may hold scratch memory: one thread at a time, no allocation per call.
class WindowCodec {
 public:
  virtual ~WindowCodec() = default;
  /// The most that encode writes for `bytes` bytes.
  [[nodiscard]] virtual std::size_t bound(std::size_t bytes) const = 0;
  virtual Outcome encode(std::span<const std::byte> raw, std::span<std::byte> out) = 0;
  /// The stream is the first `stream_bytes` of `readable`; what follows may be read but does not matter.
  virtual Outcome decode(std::span<const std::byte> readable, std::size_t stream_bytes,
                         std::span<std::byte> raw) = 0;
};

struct CodecInfo {
  CodecId id;
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<WindowCodec> (*make)(std::size_t element, Simd simd);
};

/// All codecs, in the order of their numbers.
std::span<const CodecInfo> codecs();
const CodecInfo& info(CodecId id);
/// Throws wg::Error (usage) that lists the names when there is no such codec.
CodecId codec_named(std::string_view name);

/// Throws wg::Error (usage) for an element size other than 1, 2, 4, 8.
std::unique_ptr<WindowCodec> make_codec(CodecId id, std::size_t element, Simd simd = best_simd());

}  // namespace wg::codec
