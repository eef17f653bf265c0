#include "codec/tensor_file.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "codec/zvc.hpp"

namespace wg::codec {
namespace {

// Meta data of the container: this tag, the layout, then all of the .npy file that comes before its data.
constexpr std::string_view kTag = "npy1";
constexpr std::size_t kPreambleAt = kTag.size() + 1;

}  // namespace

Shape4 axes_of(const NpyHeader& header, const std::string& name) {
  if (header.shape.size() != 4 || header.fortran_order) {
    throw Error(
        {.where = name,
         .expected = "an array of four axes (N, C, H, W) in C order",
         .found = header.fortran_order ? "Fortran order" : std::to_string(header.shape.size()) + " axes",
         .advice = "layout nchw takes the data as they are stored"});
  }
  return {header.shape[0], header.shape[1], header.shape[2], header.shape[3]};
}

std::vector<std::byte> data_in_layout(const NpyArray& array, Layout layout, const std::string& name) {
  const std::size_t element = array.header.element_bytes();
  if (!valid_element(element)) {
    throw Error({.where = name,
                 .expected = "elements of 1, 2, 4 or 8 bytes",
                 .found = "'" + array.header.descr + "'"});
  }
  if (layout == Layout::nchw) {
    return {array.data.begin(), array.data.end()};
  }
  std::vector<std::byte> data(array.data.size());
  from_nchw(array.data, axes_of(array.header, name), element, layout, data);
  return data;
}

std::vector<std::byte> compress_npy(std::span<const std::byte> npy, const std::string& name,
                                    const TensorSpec& spec) {
  const NpyArray array = read_npy(npy, name);
  const std::vector<std::byte> data = data_in_layout(array, spec.layout, name);
  std::vector<std::byte> meta(kPreambleAt + array.preamble.size());
  std::memcpy(meta.data(), kTag.data(), kTag.size());
  meta[kTag.size()] = static_cast<std::byte>(spec.layout);
  std::copy(array.preamble.begin(), array.preamble.end(), meta.begin() + kPreambleAt);
  return FrameEncoder({spec.codec, array.header.element_bytes(), spec.window}).encode(data, meta);
}

std::vector<std::byte> decompress_npy(std::span<const std::byte> file, const std::string& name) {
  FrameReader reader(file, name);
  const auto meta = reader.meta();
  if (meta.size() < kPreambleAt || std::memcmp(meta.data(), kTag.data(), kTag.size()) != 0 ||
      std::to_integer<std::size_t>(meta[kTag.size()]) >= kLayouts.size()) {
    throw Error({.where = name + '@' + std::to_string(kFrameHeader),
                 .expected = "a container with a .npy array in a known layout",
                 .found = "other meta data"});
  }
  const Layout layout = kLayouts[std::to_integer<std::size_t>(meta[kTag.size()])];
  const auto preamble = meta.subspan(kPreambleAt);
  std::vector<std::byte> npy(preamble.size() + reader.sizes().raw);
  std::copy(preamble.begin(), preamble.end(), npy.begin());
  const auto data = std::span(npy).subspan(preamble.size());
  const NpyHeader header = read_npy(npy, name + " (the array inside)").header;
  if (header.element_bytes() != reader.spec().element) {
    throw Error({.where = name + "@9",
                 .expected = std::to_string(header.element_bytes()) + "-byte elements, as the array inside",
                 .found = std::to_string(reader.spec().element)});
  }
  if (layout == Layout::nchw) {
    reader.decode(data);
  } else {
    to_nchw(reader.decode(), axes_of(header, name), reader.spec().element, layout, data);
  }
  return npy;
}

}  // namespace wg::codec
