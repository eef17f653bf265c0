// Instruction lines of every tracer version.
#include "trace/inst_line.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "isa/inst.hpp"
#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TraceInstLine, RegistersOpcodeWidthImmediate) {
  const std::string text = "1 R4 IMAD.WIDE 3 R0 R255 R254 0 -17 ";
  InstLine line;
  BlockFault fault;
  ASSERT_TRUE(scan_inst_line((text + "\n").c_str(), 5, line, fault));
  EXPECT_EQ(line.kind, LineKind::plain);
  EXPECT_EQ(line.key_length, text.size() - 1);
  EXPECT_THAT(std::span(line.dst).first(line.dst_count), ElementsAre(4));
  EXPECT_THAT(std::span(line.src).first(line.src_count), ElementsAre(0, isa::kRegZero, 254));
  EXPECT_EQ(line.imm, -17);
  EXPECT_TRUE(line.has_imm);
}

TEST(TraceInstLine, VersionSixNamesAllRegisterFiles) {
  InstLine line;
  BlockFault fault;
  ASSERT_TRUE(scan_inst_line("3 P0 UP6 UR62 ULEA 5 R7 P6 P7 UP7 UR63 0 1 2\n", 6, line, fault));
  EXPECT_THAT(std::span(line.dst).first(line.dst_count),
              ElementsAre(isa::kRegPredicate0, isa::kRegAnyPredicate + 7, isa::kRegUniform0 + 62));
  EXPECT_THAT(std::span(line.src).first(line.src_count),
              ElementsAre(7, isa::kRegPredicate0 + 6, isa::kRegZero, isa::kRegZero, isa::kRegZero));
  EXPECT_EQ(line.imm, 1);
}

TEST(TraceInstLine, MemoryKeyEndsAtTheWidth) {
  const std::string text = "1 R4 LDG.E.64 1 R2 8 1 0x100 8 24";
  InstLine line;
  BlockFault fault;
  ASSERT_TRUE(scan_inst_line((text + "\n").c_str(), 5, line, fault));
  EXPECT_EQ(line.kind, LineKind::memory);
  EXPECT_EQ(std::string_view(text).substr(0, line.key_length), "1 R4 LDG.E.64 1 R2 8");
  EXPECT_EQ(line.width, 8);
}

TEST(TraceInstLine, VersionsBelowThreeRepeatTheIds) {
  const std::vector<SeenInst> insts = insts_of(
      {.version = 2}, {"0 0 0 0 0010 ffffffff 1 R4 FADD 2 R1 R2 0 ", "0 0 0 0 0020 00000001 0 EXIT 0 0 "});
  EXPECT_EQ(insts[0], (SeenInst{0x10, 0xffffffff, "FADD", 0, false, {}}));
  EXPECT_EQ(insts[1], (SeenInst{0x20, 1, "EXIT", 0, false, {}}));
  EXPECT_THAT(line_error({.version = 2}, {"0010 ffffffff 1 R4 FADD 2 R1 R2 0"}),
              HasSubstr("tracer versions below 3"));
}

TEST(TraceInstLine, LineNumbersAreKept) {
  const auto kernel = kernel_of(
      HeaderText{.version = 4, .line_info = true}.text() +
      block_text("0,0,0", {{"12 0010 ffffffff 1 R4 FADD 2 R1 R2 0", "13 0010 ffffffff 1 R4 FADD 2 R1 R2 0",
                            "12 0010 ffffffff 1 R4 FADD 2 R1 R2 0"}}));
  CtaBlob blob;
  CtaTrace cta;
  ASSERT_TRUE(kernel->open()->next(blob));
  const auto decoder = kernel->decoder();
  decoder->decode(blob, cta);
  ASSERT_EQ(decoder->instructions().size(), 2U);
  EXPECT_EQ(decoder->instructions()[cta.insts[0].inst].line, 12U);
  EXPECT_EQ(decoder->instructions()[cta.insts[1].inst].line, 13U);
  EXPECT_EQ(cta.insts[2].inst, cta.insts[0].inst);
  EXPECT_THAT(line_error({.version = 4, .line_info = true}, {"x 0010 ffffffff 0 EXIT 0 0"}),
              HasSubstr("a line number"));
}

TEST(TraceInstLine, OneStaticInstructionPerText) {
  // The same PC in two functions, differing in registers, immediate or width; trailing blanks do not count.
  const std::vector<std::string> lines = {
      "0010 ffffffff 1 R4 FADD 2 R1 R2 0 0 ",      "0010 0000000f 1 R4 FADD 2 R1 R2 0 0",
      "0010 ffffffff 1 R5 FADD 2 R1 R2 0 0 ",      "0010 ffffffff 1 R4 FADD 2 R1 R2 0 1 ",
      "0010 ffffffff 1 R4 FADD 2 R1 R2 0 10 ",     "0010 00000001 1 R4 LDG.E 1 R2 4 2 0x10 0",
      "0010 00000001 1 R4 LDG.E 1 R2 4 2 0x20 8",  "0010 00000001 1 R4 LDG.E 1 R2 4 2 0x30 0",
      "0010 00000001 1 R4 LDG.E 1 R2 4 2 0x40 8\r"};
  const auto kernel = kernel_of(HeaderText{}.text() + block_text("0,0,0", {lines}));
  CtaBlob blob;
  CtaTrace cta;
  ASSERT_TRUE(kernel->open()->next(blob));
  const auto decoder = kernel->decoder();
  decoder->decode(blob, cta);
  std::vector<std::uint32_t> numbers;
  for (const DynInst& inst : cta.insts) {
    numbers.push_back(inst.inst);
  }
  EXPECT_THAT(numbers, ElementsAre(0, 0, 1, 2, 3, 4, 5, 4, 5));
  EXPECT_EQ(decoder->instructions()[2].imm, 1);
  EXPECT_EQ(decoder->instructions()[5].imm, 8);
  EXPECT_EQ(decoder->mnemonic(5), "LDG.E");
}

TEST(TraceInstLine, StaticPartReachesTheDecoder) {
  const auto kernel = kernel_of(
      HeaderText{}.text() +
      block_text("0,0,0", {{"0010 00000001 1 R8 LDG.E.128 1 R2 16 2 0x10 0", "0020 ffffffff 0 EXIT 0 0 0"}}));
  CtaBlob blob;
  CtaTrace cta;
  ASSERT_TRUE(kernel->open()->next(blob));
  const auto decoder = kernel->decoder();
  decoder->decode(blob, cta);
  const isa::StaticInst& load = decoder->instructions()[0];
  EXPECT_EQ(load.pc, 0x10U);
  EXPECT_EQ(load.cls, isa::InstClass::load);
  EXPECT_EQ(load.space, isa::Space::global);
  EXPECT_EQ(load.width, 16);
  EXPECT_TRUE(load.has_address);
  ASSERT_EQ(load.dst_count, 1);
  EXPECT_EQ(load.dst[0].first, 8);
  EXPECT_EQ(load.dst[0].count, 4);
  EXPECT_EQ(decoder->instructions()[1].cls, isa::InstClass::exit);
}

TEST(TraceInstLine, StoreDataIsPassedOver) {
  const std::vector<SeenInst> insts = insts_of(
      {},
      {"00d0 00000003 0 STG.E.SYS 2 R6 R9 4 1 0x100 4 0 STORE_DATA I32 1 REG0:T0:0x47e28000 T1:0x47e28180  ",
       "00e0 ffffffff 0 EXIT 0 0 0 "});
  EXPECT_EQ(insts[0].addresses, (std::vector<std::uint64_t>{0x100, 0x104}));
  EXPECT_EQ(insts[1].mnemonic, "EXIT");
}

TEST(TraceInstLine, VersionSixTails) {
  const HeaderText v6{.version = 6, .arch = 90};
  std::string values = "32";
  for (int i = 0; i < 32; ++i) {
    values += fmt::format(" {}f", i);
  }
  const std::vector<SeenInst> insts = insts_of(
      v6, {"0010 ffffffff 1 R4 IADD3 3 R1 UR4 P0 0 7 0 NoVal",
           "0020 ffffffff 1 R4 SYNCS.ARRIVE 1 R1 0 7 1 Val 1 ff " + values,
           "0020 ffffffff 1 R4 SYNCS.ARRIVE 1 R1 0 7 1 Val 1 0x10", "0030 ffffffff 0 BAR.SYNC 0 0 3 128",
           "0040 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 UR4 1 0 0 0 NoVal",
           "0050 00000001 1 R4 LDS 1 UR4 4 2 0x40 16 0 Val 1 20 1 30", "0060 ffffffff 0 REPLAY_START 0 0",
           "0070 ffffffff 0 EXIT 0 0"});
  ASSERT_EQ(insts.size(), 7U);  // the mark is no instruction
  EXPECT_EQ(insts[0].imm, 7);
  EXPECT_EQ(insts[1], insts[2]);
  EXPECT_EQ(insts[3].imm, 3);
  EXPECT_EQ(insts[4].mnemonic, "HGMMA.64x64x16.F32");
  EXPECT_EQ(insts[5].addresses, std::vector<std::uint64_t>{0x40});
  EXPECT_EQ(insts[5].imm, 16);
  EXPECT_EQ(insts[6].mnemonic, "EXIT");
  EXPECT_THAT(line_error(v6, {"0010 ffffffff 1 R4 MOV 1 R1 0 7 0 Val 3 1"}),
              HasSubstr("the end of the instruction"));
  EXPECT_THAT(line_error(v6, {"0010 ffffffff 1 R4 MOV 1 R1 0 7 0 Val 1"}),
              HasSubstr("the end of the instruction"));
  EXPECT_THAT(line_error(v6, {"0010 ffffffff 1 R4 MOV 1 R1 0 7 0 NoVal 1"}),
              HasSubstr("the end of the instruction"));
  EXPECT_THAT(line_error({}, {"0010 ffffffff 1 R4 MOV 1 R1 0 7 NoVal"}),
              HasSubstr("the end of the instruction"));
}

TEST(TraceInstLine, BulkCopiesKeepTheirFirstAddress) {
  const HeaderText v6{.version = 6, .arch = 90};
  const std::vector<SeenInst> insts = insts_of(
      v6, {"0010 00000001 0 UTMALDG.2D 2 UR8 UR4 4 0x400 0 4096 0 3 3 0x7f10 0x7f20 0x7f40 0 0 NoVal",
           "0020 00000001 0 UTMALDG.2D.MULTICAST 2 UR8 UR4 4 0x400 1 3 4096 128 4 0x7f80 3 128 -64 NoVal",
           "0030 00000001 0 UBLKCP 2 UR8 UR4 4 0x400 0 0 0 4 0x0 0"});
  EXPECT_EQ(insts[0].addresses, std::vector<std::uint64_t>{0x7f10});
  EXPECT_EQ(insts[1].addresses, std::vector<std::uint64_t>{0x7f80});
  EXPECT_FALSE(insts[2].has_address);
  EXPECT_THAT(line_error(v6, {"0010 00000001 0 UBLKCP 0 4 0x400 0 4096 0 3 2 0x7f10"}),
              HasSubstr("a hexadecimal address"));
  EXPECT_THAT(line_error(v6, {"0010 00000001 0 UBLKCP 0 4 0x400 0 4096 0 5 0"}),
              HasSubstr("an address mode (3 or 4)"));
}

TEST(TraceInstLine, UnknownOpcodesAreMarkedNotRefused) {
  const auto kernel =
      kernel_of(HeaderText{}.text() + block_text("0,0,0", {{"0010 ffffffff 1 R4 ZORCH.X 1 R1 0 0"}}));
  CtaBlob blob;
  CtaTrace cta;
  ASSERT_TRUE(kernel->open()->next(blob));
  const auto decoder = kernel->decoder();
  decoder->decode(blob, cta);
  EXPECT_FALSE(decoder->instructions()[0].known);
  EXPECT_EQ(decoder->mnemonic(0), "ZORCH.X");
}

TEST(TraceInstLine, MalformedLines) {
  const auto error = [](const std::string& line) {
    return line_error({}, {"0000 ffffffff 1 R1 MOV 0 0 0", line});
  };
  EXPECT_THAT(error("0010 fffffffg 0 EXIT 0 0 0"),
              AllOf(HasSubstr("kernel.traceg:25:"), HasSubstr("a mask"), HasSubstr("fffffffg")));
  EXPECT_THAT(error("0010 1ffffffff 0 EXIT 0 0 0"), HasSubstr("a mask"));
  EXPECT_THAT(error("0010"), HasSubstr("an instruction"));
  EXPECT_THAT(error("00x0 ffffffff 0 EXIT 0 0 0"),
              AllOf(HasSubstr("kernel.traceg:25:"), HasSubstr("an instruction")));
  EXPECT_THAT(error("12345678901234567 ffffffff 0 EXIT 0 0 0"), HasSubstr("an instruction"));
  EXPECT_THAT(error("0010 ffffffff 1 R256 MOV 0 0 0"), AllOf(HasSubstr("R0 to R255"), HasSubstr("R256")));
  EXPECT_THAT(error("0010 ffffffff 1 UR4 MOV 0 0 0"), HasSubstr("destination register 1 of 1"));
  EXPECT_THAT(error("0010 ffffffff 1 R4 MOV 2 R1 0 0"), HasSubstr("source register 2 of 2"));
  EXPECT_THAT(error("0010 ffffffff 1 R4 MOV 1 R-1 0 0"), HasSubstr("source register 1 of 1"));
  EXPECT_THAT(error("0010 ffffffff 9 R4 MOV 1 R1 0 0"),
              HasSubstr("number of destination registers (0 to 8)"));
  EXPECT_THAT(error("0010 ffffffff 0 MOV 17 R1 0 0"), HasSubstr("number of source registers (0 to 16)"));
  EXPECT_THAT(error("0010 ffffffff 0 99 0 0 0"), HasSubstr("an opcode"));
  EXPECT_THAT(error("0010 ffffffff 0 M\x01V 0 0 0"), AllOf(HasSubstr("an opcode"), HasSubstr("\\x01")));
  EXPECT_THAT(error("0010 ffffffff 0 MOV 0 x 0"), HasSubstr("memory width"));
  EXPECT_THAT(error("0010 ffffffff 0 MOV 0"),
              AllOf(HasSubstr("memory width"), HasSubstr("the end of the line")));
  EXPECT_THAT(error("0010 ffffffff 0 MOV 0 0 1x"), HasSubstr("immediate"));
  EXPECT_THAT(error("0010 ffffffff 0 MOV 0 0 1 2"), HasSubstr("the end of the instruction"));
  EXPECT_THAT(error(std::string("0010 ffffffff 0 MOV 0 0 1\0", 26)), HasSubstr("a zero byte"));
}

}  // namespace
}  // namespace wg::trace::test
