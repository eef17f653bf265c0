// The order in memory of the four axes of an activation map: images N, channels C, rows H, columns W.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace wg::codec {

/// Last letter varies fastest. nchw: Caffe, cuDNN; nhwc: TensorFlow; chwn: cuda-convnet, Neon. Values are
/// written into files: never renumber.
enum class Layout : std::uint8_t { nchw = 0, nhwc = 1, chwn = 2 };

inline constexpr std::array kLayouts{Layout::nchw, Layout::nhwc, Layout::chwn};

std::string_view name_of(Layout layout);
/// Throws wg::Error (usage) that lists the names when there is no such layout.
Layout layout_named(std::string_view name);

struct Shape4 {
  std::uint64_t n = 1, c = 1, h = 1, w = 1;
};

/// Copies `from`, in nchw, to `to` in `layout`. Both hold n*c*h*w elements of 1, 2, 4 or 8 bytes and do not
/// overlap.
void from_nchw(std::span<const std::byte> from, const Shape4& shape, std::size_t element, Layout layout,
               std::span<std::byte> to);
/// The inverse: `from` is in `layout`.
void to_nchw(std::span<const std::byte> from, const Shape4& shape, std::size_t element, Layout layout,
             std::span<std::byte> to);

}  // namespace wg::codec
