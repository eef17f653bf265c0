// The stand-in for predicates in traces that do not name them, and the names of those that do.
#include <gtest/gtest.h>

#include "support.hpp"

namespace wg::isa {
namespace {

using enum Generation;
using test::Line;

bool has_predicate(std::span<const RegRange> ranges) {
  for (const RegRange& range : ranges) {
    if (range.first == kRegAnyPredicate) {
      return true;
    }
  }
  return false;
}

struct Use {
  Generation generation;
  Line line;
  bool writes;
  bool reads;
};

void check(std::initializer_list<Use> uses) {
  for (const Use& use : uses) {
    const StaticInst inst = test::decoded(use.generation, use.line);
    EXPECT_EQ(has_predicate(inst.writes()), use.writes) << use.line.mnemonic;
    EXPECT_EQ(has_predicate(inst.reads()), use.reads) << use.line.mnemonic;
    Line named = use.line;
    named.names_predicates = true;
    const StaticInst plain = test::decoded(use.generation, named);
    EXPECT_FALSE(has_predicate(plain.writes()) || has_predicate(plain.reads())) << use.line.mnemonic;
  }
}

TEST(Predicates, ComparesWriteOne) {
  check({{ampere, {"ISETP.GE.AND", {}, {6}}, true, false},
         {ampere, {"FSETP.NEU.AND", {}, {11, 255}}, true, false},
         {ampere, {"DSETP.GT.AND", {}, {4, 2}}, true, false},
         {ampere, {"HSETP2.GT.AND", {}, {4, 2}}, true, false},
         {ampere, {"FCHK", {}, {4, 2}}, true, false},
         {ampere, {"R2P", {}, {7}, 6}, true, false}});
}

TEST(Predicates, CombinedComparesReadOne) {
  check({{ampere, {"ISETP.NE.OR", {}, {28, 255}}, true, true},
         {ampere, {"ISETP.GE.U32.AND.EX", {}, {3, 255}}, true, true},
         {pascal, {"ISETP.GT.X.AND", {}, {3, 255}}, true, true},
         {ampere, {"FSETP.GT.XOR", {}, {3, 4}}, true, true}});
}

TEST(Predicates, SelectsCarriesAndVotesReadOne) {
  check({{ampere, {"SEL", {2}, {2}}, false, true},
         {ampere, {"FSEL", {6}, {6, 11}}, false, true},
         {ampere, {"IMNMX", {16}, {6, 13}}, false, true},
         {ampere, {"FMNMX.FTZ", {5}, {8}}, false, true},
         {hopper, {"VIMNMX", {5}, {8, 9}}, false, true},
         {ampere, {"IADD3.X", {15}, {16, 255}}, false, true},
         {ampere, {"IADD3", {15}, {16, 255}}, false, false},
         {ampere, {"IMAD.X", {15}, {255, 255, 17}}, false, true},
         {ampere, {"LEA.HI.X", {15}, {10, 15}}, false, true},
         {ampere, {"LEA.HI", {15}, {10, 15}}, false, false},
         {pascal, {"IADD.X", {19}, {0}}, false, true},
         {ampere, {"P2R", {12}, {255}, 2}, false, true},
         {ampere, {"VOTE.ANY", {5}, {}}, false, true},
         {ampere, {"VOTE.ALL", {}, {}}, true, true},
         {ampere, {"PLOP3.LUT", {}, {}}, true, true},
         {pascal, {"PSETP.AND.AND", {}, {}}, true, true},
         {ampere, {"FADD", {5}, {8, 9}}, false, false}});
}

TEST(Predicates, ControlFlowReadsOne) {
  check({{ampere, {"BRA", {}, {}}, false, true},
         {ampere, {"EXIT", {}, {}}, false, true},
         {ampere, {"BRX", {}, {4}}, false, true},
         {ampere, {"BREAK", {}, {}}, false, true},
         {pascal, {"BRK", {}, {}}, false, true},
         {pascal, {"SYNC", {}, {}}, false, true},
         {pascal, {"SSY", {}, {}}, false, false},
         {ampere, {"BSSY", {}, {}}, false, false},
         {ampere, {"BAR.RED.POPC", {}, {}}, false, true},
         {ampere, {"BAR.SYNC", {}, {}}, false, false}});
}

TEST(Predicates, UniformOnesAreOthers) {
  check({{ampere, {"UISETP.GE.AND", {}, {}}, false, false},
         {ampere, {"USEL", {}, {}}, false, false},
         {ampere, {"UIADD3.X", {}, {}}, false, false}});
}

StaticInst version6(Line line) {
  line.names_predicates = true;
  return test::decoded(hopper, line);
}

TEST(NamedPredicates, AreTakenAsTheyAre) {
  const StaticInst inst = version6({"ISETP.GE.AND", {test::p(2)}, {4, 5, kRegPredicateTrue}});
  EXPECT_EQ(test::writes(inst), "P2*1");
  EXPECT_EQ(test::reads(inst), "R4*1 R5*1");
}

TEST(NamedPredicates, UniformRegistersHaveWidthsToo) {
  EXPECT_EQ(test::writes(version6({"ULDC.64", {test::ur(4)}, {}})), "UR4*2");
  EXPECT_EQ(test::writes(version6({"UIMAD.WIDE", {test::ur(4)}, {test::ur(8), test::ur(9), test::ur(10)}})),
            "UR4*2");
  EXPECT_EQ(test::reads(version6({"UIMAD.WIDE", {test::ur(4)}, {test::ur(8), test::ur(9), test::ur(10)}})),
            "UR8*1 UR9*1 UR10*2");
  EXPECT_EQ(test::reads(version6({"UIADD3", {test::ur(4)}, {kRegUniformZero, test::ur(9)}})), "UR9*1");
}

TEST(NamedPredicates, DescriptorsDoNotShiftTheDataOfAStore) {
  const StaticInst inst = version6({"STG.E.128", {}, {test::ur(4), 2, 12}});
  EXPECT_EQ(test::reads(inst), "UR4*2 R2*2 R12*4");
  EXPECT_EQ(test::reads(version6({"STS.64", {}, {test::ur(4), 12}})), "UR4*1 R12*2");
  EXPECT_EQ(test::reads(version6({"HGMMA.64x64x16.F32", {24}, {test::ur(8), 24}})), "UR8*2 R24*32");
}

TEST(NamedPredicates, LeadingPredicateStillYieldsTheResult) {
  const StaticInst shuffle = version6({"SHFL.BFLY", {kRegPredicateTrue}, {47, 62}});
  EXPECT_EQ(test::writes(shuffle), "R47*1");
  EXPECT_EQ(test::reads(shuffle), "R62*1");
  const StaticInst logic = version6({"LOP3.LUT", {test::p(1)}, {5, 6, 7}});
  EXPECT_EQ(test::writes(logic), "P1*1 R5*1");
  EXPECT_EQ(test::reads(logic), "R6*1 R7*1");
}

TEST(NamedPredicates, UniformFactorsKeepTheirPlace) {
  EXPECT_EQ(test::reads(version6({"IMAD.WIDE", {2}, {6, test::ur(4), 8}})), "R6*1 UR4*1 R8*2");
}

TEST(NamedPredicates, UniformPredicatesAreRegistersOfTheirOwn) {
  EXPECT_EQ(test::writes(version6({"UISETP.GE.AND", {kRegUniformPredicate0}, {test::ur(1)}})), "UP0*1");
  EXPECT_EQ(test::reads(version6({"USEL", {test::ur(1)}, {kRegUniformPredicate0 + 7}})), "");  // UPT
}

}  // namespace
}  // namespace wg::isa
