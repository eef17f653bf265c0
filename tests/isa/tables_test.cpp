#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "isa/opcode.hpp"
#include "support.hpp"

namespace wg::isa {
namespace {

using enum Generation;

bool knows(Generation generation, std::string_view mnemonic) {
  return test::decoded(generation, {mnemonic, {}, {}}).known;
}

class EveryGeneration : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] Generation generation() const { return static_cast<Generation>(GetParam()); }
};

TEST_P(EveryGeneration, NamesAreSortedAndUnique) {
  const auto names = mnemonics(table_of(generation()));
  EXPECT_GT(names.size(), 80U);
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end(), std::greater_equal<>{}), names.end());
}

TEST_P(EveryGeneration, EveryNameDecodesToItsOwnRow) {
  const OpcodeTable& table = table_of(generation());
  const auto names = mnemonics(table);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const StaticInst inst = test::decoded(generation(), {names[i], {}, {}});
    EXPECT_TRUE(inst.known) << names[i];
    EXPECT_EQ(inst.opcode, i) << names[i];
    EXPECT_NE(inst.cls, InstClass::other) << names[i];
    EXPECT_EQ(names[i].find_first_of(" ."), std::string_view::npos) << names[i];
  }
}

TEST_P(EveryGeneration, TheTableIsOneObjectForTheWholeProgram) {
  EXPECT_EQ(&table_of(generation()), &table_of(generation()));
}

TEST_P(EveryGeneration, HasTheCoreOfEveryGpu) {
  for (const std::string_view name :
       {"FADD", "FMUL", "FFMA", "DADD",   "DFMA", "IMAD", "MOV",  "SEL", "ISETP", "MUFU", "F2I",
        "I2F",  "POPC", "LD",   "ST",     "LDS",  "STS",  "LDL",  "STL", "LDC",   "ATOM", "RED",
        "BRA",  "EXIT", "BAR",  "MEMBAR", "NOP",  "S2R",  "VOTE", "TEX", "DEPBAR"}) {
    EXPECT_TRUE(knows(generation(), name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryGeneration, testing::Range(0, 9), [](const auto& param) {
  return std::string{name_of(static_cast<Generation>(param.param))};
});

TEST(Generations, NewInstructionsAppearWhenTheyDid) {
  struct Debut {
    std::string_view mnemonic;
    Generation first;
  };
  for (const Debut& d :
       {Debut{"SHFL", kepler}, {"LDG", kepler},     {"XMAD", maxwell},     {"LOP3", maxwell},
        {"IADD3", maxwell},    {"HFMA2", maxwell},  {"IDP", pascal},       {"HMMA", volta},
        {"MATCH", volta},      {"BSSY", volta},     {"ATOMG", volta},      {"LDSM", turing},
        {"ULDC", turing},      {"BMMA", turing},    {"R2UR", turing},      {"LDGSTS", ampere},
        {"DMMA", ampere},      {"REDUX", ampere},   {"LDGDEPBAR", ampere}, {"QMMA", ada},
        {"HGMMA", hopper},     {"UTMALDG", hopper}, {"SYNCS", hopper},     {"VIADD", hopper},
        {"STSM", hopper}}) {
    EXPECT_TRUE(knows(d.first, d.mnemonic)) << d.mnemonic;
    EXPECT_FALSE(knows(static_cast<Generation>(static_cast<int>(d.first) - 1), d.mnemonic)) << d.mnemonic;
    if (d.mnemonic != "XMAD") {
      EXPECT_TRUE(knows(hopper, d.mnemonic)) << d.mnemonic;
    }
  }
}

TEST(Generations, OldInstructionsDisappear) {
  for (const std::string_view name :
       {"XMAD", "SSY", "SYNC", "PBK", "BFE", "RRO", "CAL", "TEXDEPBAR", "DMNMX"}) {
    EXPECT_TRUE(knows(pascal, name)) << name;
    EXPECT_FALSE(knows(volta, name)) << name;
  }
}

TEST(Table, FindsNothingThatIsNotThere) {
  const OpcodeTable& table = table_of(ampere);
  EXPECT_EQ(table.find(""), kUnknownOpcode);
  EXPECT_EQ(table.find("IADD3X"), kUnknownOpcode);
  EXPECT_EQ(table.find("iadd3"), kUnknownOpcode);
  EXPECT_EQ(table.find("ZZZ"), kUnknownOpcode);
  EXPECT_EQ(table.generation(), ampere);
}

}  // namespace
}  // namespace wg::isa
