// Whatever a trace says, decoding gives a result with ranges inside the register files.
#include <gtest/gtest.h>

#include <string>

#include "base/rng.hpp"
#include "isa/opcode.hpp"
#include "support.hpp"

namespace wg::isa {
namespace {

using enum Generation;

/// The file a register belongs to: general, predicate, uniform or one of the singles; -1 for a constant.
int file_of(std::uint32_t reg) {
  if (reg < kRegZero) {
    return 0;
  }
  if (reg >= kRegPredicate0 && reg < kRegPredicateTrue) {
    return 1;
  }
  if (reg >= kRegUniform0 && reg < kRegUniformZero) {
    return 2;
  }
  return reg >= kRegAnyPredicate && reg < kRegCount ? 3 : -1;
}

void expect_sound(const StaticInst& inst, const std::string& what) {
  ASSERT_LE(inst.dst_count, inst.dst.size()) << what;
  ASSERT_LE(inst.src_count, inst.src.size()) << what;
  for (const auto ranges : {inst.writes(), inst.reads()}) {
    for (const RegRange& range : ranges) {
      ASSERT_GE(range.count, 1) << what;
      ASSERT_NE(file_of(range.first), -1) << what << " " << range.first;
      ASSERT_EQ(file_of(range.first), file_of(range.first + range.count - 1U)) << what << " " << range.first;
    }
  }
}

TEST(Robust, UnknownMnemonicIsOtherAndKeepsItsRegisters) {
  const StaticInst inst = test::decoded(ampere, {"FROB.E.128", {4}, {6, 8}, 0, true, 16});
  EXPECT_FALSE(inst.known);
  EXPECT_EQ(inst.cls, InstClass::other);
  EXPECT_EQ(inst.opcode, kUnknownOpcode);
  EXPECT_EQ(inst.space, Space::none);
  EXPECT_TRUE(inst.has_address);
  EXPECT_EQ(inst.width, 16);
  EXPECT_EQ(test::writes(inst), "R4*1");
  EXPECT_EQ(test::reads(inst), "R6*1 R8*1");
}

TEST(Robust, OddSpellingsAreUnknown) {
  for (const std::string_view mnemonic : {"", ".", "..", ".LDG", "ldg.E", "LDG ", "\xff\xfe", "HMMA16816"}) {
    EXPECT_FALSE(test::decoded(hopper, {mnemonic, {1}, {2}}).known) << mnemonic;
  }
}

TEST(Robust, EmptyModifiersAreIgnored) {
  const StaticInst inst = test::decoded(ampere, {"LDG..E...64.", {4}, {6}});
  EXPECT_TRUE(inst.known);
  EXPECT_EQ(test::writes(inst), "R4*2");
  EXPECT_EQ(test::reads(inst), "R6*2");
}

TEST(Robust, WideOperandsStopBeforeTheZeroRegister) {
  EXPECT_EQ(test::writes(test::decoded(ampere, {"LDG.E.128", {253}, {254}})), "R253*2");
  EXPECT_EQ(test::reads(test::decoded(ampere, {"LDG.E.128", {253}, {254}})), "R254*1");
  EXPECT_EQ(test::writes(test::decoded(hopper, {"ULDC.64", {test::ur(62)}, {}, 0, false, 0, true})),
            "UR62*1");
}

TEST(Robust, WhatIsNoRegisterIsLeftOut) {
  const StaticInst inst = test::decoded(ampere, {"IADD3", {kRegCount}, {400, 65535, kRegUniformZero, 3}});
  EXPECT_EQ(test::writes(inst), "");
  EXPECT_EQ(test::reads(inst), "R3*1");
}

TEST(Robust, TooManyOperandsAreCut) {
  const StaticInst inst = test::decoded(
      ampere, {"ISETP.NE.OR", {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}});
  EXPECT_EQ(test::writes(inst), "R1*1 R2*1");
  EXPECT_EQ(test::reads(inst), "R1*1 R2*1 R3*1 R4*1 R5*1 R6*1");
}

TEST(Robust, NoDestinationWhereOneIsExpected) {
  for (const std::string_view mnemonic :
       {"LDG.E.128", "HGMMA.64x64x16.F32", "HMMA.16816.F32", "SHFL.IDX", "ATOMG.E.CAS", "DADD", "IMAD.WIDE",
        "LOP3.LUT", "TEX", "MATCH.ALL"}) {
    expect_sound(test::decoded(hopper, {mnemonic, {}, {}}), std::string{mnemonic});
  }
}

std::string random_mnemonic(Rng& rng, std::span<const std::string_view> names) {
  static constexpr std::string_view kTokens[] = {
      "E",         "64", "128",     "U8",   "WIDE",   "HI",    "X",      "EX",     "16816", "884",
      "64x256x16", "xx", "F64",     "F32",  "F16",    "S64",   "STRONG", "GPU",    "CAS",   "SP",
      "4",         "2",  "STEP",    "TF32", "F32x4",  "RGBA",  "ARV",    "DEPBAR", "",      "999x999x999",
      "168",       "OR", "TRANS64", "PSL",  "168999", "88999", "0x0x0",  "1x1x1",  "880",   "1680"};
  std::string text{names[rng.below(names.size())]};
  const std::uint64_t count = rng.below(6);
  for (std::uint64_t i = 0; i < count; ++i) {
    text += '.';
    text += kTokens[rng.below(std::size(kTokens))];
  }
  return text;
}

std::vector<std::uint16_t> random_registers(Rng& rng) {
  std::vector<std::uint16_t> regs(rng.below(9));
  for (std::uint16_t& reg : regs) {
    const std::uint64_t kind = rng.below(10);
    reg = static_cast<std::uint16_t>(kind < 6 ? rng.below(256) : kind < 9 ? rng.below(345) : rng.next());
  }
  return regs;
}

TEST(Robust, RandomInstructionsOfEveryGenerationStaySound) {
  Rng rng{2024};
  for (int g = 0; g < 9; ++g) {
    const auto generation = static_cast<Generation>(g);
    const auto names = mnemonics(table_of(generation));
    for (int i = 0; i < 20000; ++i) {
      const std::string mnemonic = random_mnemonic(rng, names);
      test::Line line{mnemonic, random_registers(rng), random_registers(rng)};
      line.imm = static_cast<std::int32_t>(rng.below(3)) - 1;
      line.has_address = rng.below(2) == 0;
      line.traced_width = static_cast<std::uint8_t>(rng.next());
      line.names_predicates = rng.below(2) == 0;
      const StaticInst inst = test::decoded(generation, line);
      ASSERT_TRUE(inst.known) << mnemonic;
      expect_sound(inst, mnemonic);
      if (inst.cls == InstClass::tensor || inst.cls == InstClass::wgmma ||
          inst.cls == InstClass::tensor_fp64) {
        ASSERT_GT(inst.tensor_fma, 0U) << mnemonic;
        ASSERT_GT(inst.tensor_bits, 0) << mnemonic;
      } else {
        ASSERT_EQ(inst.tensor_fma, 0U) << mnemonic;
      }
    }
  }
}

TEST(Robust, RandomBytesNeverCrash) {
  Rng rng{7};
  for (int i = 0; i < 50000; ++i) {
    std::string mnemonic(rng.below(12), '\0');
    for (char& c : mnemonic) {
      c = static_cast<char>(rng.next());
    }
    const auto generation = static_cast<Generation>(rng.below(9));
    expect_sound(test::decoded(generation, {mnemonic, random_registers(rng), random_registers(rng)}),
                 mnemonic);
  }
}

}  // namespace
}  // namespace wg::isa
