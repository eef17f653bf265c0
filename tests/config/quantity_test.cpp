#include "config/quantity.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/rng.hpp"

namespace wg::config {
namespace {

std::uint64_t parsed(std::string_view text, Measure measure) {
  std::uint64_t value = 0;
  std::string why;
  EXPECT_TRUE(parse_quantity(text, measure, value, why)) << text << ": " << why;
  return value;
}

std::string refused(std::string_view text, Measure measure) {
  std::uint64_t value = 42;
  std::string why;
  EXPECT_FALSE(parse_quantity(text, measure, value, why)) << text;
  EXPECT_EQ(value, 42U);
  return why;
}

TEST(Quantity, ReadsUnits) {
  EXPECT_EQ(parsed("64 KiB", Measure::bytes), 65536U);
  EXPECT_EQ(parsed("50MiB", Measure::bytes), 50U * 1024 * 1024);
  EXPECT_EQ(parsed("80 GB", Measure::bytes), 80'000'000'000U);
  EXPECT_EQ(parsed("128", Measure::bytes), 128U);
  EXPECT_EQ(parsed("1755 MHz", Measure::hertz), 1'755'000'000U);
  EXPECT_EQ(parsed("1.755 GHz", Measure::hertz), 1'755'000'000U);
  EXPECT_EQ(parsed("25.6 GB/s", Measure::rate), 25'600'000'000U);
  EXPECT_EQ(parsed("1 us", Measure::nanoseconds), 1000U);
  EXPECT_EQ(parsed("2.5 us", Measure::nanoseconds), 2500U);
  EXPECT_EQ(parsed(" 7\t", Measure::count), 7U);
  EXPECT_EQ(parsed("2.6", Measure::thousandths), 2600U);
  EXPECT_EQ(parsed("13", Measure::thousandths), 13'000U);
}

TEST(Quantity, IsExact) {
  EXPECT_EQ(parsed("0.5 KiB", Measure::bytes), 512U);
  EXPECT_EQ(refused("0.3 KiB", Measure::bytes), "it is a whole number of the smallest unit");
  EXPECT_EQ(refused("1.5", Measure::count), "it is a whole number");
  EXPECT_EQ(refused("1.0005", Measure::thousandths), "it has at most three decimals");
  EXPECT_EQ(parsed("1.0", Measure::count), 1U);
}

TEST(Quantity, SaysWhatIsWrong) {
  EXPECT_EQ(refused("50 MHz", Measure::bytes), "units: B, KiB, MiB, GiB, TiB, kB, MB, GB, TB");
  EXPECT_EQ(refused("64 KB", Measure::bytes), "KB is ambiguous: write KiB (1024) or kB (1000)");
  EXPECT_EQ(refused("4 cycles", Measure::count), "it is a plain number, without a unit");
  EXPECT_EQ(refused("", Measure::bytes), "it does not begin with a number");
  EXPECT_EQ(refused("-1 B", Measure::bytes), "it does not begin with a number");
  EXPECT_EQ(refused(".", Measure::bytes), "it does not begin with a number");
  EXPECT_EQ(refused("1. B", Measure::bytes), "it does not begin with a number");
  EXPECT_EQ(refused("1.2.3 B", Measure::bytes), "units: B, KiB, MiB, GiB, TiB, kB, MB, GB, TB");
  EXPECT_EQ(refused("1234567890123456789 B", Measure::bytes), "the number has more than 18 digits");
  EXPECT_EQ(refused("999999999 TiB", Measure::bytes), "it does not fit 64 bits");
}

TEST(Quantity, PrintsTheLargestExactUnit) {
  EXPECT_EQ(print_quantity(65536, Measure::bytes), "64 KiB");
  EXPECT_EQ(print_quantity(65537, Measure::bytes), "65537 B");
  EXPECT_EQ(print_quantity(0, Measure::bytes), "0 B");
  EXPECT_EQ(print_quantity(1'562'500'000, Measure::hertz), "1562500 kHz");
  EXPECT_EQ(print_quantity(12'800'000'000, Measure::rate), "12800 MB/s");
  EXPECT_EQ(print_quantity(1000, Measure::nanoseconds), "1 us");
  EXPECT_EQ(print_quantity(1000, Measure::count), "1000");
  EXPECT_EQ(print_quantity(2600, Measure::thousandths), "2.6");
  EXPECT_EQ(print_quantity(13'000, Measure::thousandths), "13.0");
  EXPECT_EQ(print_quantity(20, Measure::thousandths), "0.02");
}

TEST(Quantity, ReadsBackWhatItPrints) {
  Rng rng(7);
  for (int i = 0; i < 20000; ++i) {
    std::uint64_t value = rng.next() >> (6 + rng.below(56));
    if (rng.below(2) == 0) {
      value &= ~std::uint64_t{0} << rng.below(40);
    }
    for (const Measure measure : {Measure::count, Measure::bytes, Measure::hertz, Measure::rate,
                                  Measure::nanoseconds, Measure::thousandths}) {
      EXPECT_EQ(parsed(print_quantity(value, measure), measure), value);
    }
  }
}

}  // namespace
}  // namespace wg::config
