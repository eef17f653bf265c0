// How well arrays compress: sizes, ratios and the spread over windows, for every codec in every layout.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/tensor_file.hpp"

namespace wg::codec {

/// Windows by compressed size in sixteenths of the window's data: bin i holds those of at least i/16 and less
/// than (i+1)/16; the last bin those that do not shrink.
using WindowHistogram = std::array<std::uint64_t, 17>;

struct CodecFigures {
  CodecId codec = CodecId::zvc;
  Layout layout = Layout::nchw;
  std::uint64_t payload_bytes = 0;  ///< sum over windows as the codec makes them: the papers' compressed size
  std::uint64_t framed_bytes = 0;   ///< a container without meta data: header, index, windows at most raw
  std::uint64_t raw_windows = 0;    ///< stored as they are, because they do not shrink
  WindowHistogram histogram{};
};

struct MapFigures {
  std::string name;
  NpyHeader header;
  std::size_t window = kDefaultWindow;
  std::uint64_t raw_bytes = 0;
  std::uint64_t windows = 0;
  std::uint64_t nonzeros = 0;  ///< elements with any bit set
  std::vector<CodecFigures> codecs;

  /// nonzeros / elements; 0 for an empty array.
  [[nodiscard]] double density() const;
};

/// raw / compressed; 1 where both are 0.
double ratio(std::uint64_t raw_bytes, std::uint64_t compressed_bytes);

struct MeasureSpec {
  std::vector<CodecId> codecs;  ///< empty: all
  std::vector<Layout> layouts;  ///< empty: all that the array has
  std::size_t window = kDefaultWindow;
};

/// Compresses bytes window by window without keeping the result.
CodecFigures measure(std::span<const std::byte> data, const FrameSpec& spec);

/// `name` is for messages and the result. Throws wg::Error when `npy` is no array or a layout asked for needs
/// four axes that it lacks.
MapFigures measure_npy(std::span<const std::byte> npy, const std::string& name, const MeasureSpec& spec);

}  // namespace wg::codec
