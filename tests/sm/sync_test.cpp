// Branches, barriers, memory barriers, groups of asynchronous copies: hand-computed cycles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench.hpp"

namespace wg::sm::test {
namespace {

using isa::InstClass;
using isa::Space;

std::uint64_t slots(const Outcome& outcome, Stall reason) {
  return outcome.counters.slots[static_cast<std::size_t>(reason)];
}

std::uint32_t barrier(Code& code, std::int32_t id, bool arrive_only = false) {
  const std::uint32_t index = code.inst(InstClass::barrier, {}, {}, arrive_only ? "BAR.ARV" : "BAR.SYNC");
  code.insts[index].imm = id;
  code.insts[index].arrive_only = arrive_only;
  return index;
}

std::uint32_t group(Code& code, isa::GroupOp op, std::int32_t allowed = 0) {
  const std::uint32_t index = code.inst(InstClass::depbar);
  code.insts[index].group = op;
  code.insts[index].imm = allowed;
  return index;
}

TEST(Branch, AJumpCostsTheBubble) {
  Code code;
  const auto a = code.inst(InstClass::fp32, {{4, 1}});
  const auto b = code.inst(InstClass::branch);
  code.ctas = {{plain({a, b, a, b, a, b, code.exit()})}};
  const Outcome outcome = run_bench(bench_machine(), code);
  // 0 1, nine cycles 2..8 lost to the bubble of 7: 9 10, 18 19, falls through: 20.
  EXPECT_EQ(outcome.done.at(0).cycle, 20U);
  EXPECT_EQ(outcome.counters.branches_taken, 2U);
  EXPECT_EQ(slots(outcome, Stall::branch), 14U);
}

TEST(Branch, AForwardJumpCostsItTooButNotAControlWord) {
  Code code;
  const auto a = code.inst(InstClass::fp32, {{4, 1}});
  const auto exit = code.exit();
  code.ctas = {{plain({a, exit})}};
  for (const std::uint64_t pc : {std::uint64_t{16}, std::uint64_t{32}}) {
    code.insts[exit].pc = pc;
    EXPECT_EQ(run_bench(bench_machine(), code).done.at(0).cycle, 1U) << pc;
  }
  code.insts[exit].pc = 48;
  EXPECT_EQ(run_bench(bench_machine(), code).done.at(0).cycle, 8U);
}

TEST(Barrier, ReleasesWhenTheLastWarpArrives) {
  config::Machine machine = bench_machine();
  machine.sm.classes[static_cast<std::size_t>(InstClass::barrier)].latency = 6;
  machine.sm.subcores = 2;
  Code code;
  const auto slow = code.inst(InstClass::fp32, {{4, 1}});
  const auto use = code.inst(InstClass::fp32, {{5, 1}}, {{4, 1}});
  const auto bar = barrier(code, 0);
  const auto exit = code.exit();
  machine.sm.branch_bubble = 0;
  code.ctas = {{plain({slow, bar, exit}), plain({slow, use, bar, exit})}};
  const Outcome outcome = run_bench(machine, code);
  // The second warp arrives in cycle 5, both leave 6 later.
  EXPECT_EQ(outcome.done.at(0).cycle, 11U);
  EXPECT_EQ(slots(outcome, Stall::barrier), 9U + 5U);
}

TEST(Barrier, WarpsThatHaveLeftNeedNotArrive) {
  Code code;
  const auto slow = code.inst(InstClass::fp32, {{4, 1}});
  const auto use = code.inst(InstClass::fp32, {{5, 1}}, {{4, 1}});
  const auto bar = barrier(code, 0);
  const auto exit = code.exit();
  config::Machine machine = bench_machine();
  machine.sm.subcores = 4;
  machine.sm.branch_bubble = 0;
  // Barrier in cycle 0; the others leave in cycles 0 and 5, and only then does it open.
  code.ctas = {{plain({bar, exit}), plain({exit}), plain({slow, use, exit})}};
  EXPECT_EQ(run_bench(machine, code).done.at(0).cycle, 5U + 4U);
}

TEST(Barrier, AWarpThatArrivedAndLeftDoesNotStandInForOthers) {
  Code code;
  const auto slow = code.inst(InstClass::fp32, {{4, 1}});
  const auto use = code.inst(InstClass::fp32, {{5, 1}}, {{4, 1}});
  const auto arrive = barrier(code, 1, true);
  const auto bar = barrier(code, 1);
  const auto exit = code.exit();
  config::Machine machine = bench_machine();
  machine.sm.subcores = 4;
  machine.sm.branch_bubble = 0;
  // The first one arrives and leaves, the second waits from cycle 0 on, the third comes in cycle 5.
  code.ctas = {{plain({arrive, exit}), plain({bar, exit}), plain({slow, use, bar, exit})}};
  const Outcome outcome = run_bench(machine, code);
  EXPECT_EQ(outcome.done.at(0).cycle, 5U + 4U);
  EXPECT_TRUE(outcome.idle);
}

TEST(Barrier, ATraceThatEndsAtABarrierIsOver) {
  Code code;
  const auto bar = barrier(code, 0);
  const auto exit = code.exit();
  code.ctas = {{plain({bar}), plain({bar, exit}), plain({exit})}};
  const Outcome outcome = run_bench(bench_machine(), code);
  EXPECT_EQ(outcome.done.size(), 1U);
  EXPECT_TRUE(outcome.idle);
}

TEST(Barrier, NumbersAreSeparate) {
  Code code;
  const auto first = barrier(code, 1);
  const auto second = barrier(code, 2);
  const auto exit = code.exit();
  code.ctas = {{plain({first, exit}), plain({second, exit})}};
  const Outcome outcome = run_bench(bench_machine(), code);
  EXPECT_TRUE(outcome.done.empty());
  EXPECT_FALSE(outcome.idle);
  ASSERT_EQ(outcome.stuck.size(), 2U);
  EXPECT_THAT(outcome.stuck[0],
              testing::AllOf(testing::HasSubstr("SM 0 CTA (0,0,0) warp 0 at pc 0x0000 BAR.SYNC"),
                             testing::HasSubstr("barrier 1 where 1 of 2 warps have arrived")));
  EXPECT_THAT(outcome.stuck[1], testing::HasSubstr("barrier 2 where 1 of 2 warps have arrived"));
}

TEST(Barrier, OtherCtasAreNotConcerned) {
  Code code;
  const auto bar = barrier(code, 0);
  const auto exit = code.exit();
  code.ctas = {{plain({bar, exit})}, {plain({bar, exit})}};
  EXPECT_EQ(run_bench(bench_machine(), code).done.size(), 2U);
}

TEST(Membar, WaitsForTheStoresOfItsWarp) {
  Code code;
  const auto store = code.access(InstClass::store, Space::global, 4);
  const auto fence = code.inst(InstClass::membar);
  const auto exit = code.exit();
  code.ctas = {{{at(store, 0, 4), plain({fence})[0], plain({exit})[0]}}};
  const Outcome outcome = run_bench(bench_machine(), code);
  // Served in cycle 1: 136 bytes take 2,125 ps, the wires 10,000 ps, memory 100,000 ps, the acknowledgement
  // of 8 bytes 32 ps: 113,157 ps, so cycle 114; MEMBAR's latency of 4 on top.
  EXPECT_EQ(outcome.done.at(0).cycle, 118U);
  EXPECT_EQ(outcome.last_activity, 118U);
  EXPECT_EQ(slots(outcome, Stall::membar), 116U);
}

TEST(Membar, WithoutStoresCostsItsLatency) {
  Code code;
  const auto load = code.access(InstClass::load, Space::global, 4, {{4, 1}});
  const auto fence = code.inst(InstClass::membar);
  const auto exit = code.exit();
  code.ctas = {{{at(load, 0, 4), plain({fence})[0], plain({exit})[0]}}};
  const Outcome outcome = run_bench(bench_machine(), code);
  EXPECT_EQ(slots(outcome, Stall::membar), 3U);  // in cycles 2 to 4: loads are not waited for
}

TEST(Drain, ACtaStaysUntilItsLoadsAreThere) {
  Code code;
  const auto load = code.access(InstClass::load, Space::global, 4, {{4, 1}});
  code.ctas = {{{at(load, 0, 4), plain({code.exit()})[0]}}};
  const Outcome outcome = run_bench(bench_machine(), code);
  EXPECT_EQ(outcome.counters.warp_instructions, 2U);  // in cycles 0 and 1
  EXPECT_EQ(outcome.done.at(0).cycle, 112U);          // when a dependent instruction could have gone on
  EXPECT_EQ(slots(outcome, Stall::drain), 110U);
  EXPECT_EQ(outcome.counters.warp_cycles, 1U);  // resident until the exit
}

TEST(Drain, ExitedWarpsDoNotKeepABarrierClosed) {
  Code code;
  const auto load = code.access(InstClass::load, Space::global, 4, {{4, 1}});
  const auto barrier = code.inst(InstClass::barrier);
  const auto exit = code.exit();
  code.ctas = {{{at(load, 0, 4), plain({exit})[0]}, plain({barrier, exit})}};
  const Outcome outcome = run_bench(bench_machine(), code);
  ASSERT_EQ(outcome.done.size(), 1U);
  EXPECT_LT(slots(outcome, Stall::barrier), 20U);
  EXPECT_EQ(outcome.done[0].cycle, 112U);
}

class DepbarTest : public testing::Test {
 protected:
  DepbarTest() {
    copy = code.access(InstClass::ldgsts, Space::global, 16);
    commit = group(code, isa::GroupOp::commit_copy);
    wait_all = group(code, isa::GroupOp::wait_copy, 0);
    wait_one = group(code, isa::GroupOp::wait_copy, 1);
    exit = code.exit();
    machine.sm.branch_bubble = 0;
  }
  Op op(std::uint32_t inst) { return plain({inst})[0]; }
  std::uint64_t exit_cycle(WarpCode warp, MockMemory memory = {}) {
    warp.push_back(op(exit));
    code.ctas = {{std::move(warp)}};
    BenchOptions options;
    options.memory = memory;
    outcome = run_bench(machine, code, options);
    return outcome.done.at(0).cycle;
  }

  config::Machine machine = bench_machine();
  Code code;
  Outcome outcome;
  std::uint32_t copy = 0, commit = 0, wait_all = 0, wait_one = 0, exit = 0;
};

TEST_F(DepbarTest, WithoutGroupsCostsItsLatency) { EXPECT_EQ(exit_cycle({op(wait_all)}), 4U); }

TEST_F(DepbarTest, ACopyThatNoGroupHoldsIsNotWaitedFor) {
  exit_cycle({at(copy, 0, 0), op(wait_all)});
  EXPECT_EQ(slots(outcome, Stall::membar), 3U);
}

TEST_F(DepbarTest, WaitsUntilTheDataCanBeUsed) {
  // One sector: there in cycle 112 (as a load), usable 5 later.
  EXPECT_EQ(exit_cycle({at(copy, 0, 0), op(commit), op(wait_all)}), 112U + 5U);
}

TEST_F(DepbarTest, ACopyThatHitsTakesTheL1sLatencyToo) {
  const std::uint64_t cycle =
      exit_cycle({at(copy, 0, 0), op(commit), op(wait_all), at(copy, 0, 0), op(commit), op(wait_all)});
  EXPECT_EQ(cycle, 117U + 30U);
}

TEST_F(DepbarTest, AllowsTheYoungestGroupsToStayOpen) {
  // The second line is requested a cycle after the first and arrives a cycle later.
  const WarpCode head = {at(copy, 0, 0), op(commit), at(copy, 1024, 0), op(commit)};
  WarpCode one = head;
  one.push_back(op(wait_one));
  WarpCode all = head;
  all.push_back(op(wait_all));
  EXPECT_EQ(exit_cycle(one), 117U);
  EXPECT_EQ(exit_cycle(all), 119U);
}

TEST_F(DepbarTest, GroupsCloseInOrder) {
  // The second group hits the L1 and is over at once, but stands behind the first one.
  const std::uint64_t warm = exit_cycle({at(copy, 4096, 0), op(commit), op(wait_all)});
  const std::uint64_t cycle = exit_cycle({at(copy, 4096, 0), op(commit), op(wait_all), at(copy, 0, 0),
                                          op(commit), at(copy, 4096, 0), op(commit), op(wait_one)});
  EXPECT_EQ(warm, 117U);
  EXPECT_GE(cycle, warm + 100U);
}

}  // namespace
}  // namespace wg::sm::test
