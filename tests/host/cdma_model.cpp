// The compressing engine in closed form: known rates and times, and what limits them.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "host/cdma/model.hpp"

namespace wg::host::cdma {
namespace {

constexpr double kGiga = 1e9;

TEST(CdmaModel, RatesOfThePaper) {
  const EngineConfig c;
  EXPECT_NEAR(sustained(c, 2.58).rate / kGiga, 41.28, 0.01);
  EXPECT_EQ(sustained(c, 2.58).limit, Limit::link);
  EXPECT_NEAR(requested_rate(c, 13.8) / kGiga, 220.8, 0.01);
  EXPECT_NEAR(sustained(c, 13.8).rate / kGiga, 200, 0.01);
  EXPECT_EQ(sustained(c, 13.8).limit, Limit::provision);
}

TEST(CdmaModel, TimesOfAGigabyte) {
  EngineConfig c;
  const Bytes gigabyte{1'000'000'000};
  EXPECT_NEAR(static_cast<double>(transfer_time(c, gigabyte, 2.6).count()) * 1e-9, 24.04, 0.005);
  EXPECT_NEAR(static_cast<double>(transfer_time(c, gigabyte, 32).count()) * 1e-9, 5.0, 0.005);
  EXPECT_NEAR(static_cast<double>(transfer_time(c, gigabyte, 1).count()) * 1e-9, 62.5, 0.005);
  c.link_efficiency = 0.8;
  EXPECT_NEAR(static_cast<double>(transfer_time(c, gigabyte, 1).count()) * 1e-9, 78.125, 0.005);
}

TEST(CdmaModel, EveryLimitBinds) {
  EngineConfig c;
  c.buffer = Bytes{35'000};
  EXPECT_NEAR(sustained(c, 32).rate / kGiga, 100, 0.01);
  EXPECT_EQ(sustained(c, 32).limit, Limit::buffer);
  EXPECT_NE(sustained(c, 32, Direction::prefetch).limit, Limit::buffer);  // compressed bytes wait in it
  c = EngineConfig{};
  c.read_limit = BytesPerSecond{150'000'000'000};
  EXPECT_EQ(sustained(c, 32).limit, Limit::read);
  EXPECT_NEAR(sustained(c, 32).rate / kGiga, 150, 0.01);
  c = EngineConfig{};
  c.units = 3;
  EXPECT_NEAR(sustained(c, 32).rate / kGiga, 100.8, 0.01);
  EXPECT_EQ(sustained(c, 32).limit, Limit::units);
  c = EngineConfig{};
  c.parse_lines = 1;
  EXPECT_NEAR(sustained(c, 32, Direction::prefetch).rate / kGiga, 134.4, 0.01);
  EXPECT_EQ(sustained(c, 32, Direction::prefetch).limit, Limit::parse);
}

TEST(CdmaModel, LatenciesOfALine) {
  EngineConfig c;
  EXPECT_EQ(c.compress_latency(), 3U + 3U);
  EXPECT_EQ(c.decompress_latency(), 2U + 4U);
  c.compress_stages = 5;
  EXPECT_EQ(c.compress_latency(), 5U + 3U);
}

TEST(CdmaModel, TheCrossbarCarriesWholeFlitsOfWhatCrossesIt) {
  EngineConfig c;
  EXPECT_EQ(crossbar_bytes(c, 4), 32U);
  EXPECT_EQ(crossbar_bytes(c, 32), 32U);
  EXPECT_EQ(crossbar_bytes(c, 33), 64U);
  EXPECT_EQ(crossbar_bytes(c, 132), 160U);
  c.placement = Placement::dma;
  EXPECT_EQ(crossbar_bytes(c, 4), 128U);
  EXPECT_EQ(crossbar_bytes(c, 132), 128U);
}

TEST(CdmaModel, SaysWhatIsWrong) {
  EngineConfig c;
  EXPECT_NO_THROW(check(c, "engine"));
  c.buffer = Bytes{127};
  c.units = 0;
  try {
    check(c, "engine");
    FAIL();
  } catch (const Error& error) {
    ASSERT_EQ(error.problems().size(), 2U);
    EXPECT_EQ(error.problems()[0].where, "engine: units");
    EXPECT_EQ(error.problems()[1].where, "engine: buffer");
    EXPECT_EQ(error.code(), ExitCode::bad_input);
  }
  EXPECT_THROW(check_ratio(0, "ratio"), Error);
  EXPECT_THROW(check_ratio(-1, "ratio"), Error);
  EXPECT_THROW(check_ratio(1.0 / 0.0, "ratio"), Error);
  EXPECT_THROW(check_ratio(20'000, "ratio"), Error);
  EXPECT_NO_THROW(check_ratio(0.5, "ratio"));
  EXPECT_THROW(static_cast<void>(placement_named("sm")), Error);
  EXPECT_EQ(placement_named("dma"), Placement::dma);
}

}  // namespace
}  // namespace wg::host::cdma
