// The rules of Program and WarpBuilder.
#include <gtest/gtest.h>

#include <bit>

#include "base/rng.hpp"
#include "kernels/builder_kernel.hpp"

namespace wg::kernels {
namespace {

trace::CtaTrace first_cta(const KernelCode& code, std::uint32_t sm = 80) {
  const auto decoder = make_kernel(code, sm, 1)->decoder();
  trace::CtaTrace cta;
  decoder->decode({}, cta);
  return cta;
}

TEST(Program, PcsFollowTheEncodingOfTheGeneration) {
  EXPECT_EQ(pc_of_slot(0, 70), 0U);
  EXPECT_EQ(pc_of_slot(5, 90), 0x50U);
  // As in a recorded sm_61 trace: 08 10 18 28 30 38 48.
  EXPECT_EQ(pc_of_slot(0, 61), 0x08U);
  EXPECT_EQ(pc_of_slot(2, 61), 0x18U);
  EXPECT_EQ(pc_of_slot(3, 61), 0x28U);
  EXPECT_EQ(pc_of_slot(6, 61), 0x48U);
  EXPECT_EQ(pc_of_slot(6, 35), 0x38U);
  EXPECT_EQ(pc_of_slot(7, 35), 0x48U);
  EXPECT_EQ(pc_of_slot(2, 20), 0x10U);
}

TEST(WarpBuilder, LoopsRepeatTheirPcs) {
  const KernelCode code{launch("k", {}, {32, 1, 1}, 8), [](WarpBuilder& w) {
                          const Label top = w.here();
                          for (int i = 0; i < 3; ++i) {
                            w.jump(top);
                            w.emit("FADD", 1, {1, 2});
                            w.emit("BRA");
                          }
                          w.emit("EXIT");
                        }};
  std::vector<std::uint32_t> slots;
  for (const trace::DynInst& inst : first_cta(code).insts) {
    slots.push_back(inst.inst);
  }
  EXPECT_EQ(slots, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 2}));
}

TEST(WarpBuilder, AddressesOfActiveLanesMatchForAnyMask) {
  Rng rng(3);
  for (int round = 0; round < 500; ++round) {
    const auto mask =
        static_cast<std::uint32_t>(rng.next() & rng.next() & (rng.below(2) == 0 ? ~0ULL : rng.next()));
    const Strided strided{rng.below(1 << 20), static_cast<std::int64_t>(rng.below(64)) - 32};
    LaneAddresses list;
    for (std::uint64_t& address : list) {
      address = rng.next();
    }
    const KernelCode code{launch("k", {}, {32, 1, 1}, 8), [&](WarpBuilder& w) {
                            w.emit("LDG.E", 1, {2}, strided, mask);
                            w.emit("LDG.E", 1, {2}, list, mask);
                          }};
    const trace::CtaTrace cta = first_cta(code);
    const trace::AddressForm a = cta.form(cta.insts[0]);
    const trace::AddressForm b = cta.form(cta.insts[1]);
    std::uint32_t active = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) != 0) {
        EXPECT_EQ(a.at(active), strided.base + static_cast<std::uint64_t>(strided.stride) * lane);
        EXPECT_EQ(b.at(active), list[lane]);
        ++active;
      }
    }
    EXPECT_EQ(cta.insts[0].mask, mask);
  }
}

TEST(WarpBuilder, LanesBeyondTheBlockAreOff) {
  const KernelCode code{launch("k", {}, {40, 1, 1}, 8), [](WarpBuilder& w) { w.emit("EXIT"); }};
  const trace::CtaTrace cta = first_cta(code);
  ASSERT_EQ(cta.warps.size(), 2U);
  EXPECT_EQ(cta.insts[0].mask, kAllLanes);
  EXPECT_EQ(cta.insts[1].mask, 0xFFU);
}

TEST(WarpBuilder, VerifyingCatchesCodeThatDependsOnTheWarp) {
  const KernelCode code{launch("k", {}, {64, 1, 1}, 8),
                        [](WarpBuilder& w) { w.emit(w.warp() == 0 ? "FADD" : "FMUL", 1, {1, 2}); }};
  trace::CtaTrace cta;
  EXPECT_THROW(make_verifying_decoder(code, 80)->decode({}, cta), std::logic_error);
}

TEST(WarpBuilder, JumpingOverUnknownCodeIsRefused) {
  const KernelCode code{launch("k", {}, {32, 1, 1}, 8), [](WarpBuilder& w) {
                          w.jump(Label{3});
                          w.emit("EXIT");
                        }};
  trace::CtaTrace cta;
  EXPECT_THROW(make_kernel(code, 80, 1)->decoder()->decode({}, cta), std::logic_error);
}

TEST(WarpBuilder, LaneRangesAreMasks) {
  EXPECT_EQ(lane_range(0, 32), kAllLanes);
  EXPECT_EQ(lane_range(4, 2), 0x30U);
  EXPECT_EQ(lane_range(31, 5), 0x8000'0000U);
  EXPECT_EQ(lane_range(32, 1), 0U);
  EXPECT_EQ(first_lanes(0), 0U);
  EXPECT_EQ(first_lanes(std::uint64_t{1} << 40), kAllLanes);
}

}  // namespace
}  // namespace wg::kernels
