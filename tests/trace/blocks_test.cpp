// Thread blocks and warps of grouped traces.
#include <fmt/format.h>

#include "base/error.hpp"
#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kExit = "0000 ffffffff 0 EXIT 0 0 0";

TEST(TraceBlocks, FileOrderIsIssueOrder) {
  const HeaderText header{.grid = "(2,2,1)"};
  std::string text = header.text();
  for (const char* index : {"1,1,0", "0,0,0", "1,0,0", "0,1,0"}) {
    text += block_text(index, {{kExit}});
  }
  const std::vector<SeenCta> blocks = read_all(*kernel_of(text));
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].index, (Dim3{1, 1, 0}));
  EXPECT_EQ(blocks[3].index, (Dim3{0, 1, 0}));
}

TEST(TraceBlocks, WarpsComeInOrderWhateverTheFileDoes) {
  const HeaderText header{.block = "(96,1,1)"};
  const std::vector<SeenCta> blocks =
      read_all(*kernel_of(header.text() +
                          "#BEGIN_TB\nthread block = 0,0,0\nwarp = 2\ninsts = 1\n0020 ffffffff 0 EXIT 0 0 0\n"
                          "warp = 0\ninsts = 0\n\nwarp = 1\ninsts = 2\n0010 ffffffff 0 NOP 0 0 0\n\n"
                          "0018 ffffffff 0 EXIT 0 0 0\n#END_TB\n"));
  ASSERT_EQ(blocks.at(0).warps.size(), 3U);
  EXPECT_TRUE(blocks[0].warps[0].empty());
  EXPECT_EQ(blocks[0].warps[1].size(), 2U);
  EXPECT_EQ(blocks[0].warps[2].at(0).pc, 0x20U);
}

TEST(TraceBlocks, ClusterLinesAndCarriageReturnsAndNoFinalNewline) {
  const HeaderText header{.version = 6, .arch = 90};
  std::string text = header.text() +
                     "#BEGIN_TB\n\nthread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = 1,0,0\n"
                     "cluster rank = 1\n\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 0 0 NoVal\n\n#END_TB";
  EXPECT_EQ(read_all(*kernel_of(text)).at(0).warps.at(0).size(), 1U);
  std::string windows;
  for (const char c : text) {
    windows += c == '\n' ? "\r\n" : std::string(1, c);
  }
  EXPECT_EQ(read_all(*kernel_of(windows)), read_all(*kernel_of(text)));
  EXPECT_THAT(
      error_of(header.text() + "#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0\nwarp = 0\n#END_TB\n"),
      AllOf(HasSubstr("kernel.traceg:19:"), HasSubstr("cluster id = x,y,z")));
}

/// Blocks longer than the reader's buffer, with '#' at every possible place of a buffer's edge.
TEST(TraceBlocks, BlocksCrossTheReadersBuffer) {
  const HeaderText header{.grid = "(40,1,1)"};
  std::string text = header.text();
  std::size_t lines = 0;
  for (int b = 0; b < 40; ++b) {
    std::vector<std::string> insts(
        static_cast<std::size_t>(1 + b * 137),
        "0010 ffffffff 1 R4 FADD 2 R1 R2 0 0" + std::string(static_cast<std::size_t>(b % 7), ' '));
    lines += insts.size();
    text += block_text(fmt::format("{},0,0", b), {insts});
  }
  ASSERT_GT(text.size(), 3U << 20);
  std::size_t got = 0;
  for (const SeenCta& block : read_all(*kernel_of(text))) {
    got += block.warps.at(0).size();
  }
  EXPECT_EQ(got, lines);
}

TEST(TraceBlocks, BlobsKnowTheirPlace) {
  const HeaderText header{.grid = "(2,1,1)"};
  const std::string text = header.text() + block_text("0,0,0", {{kExit}}) + block_text("1,0,0", {{kExit}});
  const auto kernel = kernel_of(text);
  const auto source = kernel->open();
  CtaBlob blob;
  for (const std::uint64_t number : {0U, 1U}) {
    ASSERT_TRUE(source->next(blob));
    EXPECT_EQ(blob.number, number);
    EXPECT_EQ(text.substr(blob.offset, blob.text.size()), blob.text);
    EXPECT_EQ(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(blob.offset), '\n') + 1,
              static_cast<std::ptrdiff_t>(blob.line));
  }
  EXPECT_FALSE(source->next(blob));
  EXPECT_FALSE(source->next(blob));
}

TEST(TraceBlocks, InstructionCounts) {
  const auto error = [](int declared, int lines) {
    std::string text = HeaderText{.block = "(64,1,1)"}.text() +
                       "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n" + fmt::format("insts = {}\n", declared);
    for (int i = 0; i < lines; ++i) {
      text += kExit + "\n";
    }
    return error_of(text + "warp = 1\ninsts = 1\n" + kExit + "\n#END_TB\n");
  };
  EXPECT_EQ(error(3, 3), "");
  EXPECT_THAT(error(3, 2),
              AllOf(HasSubstr("kernel.traceg:23:"), HasSubstr("expected 3 instructions in warp 0, found 2")));
  EXPECT_THAT(error(2, 3), AllOf(HasSubstr("kernel.traceg:23:"),
                                 HasSubstr("the next warp after 2 instructions of warp 0")));
  EXPECT_THAT(error(2000000000, 3), AllOf(HasSubstr("kernel.traceg:20:"), HasSubstr("insts = 2000000000")));
  EXPECT_THAT(error(-1, 3), HasSubstr("`insts = n`"));
}

TEST(TraceBlocks, WarpsOfABlock) {
  const auto error = [](const std::string& warps) {
    return error_of(HeaderText{.block = "(64,1,1)"}.text() + "#BEGIN_TB\nthread block = 0,0,0\n" + warps +
                    "#END_TB\n");
  };
  const std::string one = "warp = 0\ninsts = 0\n";
  const std::string two = "warp = 1\ninsts = 0\n";
  EXPECT_EQ(error(one + two), "");
  EXPECT_THAT(error(one), AllOf(HasSubstr("kernel.traceg:21:"), HasSubstr("no warp 1")));
  EXPECT_THAT(error(two), HasSubstr("no warp 0"));
  EXPECT_THAT(error(""), HasSubstr("no warp 0"));
  EXPECT_THAT(error(one + one), AllOf(HasSubstr("kernel.traceg:21:"), HasSubstr("a second warp 0")));
  EXPECT_THAT(error(one + "warp = 2\ninsts = 0\n"), HasSubstr("a warp from 0 to 1"));
  EXPECT_THAT(error(one + "wrap = 1\n"), AllOf(HasSubstr("`warp = n`"), HasSubstr("wrap = 1")));
  EXPECT_THAT(error(one + "warp = 1\n"), HasSubstr("`insts = n`"));
}

TEST(TraceBlocks, BlocksOfTheGrid) {
  const HeaderText header{.grid = "(2,1,1)"};
  const std::string zero = block_text("0,0,0", {{kExit}});
  const std::string one = block_text("1,0,0", {{kExit}});
  EXPECT_EQ(error_of(header.text() + zero + one), "");
  EXPECT_THAT(error_of(header.text() + zero),
              AllOf(HasSubstr("expected 2 thread blocks"), HasSubstr("found 1 at the end")));
  EXPECT_THAT(error_of(header.text()), HasSubstr("found 0 at the end"));
  EXPECT_THAT(error_of(header.text() + zero + zero),
              AllOf(HasSubstr("kernel.traceg:28:"), HasSubstr("a second block (0,0,0)")));
  EXPECT_THAT(error_of(header.text() + zero + one + block_text("2,0,0", {{kExit}})),
              AllOf(HasSubstr("inside the grid (2,1,1)"), HasSubstr("thread block = 2,0,0")));
  EXPECT_THAT(error_of(header.text() + "#BEGIN_TB\nthread blok = 0,0,0\n#END_TB\n"),
              HasSubstr("`thread block = x,y,z`"));
}

TEST(TraceBlocks, BrokenBrackets) {
  const HeaderText header;
  const std::string block = block_text("0,0,0", {{kExit}});
  const std::string open = block.substr(0, block.find("#END_TB"));
  EXPECT_THAT(
      error_of(header.text() + open),
      AllOf(HasSubstr("kernel.traceg:26:"), HasSubstr("expected `#END_TB`, found the end of the file")));
  EXPECT_THAT(error_of(header.text() + open + block),
              HasSubstr("found `#BEGIN_TB` of the next thread block"));
  EXPECT_THAT(error_of(header.text() + block + "rubbish\n"),
              AllOf(HasSubstr("`#BEGIN_TB`"), HasSubstr("rubbish")));
  EXPECT_THAT(error_of(header.text() + block + "#END_TB\n"), HasSubstr("`#BEGIN_TB`"));
  EXPECT_THAT(error_of(header.text() + open + "#END_TBX\n#END_TB\n"), HasSubstr("#END_TBX"));
  EXPECT_THAT(error_of(header.text() + open + "# a remark\n#END_TB\n"), HasSubstr("# a remark"));
}

TEST(TraceBlocks, ABadBlockDoesNotHideTheNext) {
  const HeaderText header{.grid = "(2,1,1)"};
  const auto kernel = kernel_of(header.text() + block_text("0,0,0", {{kExit}}) +
                                block_text("0,0,0", {{kExit}}) + block_text("1,0,0", {{kExit}}));
  const auto source = kernel->open();
  CtaBlob blob;
  ASSERT_TRUE(source->next(blob));
  EXPECT_THROW(source->next(blob), Error);
  ASSERT_TRUE(source->next(blob));
  EXPECT_THAT(blob.text, HasSubstr("thread block = 1,0,0"));
}

}  // namespace
}  // namespace wg::trace::test
