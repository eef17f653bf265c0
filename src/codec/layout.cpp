#include "codec/layout.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "codec/bytes.hpp"

namespace wg::codec {
namespace {

constexpr std::array<std::string_view, 3> kNames{"nchw", "nhwc", "chwn"};
constexpr std::size_t kTile = 16;  // 16 x 16 elements of 8 bytes are 2 KiB on either side

/// Both permutations swap two groups of axes: (rows, columns) -> (columns, rows), `batch` times.
struct Transpose {
  std::size_t batch, rows, columns;
};

Transpose transpose_of(const Shape4& s, Layout layout) {
  if (layout == Layout::nhwc) {
    return {s.n, s.c, s.h * s.w};
  }
  return {1, s.n, s.c * s.h * s.w};
}

template <class T>
void transpose(const std::byte* from, std::byte* to, std::size_t rows, std::size_t columns) {
  for (std::size_t r0 = 0; r0 < rows; r0 += kTile) {
    for (std::size_t c0 = 0; c0 < columns; c0 += kTile) {
      const std::size_t r1 = std::min(rows, r0 + kTile);
      const std::size_t c1 = std::min(columns, c0 + kTile);
      for (std::size_t r = r0; r < r1; ++r) {
        for (std::size_t c = c0; c < c1; ++c) {
          store(to + (c * rows + r) * sizeof(T), load<T>(from + (r * columns + c) * sizeof(T)));
        }
      }
    }
  }
}

void transpose(std::span<const std::byte> from, std::span<std::byte> to, const Transpose& t,
               std::size_t element) {
  const std::size_t bytes = t.rows * t.columns * element;
  assert(from.size() == t.batch * bytes && to.size() == from.size());
  for (std::size_t i = 0; i < t.batch; ++i) {
    const std::byte* a = from.data() + i * bytes;
    std::byte* b = to.data() + i * bytes;
    switch (element) {
      case 1:
        transpose<std::uint8_t>(a, b, t.rows, t.columns);
        break;
      case 2:
        transpose<std::uint16_t>(a, b, t.rows, t.columns);
        break;
      case 4:
        transpose<std::uint32_t>(a, b, t.rows, t.columns);
        break;
      default:
        transpose<std::uint64_t>(a, b, t.rows, t.columns);
    }
  }
}

void copy(std::span<const std::byte> from, std::span<std::byte> to) {
  assert(from.size() == to.size());
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace

std::string_view name_of(Layout layout) { return kNames[static_cast<std::size_t>(layout)]; }

Layout layout_named(std::string_view name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    throw Error({.where = "layout", .expected = "nchw, nhwc or chwn", .found = '"' + std::string(name) + '"'},
                ExitCode::usage);
  }
  return kLayouts[static_cast<std::size_t>(found - kNames.begin())];
}

void from_nchw(std::span<const std::byte> from, const Shape4& shape, std::size_t element, Layout layout,
               std::span<std::byte> to) {
  if (layout == Layout::nchw) {
    copy(from, to);
    return;
  }
  transpose(from, to, transpose_of(shape, layout), element);
}

void to_nchw(std::span<const std::byte> from, const Shape4& shape, std::size_t element, Layout layout,
             std::span<std::byte> to) {
  if (layout == Layout::nchw) {
    copy(from, to);
    return;
  }
  Transpose t = transpose_of(shape, layout);
  std::swap(t.rows, t.columns);
  transpose(from, to, t, element);
}

}  // namespace wg::codec
