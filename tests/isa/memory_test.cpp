// Access widths, registers and the way to the L2 of what reaches memory. [trace] as in a real trace.
#include <gtest/gtest.h>

#include "support.hpp"

namespace wg::isa {
namespace {

using enum Generation;
using test::kRZ;

struct Access {
  Generation generation;
  test::Line line;
  int width;
  std::string_view writes;
  std::string_view reads;
};

void check(std::initializer_list<Access> accesses) {
  for (const Access& a : accesses) {
    test::Line line = a.line;
    line.has_address = true;
    const StaticInst inst = test::decoded(a.generation, line);
    EXPECT_TRUE(inst.known && inst.has_address) << a.line.mnemonic;
    EXPECT_EQ(inst.width, a.width) << a.line.mnemonic;
    EXPECT_EQ(test::writes(inst), a.writes) << a.line.mnemonic;
    EXPECT_EQ(test::reads(inst), a.reads) << a.line.mnemonic;
  }
}

TEST(Memory, LoadsWriteByWidthAndReadTheirAddress) {
  check({{volta, {"LDG.E.SYS", {8}, {2}}, 4, "R8*1", "R2*2"},
         {volta, {"LDG.E.U8.SYS", {0}, {4}}, 1, "R0*1", "R4*2"},
         {volta, {"LDG.E.S8.SYS", {0}, {4}}, 1, "R0*1", "R4*2"},
         {volta, {"LDG.E.U16.SYS", {0}, {4}}, 2, "R0*1", "R4*2"},
         {volta, {"LDG.E.S16.SYS", {0}, {4}}, 2, "R0*1", "R4*2"},
         {volta, {"LDG.E.64.SYS", {4}, {4}}, 8, "R4*2", "R4*2"},
         {ampere, {"LDG.E.128", {8}, {8}}, 16, "R8*4", "R8*2"},
         {ampere, {"LDG.E.LTC128B.64.CONSTANT", {8}, {8}}, 8, "R8*2", "R8*2"},
         {kepler, {"LD", {8}, {2}}, 4, "R8*1", "R2*1"},
         {kepler, {"LD.E.64", {8}, {2}}, 8, "R8*2", "R2*2"},
         {ampere, {"LDS", {5}, {6}}, 4, "R5*1", "R6*1"},
         {ampere, {"LDS.64", {8}, {15}}, 8, "R8*2", "R15*1"},
         {ampere, {"LDS.128", {20}, {6}}, 16, "R20*4", "R6*1"},
         {pascal, {"LDS.U.128", {12}, {2}}, 16, "R12*4", "R2*1"},
         {pascal, {"LDS.U.32", {10}, {5}}, 4, "R10*1", "R5*1"},
         {ampere, {"LDL.64", {8}, {1}}, 8, "R8*2", "R1*1"},
         {ampere, {"LDC.64", {2}, {}}, 8, "R2*2", ""},
         {ampere, {"LDC", {2}, {3}}, 4, "R2*1", "R3*1"},
         {ampere, {"ULDC.U8", {}, {}}, 1, "", ""}});
}

TEST(Memory, StoresReadAddressThenDataByWidth) {
  check({{volta, {"STG.E.SYS", {}, {12, 11}}, 4, "", "R12*2 R11*1"},
         {volta, {"STG.E.64.SYS", {}, {8, 6}}, 8, "", "R8*2 R6*2"},
         {ampere, {"STG.E.128", {}, {14, 4}}, 16, "", "R14*2 R4*4"},
         {ampere, {"STG.E.U8", {}, {4, kRZ}}, 1, "", "R4*2"},
         {ampere, {"STS.128", {}, {2, 24}}, 16, "", "R2*1 R24*4"},
         {ampere, {"STS.64", {}, {3, 40}}, 8, "", "R3*1 R40*2"},
         {ampere, {"STL", {}, {1, 40}}, 4, "", "R1*1 R40*1"}});
}

TEST(Memory, ALoneRegisterOfAStoreIsData) {
  check({{ampere, {"STS.128", {}, {24}}, 16, "", "R24*4"}, {ampere, {"LDS", {4}, {}}, 4, "R4*1", ""}});
}

TEST(Memory, AtomicsOfVoltaNameTheResultAmongTheSources) {
  check({{volta, {"ATOMG.E.ADD.STRONG.GPU", {}, {3, 4, 5}}, 4, "R3*1", "R4*2 R5*1"},
         {ampere, {"ATOMG.E.ADD.64.STRONG.GPU", {}, {2, 4, 6}}, 8, "R2*2", "R4*2 R6*2"},
         {ampere, {"ATOMG.E.ADD.F64.RN.STRONG.GPU", {}, {2, 4, 6}}, 8, "R2*2", "R4*2 R6*2"},
         {ampere, {"ATOMG.E.CAS.STRONG.GPU", {}, {7, 2, 6, 7}}, 4, "R7*1", "R2*2 R6*1 R7*1"},
         {ampere, {"ATOMG.E.CAS.64.STRONG.GPU", {}, {4, 2, 8, 6}}, 8, "R4*2", "R2*2 R8*2 R6*2"},
         {ampere, {"ATOM.E.EXCH.STRONG.SYS", {}, {3, 4, 5}}, 4, "R3*1", "R4*2 R5*1"}});
}

TEST(Memory, OtherAtomicsNameTheResultFirst) {
  check({{pascal, {"ATOM.E.ADD", {3}, {4, 5}}, 4, "R3*1", "R4*2 R5*1"},
         {pascal, {"ATOM.E.CAS", {3}, {4, 6}}, 4, "R3*1", "R4*2 R6*2"},  // a pair: compare, swap
         {ampere, {"ATOMS.ADD", {3}, {4, 5}}, 4, "R3*1", "R4*1 R5*1"},
         {ampere, {"ATOMS.CAS.64", {2}, {4, 6, 8}}, 8, "R2*2", "R4*1 R6*2 R8*2"},
         {ampere, {"ATOMS.CAST.SPIN", {5}, {2, 4, 5}}, 4, "R5*1", "R2*1 R4*1 R5*1"},
         {hopper, {"ATOMS.CAST.SPIN", {}, {2, 4, 5}}, 4, "P*1", "R2*1 R4*1 R5*1"},
         {ampere, {"ATOMS.POPC.INC.32", {kRZ}, {4}}, 4, "", "R4*1"}});
}

TEST(Memory, ReductionsReadAddressAndData) {
  check({{ampere, {"RED.E.ADD.STRONG.GPU", {}, {2, 5}}, 4, "", "R2*2 R5*1"},
         {ampere, {"RED.E.ADD.F64.RN.STRONG.GPU", {}, {2, 6}}, 8, "", "R2*2 R6*2"},
         {ampere, {"RED.E.ADD.F16x2.RN.STRONG.GPU", {}, {2, 6}}, 4, "", "R2*2 R6*1"},
         {hopper, {"REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU", {}, {8, 4}}, 16, "", "R8*2 R4*4"}});
}

TEST(Memory, AsyncCopiesReadBothAddresses) {
  check({{ampere, {"LDGSTS.E.BYPASS.LTC128B.128", {}, {4, 12}}, 16, "", "R4*1 R12*2"},  // [trace]
         {ampere, {"LDGSTS.E.64", {}, {4, 12}}, 8, "", "R4*1 R12*2"},
         {ampere, {"LDGSTS.E", {}, {12}}, 4, "", "R12*2"}});
}

TEST(Memory, MatrixLoadsWriteOneRegisterPerMatrix) {
  check({{turing, {"LDSM.16.M88", {4}, {2}}, 16, "R4*1", "R2*1"},
         {turing, {"LDSM.16.M88.2", {4}, {2}}, 16, "R4*2", "R2*1"},
         {ampere, {"LDSM.16.M88.4", {4}, {2}}, 16, "R4*4", "R2*1"},
         {ampere, {"LDSM.16.MT88.4", {4}, {2}}, 16, "R4*4", "R2*1"},
         {hopper, {"STSM.16.M88.4", {}, {0, 8}}, 16, "", "R0*1 R8*4"},
         {hopper, {"STSM.16.MT88.2", {}, {0, 8}}, 16, "", "R0*1 R8*2"}});
}

TEST(Memory, MatrixLoadsTakeAddressesFromEightLanesPerMatrix) {
  EXPECT_EQ(test::decoded(ampere, {"LDSM.16.M88", {4}, {2}}).address_lanes, 8);
  EXPECT_EQ(test::decoded(ampere, {"LDSM.16.M88.2", {4}, {2}}).address_lanes, 16);
  EXPECT_EQ(test::decoded(ampere, {"LDSM.16.M88.4", {4}, {2}}).address_lanes, 32);
  EXPECT_EQ(test::decoded(ampere, {"LDG.E", {4}, {2}}).address_lanes, 32);
}

TEST(Memory, TexturesWriteAQuadOrTwoPairs) {
  EXPECT_EQ(test::writes(test::decoded(pascal, {"TEX", {4}, {2}})), "R4*4");
  EXPECT_EQ(test::writes(test::decoded(volta, {"TEX.SCR.LL", {4}, {2}})), "R4*2");
  EXPECT_EQ(test::writes(test::decoded(volta, {"SULD.D.BA.2D.64", {4}, {2}})), "R4*2");
  EXPECT_EQ(test::reads(test::decoded(volta, {"SUST.D.BA.2D.128.TRAP", {}, {2, 4}})), "R2*2 R4*4");
}

TEST(Memory, MbarrierTokensArePairs) {
  check({{hopper, {"SYNCS.ARRIVE.TRANS64.A1T0", {6}, {2, 4}}, 8, "R6*2", "R2*1 R4*1"},
         {hopper, {"SYNCS.PHASECHK.TRANS64.TRYWAIT", {}, {2, 4}}, 8, "P*1", "R2*1 R4*1"}});
}

TEST(Memory, ScopesBeyondTheSmBypassTheL1) {
  struct Row {
    Generation generation;
    std::string_view mnemonic;
    bool bypass;
  };
  for (const Row& row : {Row{volta, "LDG.E.SYS", false},
                         {volta, "LDG.E.64.SYS", false},
                         {turing, "LDG.E.CONSTANT.SYS", false},
                         {volta, "LDG.E.STRONG.SYS", true},
                         {volta, "LDG.E.STRONG.GPU", true},
                         {ampere, "LDG.E", false},
                         {ampere, "LDG.E.CONSTANT", false},
                         {ampere, "LDG.E.EF", false},
                         {ampere, "LDG.E.STRONG.SM", false},
                         {ampere, "LDG.E.STRONG.SYS", true},
                         {ampere, "LD.E.STRONG.GPU", true},
                         {ampere, "STG.E.STRONG.SYS", true},
                         {ampere, "STG.E", false},
                         {pascal, "LDG.E.CG", true},
                         {pascal, "LD.E.CV", true},
                         {pascal, "LDG.E.CI", false},
                         {ampere, "ATOMG.E.ADD.STRONG.GPU", true},
                         {ampere, "RED.E.ADD.STRONG.GPU", true},
                         {ampere, "ATOMS.ADD", false},
                         {ampere, "LDS", false},
                         {ampere, "LDGSTS.E.BYPASS.128", true},
                         {ampere, "LDGSTS.E.128", false}}) {
    EXPECT_EQ(test::decoded(row.generation, {row.mnemonic, {}, {}}).bypass_l1, row.bypass) << row.mnemonic;
  }
}

TEST(Memory, TracedWidthCountsOnlyWhereTheMnemonicDoesNotTell) {
  const auto width = [](std::string_view mnemonic, bool has_address) {
    return test::decoded(hopper, {mnemonic, {}, {}, 0, has_address, 2}).width;
  };
  EXPECT_EQ(width("LDG.E", true), 4);
  EXPECT_EQ(width("LDSM.16.M88.4", true), 16);
  EXPECT_EQ(width("UTMALDG.2D", true), 2);
  EXPECT_EQ(width("UNHEARD.OF", true), 2);
  EXPECT_EQ(width("UNHEARD.OF", false), 0);
  EXPECT_EQ(width("FADD", false), 0);
}

}  // namespace
}  // namespace wg::isa
