// The FFMA kernels equal the ones recorded on an H100.
#include <gtest/gtest.h>

#include <cstdlib>

#include "kernels/digest.hpp"

namespace wg::kernels {
namespace {

void expect_same(const std::string& recorded_folder, const std::string& uri) {
  SCOPED_TRACE(uri);
  const char* data = std::getenv("WG_DATA_DIR");
  const auto recorded =
      testing::kernels_of(trace::open_trace(std::string(data) + "/traces/h100/" + recorded_folder));
  const auto built = testing::kernels_of(open_builder(uri, 90));
  ASSERT_EQ(recorded.size(), 1U);
  ASSERT_EQ(built.size(), 1U);
  const trace::KernelHeader& theirs = recorded[0]->header();
  const trace::KernelHeader& ours = built[0]->header();
  EXPECT_EQ(ours.name, theirs.name);
  EXPECT_EQ(ours.grid, theirs.grid);
  EXPECT_EQ(ours.block, theirs.block);
  EXPECT_EQ(ours.registers, theirs.registers);
  EXPECT_EQ(ours.shared_bytes, theirs.shared_bytes);
  EXPECT_EQ(ours.binary_version, theirs.binary_version);
  EXPECT_EQ(ours.tracer_version, theirs.tracer_version);
  EXPECT_EQ(testing::digest_of(*built[0]), testing::digest_of(*recorded[0]));
}

TEST(FfmaKernel, EqualsTheRecordedTraces) {
  if (std::getenv("WG_DATA_DIR") == nullptr) {
    GTEST_SKIP() << "WG_DATA_DIR is not set";
  }
  expect_same("simtune-ffmakernel-1-32-10", "kernel:ffmakernel");
  expect_same("simtune-ffmakernel-1-32-20", "kernel:ffmakernel?iterations=20");
  expect_same("simtune-ffmakernel-1-32-30", "kernel:ffmakernel?iterations=30");
  expect_same("simtune-ffmakernel-4096-16", "kernel:ffmakernel?variant=straight&grid=4096&block=16");
}

TEST(FfmaKernel, HasTheRecordedNumberOfInstructions) {
  EXPECT_EQ(testing::count("kernel:ffmakernel", 90).warp_instructions, 1'328U);
  EXPECT_EQ(testing::count("kernel:ffmakernel?iterations=20", 90).warp_instructions, 2'648U);
  const testing::Counts straight =
      testing::count("kernel:ffmakernel?variant=straight&grid=4096&block=16", 90);
  EXPECT_EQ(straight.warp_instructions, 25U * 4096);
  EXPECT_EQ(straight.thread_instructions, 25U * 4096 * 16);
}

}  // namespace
}  // namespace wg::kernels
