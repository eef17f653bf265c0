#include "trace/summary.hpp"

#include "base/error.hpp"
#include "trace/accumulate.hpp"
#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const HeaderText kTwoWarps{.block = "(40,1,1)"};

const std::vector<std::vector<std::string>> kWarps = {
    {"0000 ffffffff 1 R4 FADD 2 R1 R2 0 0", "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0",
     "0020 00000003 1 R4 LDG.E 1 R2 4 2 0x107e 512 0", "0030 00000000 1 R4 LDS 1 R2 4 1 0x0 0 0",
     "0040 ffffffff 1 R4 ZORCH.X 1 R1 0 0", "0040 00000001 1 R4 ZORCH.X 1 R1 0 0",
     "0050 ffffffff 0 EXIT 0 0 0"},
    {"0060 000000ff 1 R4 LDS 1 R2 4 1 0x0 4 0", "0050 ffffffff 0 EXIT 0 0 0"}};

TEST(TraceSummary, Counts) {
  const KernelSummary s = summarize(*kernel_of(kTwoWarps.text() + block_text("0,0,0", kWarps)));
  EXPECT_EQ(s.ctas, 1U);
  EXPECT_EQ(s.warps, 2U);
  EXPECT_EQ(s.empty_warps, 0U);
  EXPECT_EQ(s.warp_instructions, 9U);
  EXPECT_EQ(s.thread_instructions, 32U * 4 + 2 + 0 + 1 + 8 + 32);
  EXPECT_EQ(s.predicated_off, 1U);
  EXPECT_EQ(s.memory_instructions, 4U);
  EXPECT_EQ(s.static_instructions, 7U);
  EXPECT_EQ(s.min_warp_instructions, 2U);
  EXPECT_EQ(s.max_warp_instructions, 7U);
  EXPECT_EQ(s.by_class[static_cast<std::size_t>(isa::InstClass::fp32)], 1U);
  EXPECT_EQ(s.by_class[static_cast<std::size_t>(isa::InstClass::load)], 4U);
  EXPECT_EQ(s.by_class[static_cast<std::size_t>(isa::InstClass::exit)], 2U);
  // 0x1000..0x107f is one line; 0x107e..0x1081 crosses into the next; 0x127e..0x1281 takes two more.
  EXPECT_EQ(s.footprint_lines, 4U);
  EXPECT_TRUE(s.footprint_exact);
  ASSERT_EQ(s.unknown.size(), 1U);
  EXPECT_EQ(s.unknown[0].mnemonic, "ZORCH.X");
  EXPECT_EQ(s.unknown[0].count, 2U);
}

TEST(TraceSummary, AFootprintAboveItsCapSaysSo) {
  const auto kernel = kernel_of(kTwoWarps.text() + block_text("0,0,0", kWarps));
  const KernelSummary exactly = summarize(*kernel, {.footprint_cap = 4});
  EXPECT_EQ(exactly.footprint_lines, 4U);
  EXPECT_TRUE(exactly.footprint_exact);
  const KernelSummary above = summarize(*kernel, {.footprint_cap = 3});
  EXPECT_EQ(above.footprint_lines, 3U);
  EXPECT_FALSE(above.footprint_exact);
  EXPECT_FALSE(summarize(*kernel, {.footprint_cap = 0}).footprint_exact);
}

TEST(TraceSummary, GenericAccessesOutsideGlobalMemoryAreNoFootprint) {
  const KernelSummary s = summarize(*kernel_of(
      HeaderText{}.text() + block_text("0,0,0", {{"0000 00000001 1 R4 LD.E 1 R2 4 2 0x7f0000000010 0",
                                                  "0010 00000001 1 R4 LD.E 1 R2 4 2 0x7f0002000010 0",
                                                  "0020 00000001 1 R4 LD.E 1 R2 4 2 0x7e0000000010 0"}})));
  EXPECT_EQ(s.footprint_lines, 1U);
}

TEST(TraceSummary, Merges) {
  const KernelSummary one = summarize(*kernel_of(kTwoWarps.text() + block_text("0,0,0", kWarps)));
  KernelSummary sum;
  merge(sum, one);
  EXPECT_TRUE(sum.footprint_exact);
  EXPECT_EQ(sum.min_warp_instructions, 2U);
  merge(sum, one);
  EXPECT_EQ(sum.warp_instructions, 18U);
  EXPECT_EQ(sum.min_warp_instructions, 2U);
  EXPECT_EQ(sum.max_warp_instructions, 7U);
  EXPECT_EQ(sum.unknown.at(0).count, 4U);
  EXPECT_FALSE(sum.footprint_exact);
}

TEST(TraceSummary, UnknownOpcodesOfADecoder) {
  const auto kernel = kernel_of(kTwoWarps.text() + block_text("0,0,0", kWarps));
  const auto decoder = kernel->decoder();
  CtaBlob blob;
  CtaTrace cta;
  ASSERT_TRUE(kernel->open()->next(blob));
  EXPECT_TRUE(unknown_opcodes(*decoder).empty());
  decoder->decode(blob, cta);
  ASSERT_EQ(unknown_opcodes(*decoder).size(), 1U);
  EXPECT_EQ(unknown_opcodes(*decoder)[0].mnemonic, "ZORCH.X");
}

TEST(TraceSummary, DescribesAnInstruction) {
  const auto kernel = kernel_of(kTwoWarps.text() + block_text("0,0,0", kWarps));
  const auto decoder = kernel->decoder();
  CtaBlob blob;
  CtaTrace cta;
  ASSERT_TRUE(kernel->open()->next(blob));
  decoder->decode(blob, cta);
  EXPECT_EQ(describe(cta, cta.insts[0], *decoder), "0000 ffffffff FADD R4 <- R1 R2");
  EXPECT_EQ(describe(cta, cta.insts[1], *decoder), "0010 ffffffff LDG.E R4 <- R2-R3 4 sectors [0x1000 +4]");
  // 4 bytes at 0x107e cross a boundary.
  EXPECT_EQ(describe(cta, cta.insts[2], *decoder), "0020 00000003 LDG.E R4 <- R2-R3 4 sectors [0x107e +512]");
  EXPECT_EQ(describe(cta, cta.insts[3], *decoder), "0030 00000000 LDS R4 <- R2 []");
  EXPECT_EQ(describe(cta, cta.insts[6], *decoder), "0050 ffffffff EXIT <- P?");
}

TEST(TraceCheck, GoesOnBehindProblems) {
  const HeaderText header{.grid = "(4,1,1)"};
  const std::string good = "0000 ffffffff 0 EXIT 0 0 0";
  const auto kernel = kernel_of(header.text() + block_text("0,0,0", {{good}}) +
                                block_text("1,0,0", {{"0000 xx 0 EXIT 0 0"}}) +
                                block_text("0,0,0", {{good}}) + block_text("3,0,0", {{good, good}}));
  const CheckReport report = check_kernel(*kernel);
  EXPECT_FALSE(report.good());
  ASSERT_EQ(report.problem_count, 2U);
  EXPECT_THAT(report.problems[0].text(), HasSubstr("a mask"));
  EXPECT_THAT(report.problems[1].text(), HasSubstr("a second block (0,0,0)"));
  EXPECT_EQ(report.summary.warp_instructions, 3U);
  const CheckReport few = check_kernel(*kernel, 1);
  EXPECT_EQ(few.problems.size(), 1U);
  EXPECT_EQ(few.problem_count, 2U);
}

TEST(TraceCheck, WarnsOfWhatIsOdd) {
  const CheckReport report = check_kernel(*kernel_of(kTwoWarps.text() + block_text("0,0,0", kWarps)));
  EXPECT_TRUE(report.good());
  EXPECT_THAT(report.warnings,
              ElementsAre(AllOf(HasSubstr("ZORCH.X"), HasSubstr("SM 70"), HasSubstr("2 warp instructions")),
                          AllOf(HasSubstr("2 addresses"), HasSubstr("block (0,0,0) PC 0020")),
                          AllOf(HasSubstr("1 instructions"), HasSubstr("40 threads"), HasSubstr("PC 0050"))));
}

TEST(TraceCheck, AWholeTraceWithAMissingKernel) {
  const TempFolder folder;
  folder.write("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\ncudaFree,0x1\n");
  folder.write("kernel-2.traceg", kTwoWarps.text() + block_text("0,0,0", kWarps));
  std::vector<std::uint64_t> told;
  const CheckReport report =
      check_trace(folder.path(), 20, [&](const KernelHeader& header) { told.push_back(header.id); });
  ASSERT_EQ(report.problem_count, 1U);
  EXPECT_THAT(report.problems[0].text(), HasSubstr("kernelslist.g:1:"));
  EXPECT_EQ(report.summary.warp_instructions, 9U);
  EXPECT_THAT(told, ElementsAre(3));
  EXPECT_THAT(report.warnings.at(0), HasSubstr("cudaFree"));
  EXPECT_THAT(check_trace(folder.path() + "/none").problems.at(0).text(), HasSubstr("no such file"));
}

TEST(TraceWrite, ARawKernelBecomesAGroupedOne) {
  for (const char* name : {"v1.2", "v4", "v5-ldgsts", "v6"}) {
    const auto raw = open_kernel_file(std::string(WG_SOURCE_DIR "/tests/trace/data/") + name + ".trace");
    std::string text;
    write_grouped(*raw, [&](std::string_view piece) { text += piece; });
    const auto grouped = kernel_of(text);
    EXPECT_EQ(read_all(*grouped), read_all(*raw)) << name;
  }
}

}  // namespace
}  // namespace wg::trace::test
