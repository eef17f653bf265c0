#include "codec/measure.hpp"

#include <algorithm>

#include "codec/zvc.hpp"

namespace wg::codec {
namespace {

std::vector<CodecId> chosen_codecs(const MeasureSpec& spec) {
  std::vector<CodecId> ids = spec.codecs;
  if (ids.empty()) {
    for (const CodecInfo& codec : codecs()) {
      ids.push_back(codec.id);
    }
  }
  return ids;
}

std::vector<Layout> chosen_layouts(const MeasureSpec& spec, const NpyHeader& header) {
  if (!spec.layouts.empty()) {
    return spec.layouts;
  }
  const bool all = header.shape.size() == 4 && !header.fortran_order;
  return {kLayouts.begin(), all ? kLayouts.end() : kLayouts.begin() + 1};
}

}  // namespace

double MapFigures::density() const {
  const std::uint64_t elements = header.elements();
  return elements == 0 ? 0.0 : static_cast<double>(nonzeros) / static_cast<double>(elements);
}

double ratio(std::uint64_t raw_bytes, std::uint64_t compressed_bytes) {
  return compressed_bytes == 0 ? 1.0 : static_cast<double>(raw_bytes) / static_cast<double>(compressed_bytes);
}

CodecFigures measure(std::span<const std::byte> data, const FrameSpec& spec) {
  require_valid_window(spec.window);
  const auto codec = make_codec(spec.codec, spec.element);
  std::vector<std::byte> scratch(codec->bound(spec.window) + 64);
  CodecFigures figures{.codec = spec.codec};
  std::uint64_t windows = 0;
  for (std::size_t at = 0; at < data.size(); at += spec.window, ++windows) {
    const auto window = data.subspan(at, std::min(spec.window, data.size() - at));
    const std::size_t size = codec->encode(window, scratch).bytes;
    const std::size_t bins = figures.histogram.size() - 1;
    figures.payload_bytes += size;
    figures.framed_bytes += std::min(size, window.size());
    figures.raw_windows += size >= window.size() ? 1U : 0U;
    ++figures.histogram[std::min(bins, size * bins / window.size())];
  }
  figures.framed_bytes += kFrameHeader + windows * index_entry(spec, data.size());
  return figures;
}

MapFigures measure_npy(std::span<const std::byte> npy, const std::string& name, const MeasureSpec& spec) {
  const NpyArray array = read_npy(npy, name);
  const std::size_t element = array.header.element_bytes();
  require_valid_window(spec.window);
  MapFigures map;
  map.name = name;
  map.header = array.header;
  map.window = spec.window;
  map.raw_bytes = array.data.size();
  map.windows = (map.raw_bytes + spec.window - 1) / spec.window;
  for (const Layout layout : chosen_layouts(spec, array.header)) {
    const std::vector<std::byte> data = data_in_layout(array, layout, name);
    map.nonzeros = count_nonzero(data, element);
    for (const CodecId codec : chosen_codecs(spec)) {
      map.codecs.push_back(measure(data, {codec, element, spec.window}));
      map.codecs.back().layout = layout;
    }
  }
  return map;
}

}  // namespace wg::codec
