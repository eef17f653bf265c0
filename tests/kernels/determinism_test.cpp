// Two decoders give the same records, whatever the order of the CTAs.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/rng.hpp"
#include "kernels/walk.hpp"

namespace wg::kernels {
namespace {

bool same(const trace::CtaTrace& a, const trace::CtaTrace& b) {
  const auto inst = [](const trace::DynInst& x, const trace::DynInst& y) {
    return x.inst == y.inst && x.mask == y.mask && x.address == y.address;
  };
  const auto warp = [](const trace::WarpTrace& x, const trace::WarpTrace& y) {
    return x.warp == y.warp && x.first == y.first && x.count == y.count;
  };
  return a.index == b.index && std::ranges::equal(a.insts, b.insts, inst) &&
         std::ranges::equal(a.warps, b.warps, warp) && a.addresses == b.addresses;
}

TEST(Determinism, OrderOfCtasDoesNotMatter) {
  for (const Entry& entry : catalogue()) {
    SCOPED_TRACE(entry.name);
    for (const auto& kernel : testing::kernels_of(open_builder(testing::small_uri(entry), 80))) {
      const std::uint64_t count = std::min<std::uint64_t>(kernel->header().grid.count(), 16);
      std::vector<std::uint64_t> order(count);
      std::iota(order.begin(), order.end(), 0U);
      Rng rng(7);
      for (std::uint64_t i = count; i > 1; --i) {
        std::swap(order[i - 1], order[rng.below(i)]);
      }
      const auto forward = kernel->decoder();
      const auto shuffled = kernel->decoder();
      std::vector<trace::CtaTrace> traces(count);
      trace::CtaBlob blob;
      trace::CtaTrace cta;
      for (std::uint64_t number = 0; number < count; ++number) {
        blob.number = number;
        forward->decode(blob, traces[number]);
      }
      for (const std::uint64_t number : order) {
        blob.number = number;
        shuffled->decode(blob, cta);
        EXPECT_TRUE(same(cta, traces[number])) << number;
      }
      ASSERT_EQ(forward->instructions().size(), shuffled->instructions().size());
      for (std::uint32_t i = 0; i < forward->instructions().size(); ++i) {
        EXPECT_EQ(forward->instructions()[i].pc, shuffled->instructions()[i].pc);
        EXPECT_EQ(forward->mnemonic(i), shuffled->mnemonic(i));
      }
    }
  }
}

TEST(Determinism, CtasComeInIssueOrderWithTheirIndex) {
  const auto kernels = testing::kernels_of(open_builder("kernel:stencil?nx=66&ny=26", 80));
  const auto source = kernels.at(0)->open();
  const auto decoder = kernels.at(0)->decoder();
  trace::CtaBlob blob;
  trace::CtaTrace cta;
  for (std::uint32_t y = 0; y < 3; ++y) {
    for (std::uint32_t x = 0; x < 2; ++x) {
      ASSERT_TRUE(source->next(blob));
      EXPECT_TRUE(blob.text.empty());
      decoder->decode(blob, cta);
      EXPECT_EQ(cta.index, (trace::Dim3{x, y, 0}));
    }
  }
  EXPECT_FALSE(source->next(blob));
}

}  // namespace
}  // namespace wg::kernels
