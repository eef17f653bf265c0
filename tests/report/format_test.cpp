#include "report/format.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/rng.hpp"
#include "report/table.hpp"

namespace wg::report {
namespace {

TEST(Format, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(Format, PercentNeverHidesASmallShare) {
  EXPECT_EQ(percent(0.4512), "45.1 %");
  EXPECT_EQ(percent(1), "100.0 %");
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(0.0001), "<0.1 %");
  EXPECT_EQ(percent(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Format, CompactKeepsThreeDigits) {
  EXPECT_EQ(compact(0), "0.00");
  EXPECT_EQ(compact(0.1234), "0.1234");
  EXPECT_EQ(compact(12.346), "12.35");
  EXPECT_EQ(compact(123.46), "123.5");
  EXPECT_EQ(compact(1234.6), "1,235");
  EXPECT_EQ(compact(-1234.6), "-1,235");
}

TEST(Format, RatesHavePrefixes) {
  EXPECT_EQ(si(8.123e11, "B/s"), "812.3 GB/s");
  EXPECT_EQ(si(999.96e9, "B/s"), "1.00 TB/s");
  EXPECT_EQ(si(12, "cycles/s"), "12.00 cycles/s");
}

TEST(Format, BytesAreBinary) {
  EXPECT_EQ(bytes(512), "512 B");
  EXPECT_EQ(bytes(241172480), "230.0 MiB");
}

TEST(Format, DurationsHaveTheUnitThatFits) {
  EXPECT_EQ(duration(4.25e-6), "4.25 us");
  EXPECT_EQ(duration(3e-9), "3.0 ns");
  EXPECT_EQ(duration(0.0123), "12.30 ms");
  EXPECT_EQ(duration(3.2), "3.20 s");
  EXPECT_EQ(duration(75), "1 min 15 s");
  EXPECT_EQ(duration(7500), "2 h 5 min");
}

TEST(Format, DemanglesWithoutParameters) {
  EXPECT_EQ(readable_name("_Z6KernelP4NodePiPbS2_S2_S1_i"), "Kernel");
  EXPECT_EQ(readable_name("_ZN3foo4gemmIfLi4EEEvPT_i"), "foo::gemm<float, 4>");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_13addEi"), "(anonymous namespace)::add");
  EXPECT_EQ(readable_name("vectorAdd"), "vectorAdd");
}

TEST(Format, WidthCountsCharactersNotBytes) {
  EXPECT_EQ(width("█▌"), 2U);
  EXPECT_EQ(pad("é", 3), "é  ");
  EXPECT_EQ(cut("abcdefgh", 5), "abc..");
}

/// A bar is never wider than its room and grows with the share.
TEST(Format, BarsGrowWithTheShare) {
  Rng rng(5);
  for (int i = 0; i < 1000; ++i) {
    const double a = static_cast<double>(rng.below(1001)) / 1000;
    const double b = static_cast<double>(rng.below(1001)) / 1000;
    EXPECT_LE(width(bar(a, 30, true)), 30U);
    if (a <= b) {
      EXPECT_LE(bar(a, 30, false).size(), bar(b, 30, false).size());
      EXPECT_LE(width(bar(a, 30, true)), width(bar(b, 30, true)));
    }
  }
  EXPECT_EQ(bar(0.5, 10, false), "#####");
  EXPECT_EQ(bar(1, 2, true), "██");
  EXPECT_EQ(bar(0.75, 2, true), "█▌");
  EXPECT_EQ(bar(7, 3, false), "###");
}

TEST(Table, AlignsColumnsAndCutsLongCells) {
  Table table({{"name", Align::left, 6}, {"n"}, {"note", Align::left}});
  table.row({"a", "1", "x"});
  table.row({"abcdefghi", "12,345"});
  EXPECT_EQ(table.text(),
            "  name         n  note\n"
            "  a            1  x\n"
            "  abcd..  12,345\n");
}

}  // namespace
}  // namespace wg::report
