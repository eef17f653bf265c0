// Register widths of what computes. Lines marked [trace] are spelled as in a real trace.
#include <gtest/gtest.h>

#include "support.hpp"

namespace wg::isa {
namespace {

using enum Generation;
using test::Case;
using test::kRZ;

void check(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    const StaticInst inst = test::decoded(c.generation, c.line);
    EXPECT_TRUE(inst.known) << c.line.mnemonic;
    EXPECT_EQ(test::writes(inst), c.writes) << c.line.mnemonic;
    EXPECT_EQ(test::reads(inst), c.reads) << c.line.mnemonic;
  }
}

TEST(Registers, ThirtyTwoBitOperandsAreSingle) {
  check({{volta, {"FFMA", {9}, {14, 16, 9}}, "R9*1", "R14*1 R16*1 R9*1"},
         {ampere, {"HFMA2.MMA", {13}, {kRZ, kRZ}}, "R13*1", ""},
         {ampere, {"F2FP.PACK_AB", {16}, {5, 4}}, "R16*1", "R5*1 R4*1"},
         {pascal, {"XMAD.PSL.CBCC", {0}, {3, 2, 0}}, "R0*1", "R3*1 R2*1 R0*1"},
         {turing, {"MUFU.RCP64H", {5}, {3}}, "R5*1", "R3*1"},
         {ampere, {"LEA.HI", {0}, {2, 3, kRZ}}, "R0*1", "R2*1 R3*1"},
         {ampere, {"SHF.L.U64.HI", {27}, {18, 21}, 2}, "R27*1", "R18*1 R21*1"},
         {hopper, {"SHF.R.S64", {6}, {kRZ, 2}, 30}, "R6*1", "R2*1"}});
}

TEST(Registers, ZeroIsNeverADependence) {
  check({{ampere, {"IADD3", {kRZ}, {kRZ, kRZ, kRZ}}, "", ""}, {pascal, {"MOV", {11}, {kRZ}}, "R11*1", ""}});
}

TEST(Registers, DoublesArePairs) {
  check({{volta, {"DADD", {6}, {4, 2}}, "R6*2", "R4*2 R2*2"},
         {volta, {"DFMA", {6}, {4, 2, 8}}, "R6*2", "R4*2 R2*2 R8*2"},
         {pascal, {"DMUL", {6}, {4, 2}}, "R6*2", "R4*2 R2*2"},
         {volta, {"DSETP.GT.AND", {}, {4, 2}}, "P*1", "R4*2 R2*2"}});
}

TEST(Registers, WideProductsTakeA64BitAddend) {
  check({{hopper, {"IMAD.WIDE.U32", {4}, {0, 7, 8}}, "R4*2", "R0*1 R7*1 R8*2"},
         {hopper, {"IMAD.WIDE.U32", {4}, {0, 7, kRZ}}, "R4*2", "R0*1 R7*1"},
         {hopper, {"IMAD.HI.U32", {3}, {3, 5, 2}}, "R3*1", "R3*1 R5*1 R2*2"},  // [trace]
         {ampere, {"IMAD", {3}, {3, 4, 6}}, "R3*1", "R3*1 R4*1 R6*1"},
         {ampere, {"IMAD", {3}, {3, 4}}, "R3*1", "R3*1 R4*1"},
         {ampere, {"IMAD.SHL.U32", {27}, {27, kRZ}, 4}, "R27*1", "R27*1"}});
}

// One factor or the addend is an immediate or a constant that the trace does not list.
TEST(Registers, AnEvenSecondRegisterOfAWideProductIsTheAddend) {
  check({{volta, {"IMAD.WIDE", {2}, {6, 3}}, "R2*2", "R6*1 R3*1"},             // [trace] addend constant
         {ampere, {"IMAD.WIDE.U32", {4}, {0, 2}, 4}, "R4*2", "R0*1 R2*2"},     // [trace] factor 4
         {ampere, {"IMAD.WIDE.U32", {12}, {54, 12}}, "R12*2", "R54*1 R12*2"},  // [trace] factor constant
         {ampere, {"IMAD.HI.U32", {6}, {11, 2}}, "R6*1", "R11*1 R2*2"}});      // [trace] R2 = 0, R3 = R11
}

TEST(Registers, ConversionsNameTheirWidths) {
  check({{volta, {"F2F.F64.F32", {4}, {2}}, "R4*2", "R2*1"},
         {volta, {"F2F.F32.F64", {4}, {2}}, "R4*1", "R2*2"},
         {volta, {"F2F.F16.F32", {4}, {2}}, "R4*1", "R2*1"},
         {volta, {"FRND.F64.FLOOR", {4}, {2}}, "R4*2", "R2*2"},
         {volta, {"FRND.CEIL", {4}, {2}}, "R4*1", "R2*1"},
         {volta, {"F2I.F64.TRUNC", {4}, {2}}, "R4*1", "R2*2"},
         {volta, {"F2I.S64.TRUNC", {4}, {2}}, "R4*2", "R2*1"},
         {volta, {"F2I.U64.F64.TRUNC", {4}, {2}}, "R4*2", "R2*2"},
         {hopper, {"F2I.FTZ.U32.TRUNC.NTZ", {3}, {2}}, "R3*1", "R2*1"},
         {volta, {"I2F.F64", {4}, {2}}, "R4*2", "R2*1"},
         {volta, {"I2F.S64", {4}, {2}}, "R4*1", "R2*2"},
         {volta, {"I2F.F64.U64", {4}, {2}}, "R4*2", "R2*2"},
         {hopper, {"I2F.U32.RP", {4}, {}}, "R4*1", ""}});
}

TEST(Registers, ClockReadsAre64BitUnlessSaid) {
  check({{ampere, {"CS2R", {8}, {}}, "R8*2", ""},
         {ampere, {"CS2R.32", {8}, {}}, "R8*1", ""},
         {ampere, {"S2R", {8}, {}}, "R8*1", ""}});
}

TEST(Registers, CodeAddressesArePairsFromVoltaOn) {
  check({{ampere, {"LEPC", {20}, {}}, "R20*2", ""},
         {ampere, {"CALL.ABS.NOINC", {}, {20}}, "", "R20*2"},
         {ampere, {"RET.REL.NODEC", {}, {4}}, "", "R4*2 P*1"},
         {volta, {"BRX", {}, {4}}, "", "R4*2 P*1"},
         {pascal, {"BRX", {}, {4}}, "", "R4*1 P*1"}});
}

TEST(Registers, ShufflesNameTheResultAmongTheSources) {
  check({{ampere, {"SHFL.BFLY", {}, {47, 62}, 31}, "R47*1", "R62*1"},      // [trace]
         {ampere, {"SHFL.DOWN", {}, {4, 3, 2}, 31}, "R4*1", "R3*1 R2*1"},  // [trace]
         {volta, {"SHFL.IDX", {}, {kRZ, kRZ, kRZ, kRZ}}, "", ""},          // [trace]
         {pascal, {"SHFL.IDX", {}, {7, 5, 6, 8}}, "R7*1", "R5*1 R6*1 R8*1"}});
}

TEST(Registers, OtherPredicateFirstFormsDoSoToo) {
  check({{ampere, {"LOP3.LUT", {}, {kRZ, 13, kRZ}, 192}, "P*1", "R13*1"},  // [trace]
         {ampere, {"LOP3.LUT", {}, {5, 13, kRZ}, 192}, "R5*1 P*1", "R13*1"},
         {ampere, {"LOP3.LUT", {6}, {3, kRZ}, 192}, "R6*1", "R3*1"},  // [trace]
         {volta, {"MATCH.ALL", {}, {4, 2}}, "R4*1", "R2*1"},
         {volta, {"MATCH.ANY.U64", {4}, {2}}, "R4*1", "R2*2"},
         {volta, {"MATCH.ALL.U64", {}, {4, 2}}, "R4*1", "R2*2"}});
}

TEST(Registers, UniformResultsLeaveGeneralSources) {
  check({{hopper, {"R2UR", {}, {6}}, "", "R6*1"},
         {ampere, {"REDUX.SUM", {}, {6}}, "", "R6*1"},
         {ampere, {"UIMAD.WIDE", {}, {}, 262144}, "", ""}});
}

TEST(Registers, PackedPairsOfBlackwellTakeTheNewestTable) {
  check({{hopper, {"FFMA2", {4}, {6, 8, 10}}, "R4*2", "R6*2 R8*2 R10*2"}});
}

}  // namespace
}  // namespace wg::isa
