// How many CTAs fit on an SM: each limit in turn, and what is said when not even one fits.
#include "dispatch/occupancy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace wg::dispatch {
namespace {

class OccupancyTest : public testing::Test {
 protected:
  OccupancyTest() {
    machine.name = std::string("test");
    machine.sm.count = 2;
    machine.sm.max_warps = 64;
    machine.sm.max_ctas = 32;
    machine.sm.max_threads = 2048;
    machine.sm.registers = 65'536;
    machine.sm.register_granule = 256;
    machine.sm.warp_granule = 4;
    machine.shared = {.per_sm = Bytes{96 * 1024},
                      .per_cta = Bytes{64 * 1024},
                      .reserved_per_cta = Bytes{1024},
                      .granule = Bytes{256}};
    machine.l1.unified = Bytes{128 * 1024};
    kernel.name = std::string("kernel");
    kernel.id = 3;
    kernel.grid = {1000, 1, 1};
    kernel.block = {128, 1, 1};
    kernel.registers = 16;
  }
  void expect(std::uint32_t ctas, std::string_view limit) {
    const Fit result = fit(machine, kernel);
    EXPECT_EQ(result.ctas, ctas);
    EXPECT_EQ(result.limited_by, limit);
    EXPECT_EQ(result.warps, ctas * kernel.warps_per_cta());
  }
  void expect_error(const char* text) {
    try {
      fit(machine, kernel);
      FAIL() << "fits";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(text));
      EXPECT_THAT(error.what(), testing::HasSubstr("kernel 3 (kernel)"));
      EXPECT_EQ(error.code(), ExitCode::bad_input);
    }
  }

  config::Machine machine;
  trace::KernelHeader kernel;
};

TEST_F(OccupancyTest, Warps) { expect(16, "warps"); }

TEST_F(OccupancyTest, PartOfAWarpIsAWarp) {
  kernel.block = {33, 1, 1};
  machine.sm.max_ctas = 64;
  machine.sm.max_threads = 8192;
  expect(32, "warps");
}

TEST_F(OccupancyTest, CtaSlots) {
  kernel.block = {32, 1, 1};
  expect(32, "CTA slots");
}

TEST_F(OccupancyTest, Threads) {
  machine.sm.max_threads = 1024;
  expect(8, "threads");
}

TEST_F(OccupancyTest, RegistersInGranules) {
  kernel.registers = 33;  // 1,056 a warp, rounded up to 1,280; four warps: 5,120
  expect(12, "registers");
  machine.sm.register_granule = 1;
  expect(15, "registers");
  kernel.block = {32, 4, 1};
  expect(15, "registers");
  kernel.block = {160, 1, 1};  // five warps count as eight
  expect(7, "registers");
}

TEST_F(OccupancyTest, SharedMemoryInGranulesWithTheSystemsPart) {
  kernel.shared_bytes = Bytes{10'000};  // 11,024, rounded up to 11,264
  expect(8, "shared memory");
  const Fit result = fit(machine, kernel);
  EXPECT_EQ(result.shared_bytes, 8U * 11'264U);
  EXPECT_EQ(result.l1_bytes, 128U * 1024U - 8U * 11'264U);
  machine.l1.max_data = Bytes{16 * 1024};
  EXPECT_EQ(fit(machine, kernel).l1_bytes, 16U * 1024U);
}

TEST_F(OccupancyTest, TheGridWhenItIsTooSmall) {
  kernel.grid = {5, 1, 1};  // at most three on one of two SMs
  expect(16, "grid");
  kernel.grid = {32, 1, 1};
  expect(16, "warps");
}

TEST_F(OccupancyTest, SaysWhatIsMissing) {
  kernel.shared_bytes = Bytes{70'000};
  expect_error("at most 65536 bytes of shared memory per CTA");
  kernel.shared_bytes = Bytes{0};
  kernel.registers = 255;
  kernel.block = {1024, 1, 1};
  expect_error("65536 registers");
  kernel.registers = 16;
  machine.sm.max_threads = 512;
  expect_error("512 threads");
  machine.sm.max_threads = 2048;
  machine.sm.max_warps = 16;
  expect_error("16 warps");
}

}  // namespace
}  // namespace wg::dispatch
