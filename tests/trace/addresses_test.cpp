// The address field, traces of every mode against the addresses they were made from.
#include <fmt/format.h>

#include <bit>

#include "base/rng.hpp"
#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

using Addresses = std::vector<std::uint64_t>;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string load(std::uint32_t mask, const std::string& field) {
  return fmt::format("0010 {:08x} 1 R4 LDG.E 1 R2 4 {} ", mask, field);
}

Addresses addresses(std::uint32_t mask, const std::string& field, int version = 3) {
  return insts_of({.version = version}, {load(mask, field)}).at(0).addresses;
}

TEST(TraceAddresses, ListOfActiveLanes) {
  EXPECT_EQ(addresses(0x00000103, "0 0x00007f0000000010 0x00007f0000000000 0x00007f0000000abc"),
            (Addresses{0x7f0000000010, 0x7f0000000000, 0x7f0000000abc}));
}

TEST(TraceAddresses, BaseAndStride) {
  EXPECT_EQ(addresses(0x0000003c, "1 0x7f0000000000 -4"),
            (Addresses{0x7f0000000000, 0x7efffffffffc, 0x7efffffffff8, 0x7efffffffff4}));
  EXPECT_EQ(addresses(0x00000003, "1 0x100 0"), (Addresses{0x100, 0x100}));
}

TEST(TraceAddresses, AStrideCountsOverActiveLanes) {
  EXPECT_EQ(addresses(0x00010005, "1 0x100 8"), (Addresses{0x100, 0x108, 0x110}));
}

TEST(TraceAddresses, BaseAndDifferences) {
  EXPECT_EQ(addresses(0x80000101, "2 0x1000 256 -16"), (Addresses{0x1000, 0x1100, 0x10f0}));
  EXPECT_EQ(addresses(0x00000010, "2 0xabc"), Addresses{0xabc});
}

TEST(TraceAddresses, NoActiveLane) {
  const SeenInst inst = insts_of({.version = 3}, {load(0, "1 0x0 -1094795586")}).at(0);
  EXPECT_TRUE(inst.has_address);
  EXPECT_TRUE(inst.addresses.empty());
  EXPECT_TRUE(addresses(0, "0").empty());
  EXPECT_TRUE(addresses(0, "2 0x0").empty());
}

TEST(TraceAddresses, RegularListsBecomeStrided) {
  const auto kernel = kernel_of(HeaderText{.version = 3}.text() +
                                block_text("0,0,0", {{load(0xf, "2 0x100 4 4 4"), load(0xf, "2 0x100 4 4 8"),
                                                      load(0x1, "2 0x100"), load(0x3, "0 0x10 0x8")}}));
  CtaBlob blob;
  CtaTrace cta;
  ASSERT_TRUE(kernel->open()->next(blob));
  kernel->decoder()->decode(blob, cta);
  EXPECT_TRUE(cta.form(cta.insts[0]).strided);
  EXPECT_EQ(cta.form(cta.insts[0]).stride, 4);
  EXPECT_FALSE(cta.form(cta.insts[1]).strided);
  EXPECT_TRUE(cta.form(cta.insts[2]).strided);
  EXPECT_EQ(cta.form(cta.insts[3]).stride, -8);
}

TEST(TraceAddresses, TheImmediateIsOptional) {
  const auto imms = [](const std::string& field) {
    return insts_of({.version = 4}, {load(0x3, field)}).at(0).imm;
  };
  EXPECT_EQ(imms("2 0x100 4"), 0);
  EXPECT_EQ(imms("2 0x100 4 -24"), -24);
  EXPECT_EQ(imms("1 0x100 4 24"), 24);
  EXPECT_EQ(imms("0 0x100 0x104 24"), 24);
}

/// Writes `lanes` in a mode that can say them.
std::string encode(const Addresses& lanes, int mode) {
  std::string out = std::to_string(mode);
  if (mode == 0) {
    for (const std::uint64_t a : lanes) {
      out += fmt::format(" 0x{:016x}", a);
    }
    return out;
  }
  out += fmt::format(" 0x{:x}", lanes.empty() ? 0 : lanes[0]);
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    out += fmt::format(" {}", static_cast<std::int64_t>(lanes[i] - lanes[i - 1]));
  }
  return out;
}

TEST(TraceAddresses, RandomAccessesReadBack) {
  Rng rng(1);
  std::vector<std::string> lines;
  std::vector<Addresses> expected;
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t mask = static_cast<std::uint32_t>(rng.next()) &
                               static_cast<std::uint32_t>(rng.next() | (i % 3 == 0 ? ~0U : 0U));
    // Spans from a few bytes to the whole address space: differences of 1 to 19 digits.
    const std::uint64_t span = std::uint64_t{1} << (1 + rng.below(62));
    Addresses lanes;
    for (int lane = 0; lane < std::popcount(mask); ++lane) {
      lanes.push_back(0x7f00'0000'0000 + rng.below(span));
    }
    lines.push_back(load(mask, encode(lanes, i % 2 == 0 ? 2 : 0)) + (i % 5 == 0 ? "  " : ""));
    expected.push_back(lanes);
  }
  const std::vector<SeenInst> got = insts_of({.version = 3}, lines);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].addresses, expected[i]) << lines[i];
  }
}

TEST(TraceAddresses, CountsThatDoNotFitTheMask) {
  const auto error = [](int version, std::uint32_t mask, const std::string& field) {
    const std::string plain = version >= 5 ? "0000 ffffffff 1 R1 MOV 0 0 7" : "0000 ffffffff 1 R1 MOV 0 0";
    return line_error({.version = version}, {plain, load(mask, field)});
  };
  EXPECT_EQ(error(3, 0x7, "2 0x100 4 4"), "");
  EXPECT_THAT(error(3, 0x7, "2 0x100 4"),
              AllOf(HasSubstr("2 differences"), HasSubstr("the end of the line")));
  EXPECT_THAT(error(3, 0x7, "2 0x100 4 4 4"), HasSubstr("mask 00000007 has lanes (3)"));
  EXPECT_EQ(error(5, 0x7, "2 0x100 4 4 0"), "");
  EXPECT_THAT(error(5, 0x7, "2 0x100 4 0"), HasSubstr("mask 00000007 has lanes (3)"));
  EXPECT_THAT(error(5, 0x7, "2 0x100 4 4 4 0"), HasSubstr("mask 00000007 has lanes (3)"));
  EXPECT_THAT(error(5, 0x7, "0 0x100 0x104 0"), HasSubstr("3 addresses"));
  EXPECT_THAT(error(5, 0x7, "1 0x100 4 0 0"), HasSubstr("more numbers"));
}

TEST(TraceAddresses, MalformedFields) {
  const auto error = [](const std::string& field) { return line_error({.version = 3}, {load(0x3, field)}); };
  EXPECT_THAT(error(""), HasSubstr("an address mode"));
  EXPECT_THAT(error("3 0x100 4"), AllOf(HasSubstr("kernel.traceg:23:"), HasSubstr("an address mode")));
  EXPECT_THAT(error("12 0x100 4"), HasSubstr("an address mode"));
  EXPECT_THAT(error("1 zz 4"), AllOf(HasSubstr("base address"), HasSubstr("`zz`")));
  EXPECT_THAT(error("1 0x12345678901234567 4"), HasSubstr("base address"));
  EXPECT_THAT(error("1 0x100 four"), HasSubstr("a decimal stride"));
  EXPECT_THAT(error("2 0x100 4x"), HasSubstr("1 differences"));
  EXPECT_THAT(error("2 0x100 123456789012345678901"), HasSubstr("1 differences"));
  EXPECT_THAT(error("2 0x100 4 x"), HasSubstr("the end of the instruction"));
}

}  // namespace
}  // namespace wg::trace::test
