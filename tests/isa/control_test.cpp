#include <gtest/gtest.h>

#include "support.hpp"

namespace wg::isa {
namespace {

using enum Generation;

TEST(Control, DepbarsTellWaitsFromCommits) {
  struct Row {
    Generation generation;
    std::string_view mnemonic;
    GroupOp group;
  };
  for (const Row& row : {Row{ampere, "DEPBAR.LE", GroupOp::wait_copy},
                         {ampere, "LDGDEPBAR", GroupOp::commit_copy},
                         {hopper, "UTMACMDFLUSH", GroupOp::commit_bulk},
                         {hopper, "WARPGROUP.DEPBAR.LE", GroupOp::wait_wgmma},
                         {hopper, "WARPGROUP.ARRIVE", GroupOp::none},
                         {ampere, "BAR.SYNC", GroupOp::none},
                         {ampere, "LDGSTS.E.128", GroupOp::none}}) {
    EXPECT_EQ(test::decoded(row.generation, {row.mnemonic, {}, {}}).group, row.group) << row.mnemonic;
  }
}

TEST(Control, OnlyArrivesDoNotWait) {
  EXPECT_TRUE(test::decoded(ampere, {"BAR.ARV", {}, {}}).arrive_only);
  EXPECT_TRUE(test::decoded(hopper, {"UCGABAR_ARV", {}, {}}).arrive_only);
  EXPECT_FALSE(test::decoded(ampere, {"BAR.SYNC", {}, {}}).arrive_only);
  EXPECT_FALSE(test::decoded(ampere, {"BAR.RED.AND", {}, {}}).arrive_only);
  EXPECT_FALSE(test::decoded(hopper, {"UCGABAR_WAIT", {}, {}}).arrive_only);
}

TEST(Control, PassesThroughPlaceImmediateAndLine) {
  RawInst raw;
  raw.pc = 0x1210;
  raw.mnemonic = "DEPBAR.LE";
  raw.imm = 3;
  raw.line = 77;
  const StaticInst inst = decode(table_of(ampere), raw);
  EXPECT_EQ(inst.pc, 0x1210U);
  EXPECT_EQ(inst.imm, 3);
  EXPECT_EQ(inst.line, 77U);
  EXPECT_FALSE(inst.has_address);
  EXPECT_EQ(inst.width, 0);
  EXPECT_EQ(inst.tensor_fma, 0U);
  EXPECT_EQ(inst.tensor_bits, 0);
}

}  // namespace
}  // namespace wg::isa
