#include "codec/layout.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "codec/support.hpp"
#include "codec/zvc.hpp"

namespace wg::codec::test {
namespace {

Bytes permuted(const Bytes& from, const Shape4& shape, std::size_t element, Layout layout) {
  Bytes to(from.size());
  from_nchw(from, shape, element, layout, to);
  return to;
}

/// Place of (n, c, h, w) in a layout, from its name.
std::size_t place(const Shape4& s, Layout layout, std::size_t n, std::size_t c, std::size_t h,
                  std::size_t w) {
  std::size_t at = 0;
  for (const char axis : name_of(layout)) {
    const std::size_t length = axis == 'n' ? s.n : axis == 'c' ? s.c : axis == 'h' ? s.h : s.w;
    at = at * length + (axis == 'n' ? n : axis == 'c' ? c : axis == 'h' ? h : w);
  }
  return at;
}

TEST(LayoutTest, EveryElementIsInItsPlace) {
  const Shape4 s{3, 19, 5, 7};
  for (const std::size_t element : kElements) {
    Rng rng(element);
    const Bytes from = noise(s.n * s.c * s.h * s.w * element, rng);
    for (const Layout layout : kLayouts) {
      const Bytes to = permuted(from, s, element, layout);
      for (std::size_t n = 0; n < s.n; ++n) {
        for (std::size_t c = 0; c < s.c; ++c) {
          for (std::size_t h = 0; h < s.h; ++h) {
            for (std::size_t w = 0; w < s.w; ++w) {
              const auto* a = from.data() + place(s, Layout::nchw, n, c, h, w) * element;
              const auto* b = to.data() + place(s, layout, n, c, h, w) * element;
              ASSERT_TRUE(std::equal(a, a + element, b)) << name_of(layout);
            }
          }
        }
      }
    }
  }
}

TEST(LayoutTest, ThereAndBack) {
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    const Shape4 s{1 + rng.below(6), 1 + rng.below(40), 1 + rng.below(9), rng.below(9)};
    const std::size_t element = kElements[rng.below(4)];
    const Bytes from = noise(s.n * s.c * s.h * s.w * element, rng);
    for (const Layout layout : kLayouts) {
      Bytes back(from.size());
      to_nchw(permuted(from, s, element, layout), s, element, layout, back);
      ASSERT_EQ(back, from) << name_of(layout);
    }
  }
}

TEST(LayoutTest, ZvcSizeNeverDependsOnIt) {
  Rng rng(2);
  for (int i = 0; i < 40; ++i) {
    const Shape4 s{1 + rng.below(6), 1 + rng.below(40), 1 + rng.below(9), 1 + rng.below(9)};
    const std::size_t element = kElements[rng.below(4)];
    const Bytes from = sparse(s.n * s.c * s.h * s.w, element, 0.4, rng);
    for (const Layout layout : kLayouts) {
      EXPECT_EQ(zvc_size(permuted(from, s, element, layout), element), zvc_size(from, element));
    }
  }
}

TEST(LayoutTest, NamesAreUnderstood) {
  for (const Layout layout : kLayouts) {
    EXPECT_EQ(layout_named(name_of(layout)), layout);
  }
  EXPECT_THROW(layout_named("ncwh"), Error);
}

}  // namespace
}  // namespace wg::codec::test
