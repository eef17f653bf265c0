#include <gtest/gtest.h>

#include "support.hpp"

namespace wg::isa {
namespace {

using enum Generation;
using C = InstClass;

InstClass class_of(Generation generation, std::string_view mnemonic) {
  const StaticInst inst = test::decoded(generation, {mnemonic, {}, {}});
  EXPECT_TRUE(inst.known) << mnemonic;
  return inst.cls;
}

struct Row {
  std::string_view mnemonic;
  InstClass cls;
};

TEST(Class, OfAmpereMnemonics) {
  for (const Row& row : {Row{"FFMA.FTZ", C::fp32},
                         {"FADD", C::fp32},
                         {"FSETP.GEU.AND", C::fp32_alu},
                         {"FMNMX.FTZ", C::fp32_alu},
                         {"FSWZADD", C::fp32_alu},
                         {"FCHK", C::fp32_alu},
                         {"F2FP.PACK_AB", C::fp32_alu},
                         {"IADD3.X", C::integer},
                         {"LOP3.LUT", C::integer},
                         {"LEA.HI.X.SX32", C::integer},
                         {"SHF.R.S32.HI", C::integer},
                         {"PRMT", C::integer},
                         {"MOV", C::integer},
                         {"IMNMX", C::integer},
                         {"IMAD", C::imad},
                         {"IMAD.MOV.U32", C::imad},
                         {"IMAD.IADD", C::imad},
                         {"IMAD.SHL.U32", C::imad},
                         {"IDP.4A.S8.S8", C::imad},
                         {"IMAD.WIDE.U32", C::imad_wide},
                         {"IMAD.HI.U32", C::imad_wide},
                         {"HFMA2.MMA", C::fp16},
                         {"HADD2.F32", C::fp16},
                         {"HSETP2.GT.AND", C::fp16},
                         {"DFMA", C::fp64},
                         {"DSETP.MAX.AND", C::fp64},
                         {"MUFU.RCP64H", C::mufu},
                         {"F2I.FTZ.U32.TRUNC.NTZ", C::conversion},
                         {"I2F.U32.RP", C::conversion},
                         {"FRND.FLOOR", C::conversion},
                         {"F2F.F64.F32", C::conversion},
                         {"FLO.U32.SH", C::bitcount},
                         {"POPC", C::bitcount},
                         {"BREV", C::bitcount},
                         {"HMMA.16816.F32", C::tensor},
                         {"IMMA.16832.S8.S8", C::tensor},
                         {"BMMA.168256.XOR.POPC", C::tensor},
                         {"DMMA.884", C::tensor_fp64},
                         {"UIADD3", C::uniform},
                         {"ULDC.64", C::uniform},
                         {"R2UR", C::uniform},
                         {"S2UR", C::uniform},
                         {"UIMAD.WIDE", C::uniform},
                         {"PLOP3.LUT", C::predicate},
                         {"P2R", C::predicate},
                         {"R2P", C::predicate},
                         {"S2R", C::special},
                         {"CS2R.32", C::special},
                         {"B2R.RESULT", C::special},
                         {"SHFL.BFLY", C::shuffle},
                         {"VOTE.ANY", C::vote},
                         {"VOTEU.ANY", C::vote},
                         {"MATCH.ALL", C::vote},
                         {"REDUX.SUM", C::vote},
                         {"BRA.DIV", C::branch},
                         {"BSSY", C::branch},
                         {"BSYNC", C::branch},
                         {"WARPSYNC", C::branch},
                         {"CALL.REL.NOINC", C::branch},
                         {"RET.REL.NODEC", C::branch},
                         {"EXIT", C::exit},
                         {"BAR.SYNC.DEFER_BLOCKING", C::barrier},
                         {"MEMBAR.SC.GPU", C::membar},
                         {"ERRBAR", C::membar},
                         {"CCTL.IVALL", C::membar},
                         {"DEPBAR.LE", C::depbar},
                         {"LDGDEPBAR", C::depbar},
                         {"ARRIVES.LDGSTSBAR.64", C::mbarrier},
                         {"LDG.E", C::load},
                         {"STG.E", C::store},
                         {"ATOMG.E.ADD.STRONG.GPU", C::atomic},
                         {"ATOMS.ADD", C::atomic},
                         {"RED.E.ADD.STRONG.GPU", C::reduction},
                         {"LDGSTS.E.BYPASS.128", C::ldgsts},
                         {"LDSM.16.M88.4", C::ldsm},
                         {"MOVM.16.MT88", C::ldsm},
                         {"LDC.64", C::constant},
                         {"TEX.SCR.LL", C::texture},
                         {"SULD.D.BA.2D.64", C::texture},
                         {"NOP", C::nop},
                         {"YIELD", C::nop},
                         {"NANOSLEEP", C::nop}}) {
    EXPECT_EQ(class_of(ampere, row.mnemonic), row.cls) << row.mnemonic;
  }
}

TEST(Class, OfHopperMnemonics) {
  for (const Row& row : {Row{"HGMMA.64x256x16.F32", C::wgmma},
                         {"QGMMA.64x8x32.F32.E4M3.E4M3", C::wgmma},
                         {"WARPGROUP.DEPBAR.LE", C::depbar},
                         {"WARPGROUP.ARRIVE", C::nop},
                         {"UTMALDG.2D", C::tma},
                         {"UTMASTG.3D", C::tma},
                         {"UBLKCP.S.G", C::tma},
                         {"UTMACMDFLUSH", C::depbar},
                         {"UTMACCTL.PF", C::membar},
                         {"FENCE.VIEW.ASYNC.S", C::membar},
                         {"CGAERRBAR", C::membar},
                         {"SYNCS.PHASECHK.TRANS64.TRYWAIT", C::mbarrier},
                         {"UCGABAR_ARV", C::mbarrier},
                         {"STSM.16.M88.4", C::ldsm},
                         {"VIADD", C::integer},
                         {"VIADDMNMX", C::integer},
                         {"ELECT", C::vote},
                         {"REDG.E.ADD.F32.FTZ.RN.STRONG.GPU", C::reduction},
                         {"USETMAXREG.DEALLOC", C::nop}}) {
    EXPECT_EQ(class_of(hopper, row.mnemonic), row.cls) << row.mnemonic;
  }
}

TEST(Class, OfPascalMnemonics) {
  for (const Row& row : {Row{"XMAD.PSL.CBCC", C::imad},
                         {"ISCADD", C::integer},
                         {"IADD.X", C::integer},
                         {"SHL", C::integer},
                         {"LDS.U.128", C::load},
                         {"SSY", C::branch},
                         {"SYNC", C::branch},
                         {"RRO.SINCOS", C::mufu},
                         {"MEMBAR.CTA", C::membar}}) {
    EXPECT_EQ(class_of(pascal, row.mnemonic), row.cls) << row.mnemonic;
  }
}

TEST(Class, SpacesOfMemoryInstructions) {
  struct Place {
    std::string_view mnemonic;
    Space space;
  };
  for (const Place& row : {Place{"LD.E", Space::generic},
                           {"LDG.E", Space::global},
                           {"LDL", Space::local},
                           {"LDS", Space::shared},
                           {"LDC", Space::constant},
                           {"ULDC", Space::constant},
                           {"ST.E", Space::generic},
                           {"ATOM.E.ADD", Space::generic},
                           {"ATOMG.E.ADD", Space::global},
                           {"ATOMS.ADD", Space::shared},
                           {"RED.E.ADD", Space::global},
                           {"LDGSTS.E", Space::global},
                           {"LDSM.16.M88", Space::shared},
                           {"TEX", Space::texture},
                           {"FADD", Space::none},
                           {"MEMBAR", Space::none}}) {
    EXPECT_EQ(test::decoded(ampere, {row.mnemonic, {}, {}}).space, row.space) << row.mnemonic;
  }
}

}  // namespace
}  // namespace wg::isa
