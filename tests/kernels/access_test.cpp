// Which memory the kernels touch: all of it, each byte as often as it should be.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/walk.hpp"

namespace wg::kernels {
namespace {

/// How often each address of a buffer is accessed by instructions of class `cls`.
std::map<std::uint64_t, std::uint64_t> touches(const std::string& uri, std::uint32_t sm,
                                               std::string_view buffer, isa::InstClass cls) {
  const Plan plan = plan_of(uri, sm);
  const auto found = std::ranges::find(plan.buffers, buffer, &Buffer::name);
  EXPECT_NE(found, plan.buffers.end());
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const auto& kernel : testing::kernels_of(open_builder(uri, sm))) {
    testing::for_each_cta(*kernel, [&](const trace::CtaTrace& cta, const trace::CtaDecoder& decoder) {
      for (const trace::DynInst& inst : cta.insts) {
        const isa::StaticInst& fixed = decoder.instructions()[inst.inst];
        if (fixed.cls != cls || fixed.space == isa::Space::shared) {
          continue;
        }
        const trace::AddressForm form = cta.form(inst);
        for (std::uint32_t lane = 0; lane < static_cast<std::uint32_t>(std::popcount(inst.mask)); ++lane) {
          for (std::uint64_t byte = 0; byte < fixed.width; byte += 4) {
            const std::uint64_t address = form.at(lane) + byte;
            if (address >= found->address && address < found->end()) {
              ++counts[address - found->address];
            }
          }
        }
      }
    });
  }
  return counts;
}

/// Every word of [0, bytes) exactly `times`.
void expect_each_word(const std::map<std::uint64_t, std::uint64_t>& counts, std::uint64_t bytes,
                      std::uint64_t times) {
  EXPECT_EQ(counts.size(), bytes / 4);
  for (const auto& [address, count] : counts) {
    ASSERT_EQ(count, times) << address;
  }
}

TEST(Access, VecaddTouchesEachElementOnceAndLeavesTheTailOut) {
  for (const char* name : {"a", "b"}) {
    expect_each_word(touches("kernel:vecadd?n=1000", 80, name, isa::InstClass::load), 4000, 1);
  }
  expect_each_word(touches("kernel:vecadd?n=1000", 80, "c", isa::InstClass::store), 4000, 1);
}

TEST(Access, TransposeWritesEachElementOnce) {
  for (const char* variant : {"naive", "shared", "padded", "copy"}) {
    const std::string uri = std::string("kernel:transpose?n=70&variant=") + variant;
    expect_each_word(touches(uri, 80, "in", isa::InstClass::load), 70 * 70 * 4, 1);
    expect_each_word(touches(uri, 80, "out", isa::InstClass::store), 70 * 70 * 4, 1);
    expect_each_word(touches(uri + "&tile=16", 80, "in", isa::InstClass::load), 70 * 70 * 4, 1);
    expect_each_word(touches(uri + "&tile=16", 80, "out", isa::InstClass::store), 70 * 70 * 4, 1);
  }
}

TEST(Access, GemmReadsItsInputsOncePerTileAndWritesTheResultOnce) {
  // 100 x 72 is two by two tiles of 64.
  const std::string floats = "kernel:gemm?m=100&n=72&k=20";
  expect_each_word(touches(floats, 61, "a", isa::InstClass::load), 100 * 20 * 4, 2);
  expect_each_word(touches(floats, 61, "b", isa::InstClass::load), 20 * 72 * 4, 2);
  expect_each_word(touches(floats, 61, "c", isa::InstClass::store), 100 * 72 * 4, 1);
  const std::string halves = "kernel:gemm?type=f16&m=200&n=264&k=72";
  expect_each_word(touches(halves, 75, "a", isa::InstClass::load), 200 * 72 * 2, 3);
  expect_each_word(touches(halves, 75, "c", isa::InstClass::store), 200 * 264 * 4, 1);
  expect_each_word(touches(halves + "&copy=async", 80, "b", isa::InstClass::ldgsts), 72 * 264 * 2, 2);
}

TEST(Access, ReduceReadsEachElementOnce) {
  expect_each_word(touches("kernel:reduce?n=1300", 80, "in", isa::InstClass::load), 5200, 1);
}

TEST(Access, StencilWritesTheInnerPointsOnce) {
  const auto counts = touches("kernel:stencil?nx=50&ny=21", 80, "out", isa::InstClass::store);
  EXPECT_EQ(counts.size(), 48U * 19);
  for (std::uint64_t y = 1; y < 20; ++y) {
    for (std::uint64_t x = 1; x < 49; ++x) {
      ASSERT_EQ(counts.count((y * 50 + x) * 4), 1U);
    }
  }
}

TEST(Access, FillWritesEachElementOnce) {
  expect_each_word(touches("kernel:fill?n=40000", 70, "out", isa::InstClass::store), 160'000, 1);
}

TEST(Access, ScalarProductReadsEachElementOnceAndWritesEachResultOnce) {
  for (const char* elements : {"2048", "6144"}) {  // short and unrolled loops
    const std::string uri = std::string("kernel:scalarprod?vectors=150&elements=") + elements;
    const std::uint64_t bytes = 150 * std::stoull(elements) * 4;
    expect_each_word(touches(uri, 90, "a", isa::InstClass::load), bytes, 1);
    expect_each_word(touches(uri, 90, "b", isa::InstClass::load), bytes, 1);
    expect_each_word(touches(uri, 90, "c", isa::InstClass::store), 600, 1);
  }
}

TEST(Access, WalshReadsAndWritesEachElementOnceAStep) {
  // 2^13 elements: one step in memory, the rest in shared memory.
  expect_each_word(touches("kernel:walsh?log2n=13", 90, "data", isa::InstClass::load), 1 << 15, 2);
  expect_each_word(touches("kernel:walsh?log2n=13", 90, "data", isa::InstClass::store), 1 << 15, 2);
}

TEST(Access, HistogramReadsEachByteOnceAndWritesABinAThread) {
  expect_each_word(touches("kernel:histogram?bytes=40000", 70, "in", isa::InstClass::load), 40'000, 1);
  expect_each_word(touches("kernel:histogram?bytes=40000", 70, "out", isa::InstClass::store), 3 * 256, 1);
}

TEST(Access, PolybenchProductsReadRowsAndColumnsOnceAnElement) {
  for (const char* block : {"8", "16", "32"}) {
    const std::string uri = std::string("kernel:polybench?kernel=gemm&n=20&block=") + block;
    expect_each_word(touches(uri, 90, "a", isa::InstClass::load), 20 * 20 * 4, 20);
    expect_each_word(touches(uri, 90, "b", isa::InstClass::load), 20 * 20 * 4, 20);
    expect_each_word(touches(uri, 90, "c", isa::InstClass::store), 20 * 20 * 4, 21);
  }
}

TEST(Access, PolybenchMatrixTimesVectorReadsTheMatrixByRowsAndByColumns) {
  expect_each_word(touches("kernel:polybench?kernel=mvt&n=42", 90, "a", isa::InstClass::load), 42 * 42 * 4,
                   2);
  expect_each_word(touches("kernel:polybench?kernel=gesummv&n=42", 90, "b", isa::InstClass::load),
                   42 * 42 * 4, 1);
}

TEST(Access, PolybenchConvolutionWritesTheInnerPointsOnce) {
  const auto counts =
      touches("kernel:polybench?kernel=2dconv&n=50&block=16", 90, "out", isa::InstClass::store);
  EXPECT_EQ(counts.size(), 48U * 48);
  EXPECT_TRUE(std::ranges::all_of(counts, [](const auto& count) { return count.second == 1; }));
}

TEST(Access, BackpropTouchesEachWeightThatIsNoBias) {
  const auto once = touches("kernel:backprop?n=64", 70, "old", isa::InstClass::store);
  EXPECT_EQ(once.size(), 64U * 16);
  for (std::uint64_t input = 1; input <= 64; ++input) {
    EXPECT_FALSE(once.contains(input * 17 * 4));
    EXPECT_TRUE(once.contains((input * 17 + 16) * 4));
  }
  expect_each_word(touches("kernel:backprop?n=64", 70, "sums", isa::InstClass::store), 64 * 4, 1);
}

TEST(Access, HotspotWritesEachPointOnce) {
  const auto counts = touches("kernel:hotspot?n=40", 70, "out", isa::InstClass::store);
  EXPECT_EQ(counts.size(), 40U * 40);
  EXPECT_TRUE(std::ranges::all_of(counts, [](const auto& count) { return count.second == 1; }));
}

TEST(Access, BandwidthFromDramReadsEachByteOnce) {
  const std::string uri = "kernel:bandwidth?ctas=4&warps=2&width=8&iterations=3";
  expect_each_word(touches(uri, 80, "data", isa::InstClass::load), 4ULL * 2 * 32 * 8 * 24, 1);
}

TEST(Access, ChaseWarmsUpItsWholeFootprint) {
  const auto counts =
      touches("kernel:chase?level=l1&footprint=5k&stride=64&iterations=1", 80, "list", isa::InstClass::load);
  for (std::uint64_t element = 0; element < 80; ++element) {
    EXPECT_GE(counts.contains(element * 64) ? counts.at(element * 64) : 0, 1U) << element;
  }
}

TEST(Access, ChaseInStrideOrderGoesRound) {
  const auto counts =
      touches("kernel:chase?level=l1&order=stride&warmup=no&footprint=1k&unroll=16&iterations=2", 80, "list",
              isa::InstClass::load);
  ASSERT_EQ(counts.size(), 16U);  // eight elements of two words
  for (const auto& [address, count] : counts) {
    EXPECT_EQ(count, 4U) << address;
  }
}

}  // namespace
}  // namespace wg::kernels
