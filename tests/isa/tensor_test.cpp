// Matrix instructions: registers per lane and multiply-adds per warp, each product m * n * k written out.
#include <gtest/gtest.h>

#include "support.hpp"

namespace wg::isa {
namespace {

using enum Generation;

struct Matrix {
  Generation generation;
  std::string_view mnemonic;
  int a;
  int b;
  int accumulators;
  std::uint32_t fma;
  int bits;
};

void check(std::initializer_list<Matrix> rows) {
  for (const Matrix& m : rows) {
    const StaticInst inst = test::decoded(m.generation, {m.mnemonic, {100}, {20, 40, 100}});
    ASSERT_EQ(inst.dst_count, 1) << m.mnemonic;
    ASSERT_EQ(inst.src_count, 3) << m.mnemonic;
    EXPECT_EQ(inst.dst[0].count, m.accumulators) << m.mnemonic;
    EXPECT_EQ(inst.src[0].count, m.a) << m.mnemonic;
    EXPECT_EQ(inst.src[1].count, m.b) << m.mnemonic;
    EXPECT_EQ(inst.src[2].count, m.accumulators) << m.mnemonic;
    EXPECT_EQ(inst.tensor_fma, m.fma) << m.mnemonic;
    EXPECT_EQ(inst.tensor_bits, m.bits) << m.mnemonic;
  }
}

TEST(Tensor, VoltaSteps) {
  check({{volta, "HMMA.884.F32.F32.STEP0", 2, 2, 2, 256, 16},
         {volta, "HMMA.884.F32.F32.STEP3", 2, 2, 2, 256, 16},
         {volta, "HMMA.884.F32.F16.STEP1", 2, 2, 2, 256, 16},
         {volta, "HMMA.884.F16.F16.STEP1", 2, 2, 2, 512, 16}});
}

TEST(Tensor, VoltaStepsAddUpToTheWarpsMultiply) {
  const auto fma = [](std::string_view mnemonic) {
    return test::decoded(volta, {mnemonic, {0}, {4, 6, 0}}).tensor_fma;
  };
  // wmma 16 x 16 x 16 compiles to 16 steps with FP32 and 8 with FP16 accumulators.
  EXPECT_EQ(16 * fma("HMMA.884.F32.F32.STEP2"), 16U * 16 * 16);
  EXPECT_EQ(8 * fma("HMMA.884.F16.F16.STEP0"), 16U * 16 * 16);
}

TEST(Tensor, HalfPrecision) {
  check({{turing, "HMMA.1688.F32", 2, 1, 4, 16 * 8 * 8, 16},
         {turing, "HMMA.1688.F16", 2, 1, 2, 16 * 8 * 8, 16},
         {ampere, "HMMA.16816.F32", 4, 2, 4, 16 * 8 * 16, 16},
         {ampere, "HMMA.16816.F16", 4, 2, 2, 16 * 8 * 16, 16},
         {ampere, "HMMA.16816.F32.BF16", 4, 2, 4, 16 * 8 * 16, 16},
         {ampere, "HMMA.1688.F32.BF16", 2, 1, 4, 16 * 8 * 8, 16}});
}

TEST(Tensor, Tf32) {
  check({{ampere, "HMMA.1688.F32.TF32", 4, 2, 4, 16 * 8 * 8, 32},
         {ampere, "HMMA.1684.F32.TF32", 2, 1, 4, 16 * 8 * 4, 32}});
}

TEST(Tensor, Integers) {
  check({{turing, "IMMA.8816.S8.S8", 1, 1, 2, 8 * 8 * 16, 8},
         {turing, "IMMA.8832.S4.S4", 1, 1, 2, 8 * 8 * 32, 4},
         {ampere, "IMMA.16816.S8.S8", 2, 1, 4, 16 * 8 * 16, 8},
         {ampere, "IMMA.16832.S8.S8.SAT", 4, 2, 4, 16 * 8 * 32, 8},
         {ampere, "IMMA.16832.U4.U4", 2, 1, 4, 16 * 8 * 32, 4},
         {ampere, "IMMA.16864.S4.S4", 4, 2, 4, 16 * 8 * 64, 4}});
}

TEST(Tensor, SingleBits) {
  check({{turing, "BMMA.88128.XOR.POPC", 1, 1, 2, 8 * 8 * 128, 1},
         {ampere, "BMMA.168128.AND.POPC", 2, 1, 4, 16 * 8 * 128, 1},
         {ampere, "BMMA.168256.XOR.POPC", 4, 2, 4, 16 * 8 * 256, 1}});
}

TEST(Tensor, Doubles) {
  check({{ampere, "DMMA.884", 2, 2, 4, 8 * 8 * 4, 64},
         {hopper, "DMMA.1684", 4, 2, 8, 16 * 8 * 4, 64},
         {hopper, "DMMA.16816", 16, 8, 8, 16 * 8 * 16, 64}});
}

TEST(Tensor, EightBitFloats) {
  check({{ada, "QMMA.16832.F32.E4M3.E4M3", 4, 2, 4, 16 * 8 * 32, 8},
         {ada, "QMMA.16832.F16.E5M2.E4M3", 4, 2, 2, 16 * 8 * 32, 8}});
}

TEST(Tensor, SparseSkipsHalfOfKAndOfA) {
  const StaticInst inst = test::decoded(ampere, {"HMMA.SP.16832.F32", {12}, {8, 16, 12, 6}});
  EXPECT_EQ(test::writes(inst), "R12*4");
  EXPECT_EQ(test::reads(inst), "R8*4 R16*4 R12*4 R6*1");
  EXPECT_EQ(inst.tensor_fma, 16U * 8 * 32 / 2);
}

TEST(Tensor, ZeroAccumulatorKeepsThePlacesOfAAndB) {
  const StaticInst inst = test::decoded(ampere, {"HMMA.16816.F32", {8}, {4, 22, test::kRZ}});
  EXPECT_EQ(test::reads(inst), "R4*4 R22*2");
}

TEST(Tensor, AShapeThatCannotBeReadStillCounts) {
  for (const std::string_view mnemonic : {"HMMA", "HMMA.16899999999.F32", "HMMA.168.F32", "HMMA.168x.F32"}) {
    const StaticInst inst = test::decoded(ampere, {mnemonic, {8}, {4, 22, 8}});
    EXPECT_EQ(inst.tensor_fma, 16U * 8 * 16) << mnemonic;
    EXPECT_EQ(test::reads(inst), "R4*4 R22*2 R8*4") << mnemonic;
  }
}

TEST(Warpgroup, EachWarpDoesAQuarter) {
  struct Row {
    std::string_view mnemonic;
    int accumulators;
    std::uint32_t fma;
    int bits;
  };
  for (const Row& row : {Row{"HGMMA.64x256x16.F32", 128, 64 * 256 * 16 / 4, 16},
                         {"HGMMA.64x64x16.F32.BF16", 32, 64 * 64 * 16 / 4, 16},
                         {"HGMMA.64x8x16.F16", 2, 64 * 8 * 16 / 4, 16},
                         {"HGMMA.64x8x8.F32.TF32", 4, 64 * 8 * 8 / 4, 32},
                         {"QGMMA.64x128x32.F32.E4M3.E4M3", 64, 64 * 128 * 32 / 4, 8},
                         {"IGMMA.64x8x32.S8.S8", 4, 64 * 8 * 32 / 4, 8},
                         {"BGMMA.64x8x256.AND.POPC", 4, 64 * 8 * 256 / 4, 1}}) {
    const StaticInst inst = test::decoded(hopper, {row.mnemonic, {24}, {24}});
    EXPECT_EQ(inst.cls, InstClass::wgmma);
    ASSERT_EQ(inst.dst_count, 1) << row.mnemonic;
    ASSERT_EQ(inst.src_count, 1) << row.mnemonic;
    EXPECT_EQ(inst.dst[0].count, row.accumulators) << row.mnemonic;
    EXPECT_EQ(inst.src[0].count, row.accumulators) << row.mnemonic;
    EXPECT_EQ(inst.tensor_fma, row.fma) << row.mnemonic;
    EXPECT_EQ(inst.tensor_bits, row.bits) << row.mnemonic;
  }
}

TEST(Warpgroup, AMayComeFromRegisters) {
  const auto registers = [](std::vector<std::uint16_t> src) {
    return test::reads(test::decoded(hopper, {"HGMMA.64x64x16.F32", {24}, std::move(src)}));
  };
  EXPECT_EQ(registers({4, 24}), "R4*4 R24*32");
  EXPECT_EQ(registers({4, test::kRZ}), "R4*4");
  EXPECT_EQ(registers({test::kRZ}), "");
}

TEST(Warpgroup, SparseAddsMetadata) {
  const StaticInst inst = test::decoded(hopper, {"HGMMA.SP.64x64x32.F32", {24}, {4, 24, 3}});
  EXPECT_EQ(test::reads(inst), "R4*4 R24*32 R3*1");
  EXPECT_EQ(inst.tensor_fma, 64U * 64 * 32 / 2 / 4);
}

}  // namespace
}  // namespace wg::isa
