// What the lines of a copy compress to: from a ratio, a density, or real bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/units.hpp"
#include "codec/window_codec.hpp"

namespace wg::host::cdma {

/// One line after compression.
struct Line {
  std::uint32_t bytes = 0;
  std::span<const std::byte> payload{};  ///< `bytes` of them, or none where only sizes are known
};

/// Gives the lines of one copy in order; a call for each line, no more.
class LineSource {
 public:
  virtual ~LineSource() = default;
  /// The payload stays valid until the next call.
  virtual Line next() = 0;
};

/// Every line alike: line / ratio bytes, rounded so that the sum is never off by more than a byte. `ratio` >
/// 0.
std::unique_ptr<LineSource> constant_lines(Bytes line, double ratio);

/// ZVC of elements of `element` bytes that are non-zero independently with probability `density` in [0, 1].
/// The same seed gives the same lines.
std::unique_ptr<LineSource> density_lines(Bytes line, std::size_t element, double density,
                                          std::uint64_t seed);

/// Real data: ZVC line by line, whose bytes are those of the whole stream cut up; other codecs in windows,
/// whose size is spread over their lines. `line` holds whole blocks of 32 elements for ZVC; `window` is a
/// multiple of `line`. Throws wg::Error for an element size other than 1, 2, 4, 8. `data` must outlive it.
std::unique_ptr<LineSource> data_lines(std::span<const std::byte> data, Bytes line, codec::CodecId codec,
                                       std::size_t element, std::size_t window = codec::kDefaultWindow);

/// ZVC of `element`-byte values: the density at which the ratio is `ratio`, cut to [0, 1].
double zvc_density(double ratio, std::size_t element);
/// 1 / (density + 1 / (8 element)).
double zvc_ratio(double density, std::size_t element);

/// Finds the lines in a ZVC stream as the copy engine does when it prefetches: reads a mask, counts its bits,
/// goes to the next. Lines hold whole blocks.
class ZvcParser {
 public:
  /// `raw` bytes in all, in elements of `element` bytes and lines of `line`.
  ZvcParser(std::span<const std::byte> stream, Bytes raw, std::size_t element, Bytes line);
  [[nodiscard]] bool done() const { return left_ == 0; }
  /// The next line's bytes, empty when the stream ends too early.
  std::span<const std::byte> next();

 private:
  std::span<const std::byte> stream_;
  std::uint64_t left_;  ///< raw bytes
  std::size_t element_;
  std::uint64_t line_;
};

}  // namespace wg::host::cdma
