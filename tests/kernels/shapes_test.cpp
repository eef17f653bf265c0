// The seven shapes against the reference generator of synthetic traces.
#include <gtest/gtest.h>

#include "kernels/digest.hpp"

namespace wg::kernels {
namespace {

using testing::count;

TEST(Shapes, WarpInstructionsMatchThePublishedTable) {
  EXPECT_EQ(count("kernel:shape-vecadd?scale=0.5", 70).warp_instructions, 122'880U);
  EXPECT_EQ(count("kernel:shape-gemm?scale=0.5", 70).warp_instructions, 430'848U);
  EXPECT_EQ(count("kernel:shape-gemm?scale=0.5", 80).warp_instructions, 283'392U);
  EXPECT_EQ(count("kernel:shape-reduce?scale=0.5", 80).warp_instructions, 323'584U);
  EXPECT_EQ(count("kernel:shape-stencil?scale=0.5", 70).warp_instructions, 153'600U);
  EXPECT_EQ(count("kernel:shape-ffma?scale=0.5", 80).warp_instructions, 401'280U);
  EXPECT_EQ(count("kernel:shape-gather?scale=0.5", 80).warp_instructions, 48'000U);
  EXPECT_EQ(count("kernel:shape-chase?scale=0.05", 80).warp_instructions, 408U);
}

// Figures that the reference prints, and the digest of the trace it writes for the same arguments.
TEST(Shapes, RecordsMatchTheReference) {
  struct Case {
    const char* uri;
    std::uint32_t sm;
    std::uint64_t threads;
    std::uint64_t accesses;
    std::uint64_t digest;
    bool random;  // addresses differ: another generator
  };
  const Case cases[] = {
      {"kernel:shape-vecadd?scale=0.5", 70, 3'670'016, 24'576, 0x8e1bd293fe710125, false},
      {"kernel:shape-gemm?scale=0.5", 70, 13'737'984, 104'448, 0xe903f1bb109ddfa5, false},
      {"kernel:shape-gemm?scale=0.5", 80, 9'019'392, 104'448, 0x21132382525f0265, false},
      {"kernel:shape-reduce?scale=0.5", 80, 6'290'432, 118'784, 0x811c4634fca4d825, false},
      {"kernel:shape-stencil?scale=0.5", 70, 4'718'592, 36'864, 0x0c94998321caf4dd, false},
      {"kernel:shape-ffma?scale=0.5", 80, 12'718'080, 1'920, 0x9c842d62e25f8325, false},
      {"kernel:shape-gather?scale=0.5", 80, 1'474'560, 17'280, 0xa3a0dac53ee0af25, true},
      {"kernel:shape-chase?scale=0.05", 80, 592, 101, 0x8eb3b9289843a6f7, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.uri);
    const testing::Counts counts = count(c.uri, c.sm);
    EXPECT_EQ(counts.thread_instructions, c.threads);
    EXPECT_EQ(counts.accesses, c.accesses);
    const auto kernels = testing::kernels_of(open_builder(c.uri, c.sm));
    ASSERT_EQ(kernels.size(), 1U);
    EXPECT_EQ(testing::digest_of(*kernels[0], {.addresses = !c.random, .registers = false}), c.digest);
  }
}

TEST(Shapes, GemmRoundsHalfATileToEven) {
  // 12 * 0.125 = 1.5 and 12 * 0.375 = 4.5 tiles become 2 and 4, as in the reference.
  EXPECT_EQ(plan_of("kernel:shape-gemm?scale=0.125", 80).buffers[0].bytes, 1536U * 64 * 2);
  EXPECT_EQ(plan_of("kernel:shape-gemm?scale=0.375", 80).buffers[0].bytes, 1536U * 128 * 2);
}

}  // namespace
}  // namespace wg::kernels
