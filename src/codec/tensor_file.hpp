// A .npy array in a container: compressed in the layout of choice, expanded to the same bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/npy.hpp"
#include "codec/frame.hpp"
#include "codec/layout.hpp"

namespace wg::codec {

struct TensorSpec {
  CodecId codec = CodecId::zvc;
  Layout layout = Layout::nchw;
  std::size_t window = kDefaultWindow;
};

/// The array's four axes. Throws wg::Error unless it has four, in C order, which are taken as N, C, H, W.
Shape4 axes_of(const NpyHeader& header, const std::string& name);

/// The data of an array in `layout`; nchw is as stored, whatever the axes. Throws wg::Error as axes_of, and
/// for elements of other than 1, 2, 4 or 8 bytes.
std::vector<std::byte> data_in_layout(const NpyArray& array, Layout layout, const std::string& name);

/// Throws wg::Error when `npy` is no array or has no such layout. `name` is for messages.
std::vector<std::byte> compress_npy(std::span<const std::byte> npy, const std::string& name,
                                    const TensorSpec& spec);

/// The file that was compressed, byte for byte. Throws wg::Error when `file` is damaged or holds no array.
std::vector<std::byte> decompress_npy(std::span<const std::byte> file, const std::string& name);

}  // namespace wg::codec
