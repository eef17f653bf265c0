// Issue, scoreboard and pipes in hand-computed cycles. On the bench a warp's first instruction issues in
// cycle 0 and the CTA is done in the cycle of its last EXIT.
#include <gtest/gtest.h>

#include "bench.hpp"

namespace wg::sm::test {
namespace {

using isa::InstClass;

config::ClassTiming& timing(config::Machine& machine, InstClass cls) {
  return machine.sm.classes[static_cast<std::size_t>(cls)];
}

std::uint64_t slots(const Outcome& outcome, Stall reason) {
  return outcome.counters.slots[static_cast<std::size_t>(reason)];
}

std::uint64_t stalls(const Outcome& outcome, std::uint32_t inst, Stall reason) {
  return outcome.profile[inst].stalls[static_cast<std::size_t>(reason)];
}

/// Runs one warp through `insts` and EXIT; the cycle of EXIT.
std::uint64_t exit_cycle(const config::Machine& machine, Code& code,
                         std::initializer_list<std::uint32_t> insts) {
  WarpCode warp = plain(insts);
  warp.push_back(plain({code.exit()})[0]);
  code.ctas = {{warp}};
  return run_bench(machine, code).done.at(0).cycle;
}

TEST(Issue, OneInstructionACycle) {
  Code code;
  const auto a = code.inst(InstClass::fp32, {{4, 1}});
  const auto b = code.inst(InstClass::integer, {{5, 1}});
  EXPECT_EQ(exit_cycle(bench_machine(), code, {a, b}), 2U);
}

TEST(Issue, ADependentInstructionWaitsForTheLatency) {
  Code code;
  const auto a = code.inst(InstClass::fp32, {{4, 1}});
  const auto b = code.inst(InstClass::fp32, {{5, 1}}, {{4, 1}});
  code.ctas = {{plain({a, b, code.exit()})}};
  const Outcome outcome = run_bench(bench_machine(), code);
  EXPECT_EQ(outcome.done.at(0).cycle, 5U);  // 0, 4, 5
  EXPECT_EQ(slots(outcome, Stall::dependence), 3U);
  EXPECT_EQ(stalls(outcome, b, Stall::dependence), 3U);
  EXPECT_EQ(outcome.cycles, 6U);
  EXPECT_EQ(outcome.counters.warp_instructions, 3U);
}

TEST(Issue, EveryRegisterOfAPairOrQuadCounts) {
  config::Machine machine = bench_machine();
  timing(machine, InstClass::imad_wide).latency = 9;
  for (std::uint16_t offset = 0; offset < 4; ++offset) {
    Code code;
    const auto a = code.inst(InstClass::imad_wide, {{8, 4}});
    const auto b = code.inst(InstClass::fp32, {{20, 1}}, {{static_cast<std::uint16_t>(8 + offset), 1}});
    EXPECT_EQ(exit_cycle(machine, code, {a, b}), 10U) << offset;
  }
  for (const std::uint16_t beside : {std::uint16_t{7}, std::uint16_t{12}}) {
    Code code;
    const auto a = code.inst(InstClass::imad_wide, {{8, 4}});
    const auto b = code.inst(InstClass::fp32, {{20, 1}}, {{beside, 1}});
    EXPECT_EQ(exit_cycle(machine, code, {a, b}), 2U) << beside;  // fma pipe is free again in cycle 1
  }
  Code code;
  const auto a = code.inst(InstClass::imad_wide, {{8, 2}});
  const auto b = code.inst(InstClass::fp32, {{20, 1}}, {{9, 2}});
  EXPECT_EQ(exit_cycle(machine, code, {a, b}), 10U);
}

TEST(Issue, PredicatesAndUniformRegistersCount) {
  for (const std::uint16_t reg : {isa::kRegPredicate0, isa::kRegUniform0, isa::kRegAnyPredicate}) {
    Code code;
    const auto a = code.inst(InstClass::integer, {{reg, 1}});
    const auto b = code.inst(InstClass::fp32, {{5, 1}}, {{reg, 1}});
    EXPECT_EQ(exit_cycle(bench_machine(), code, {a, b}), 5U);
  }
}

TEST(Issue, AResultDoesNotLandBeforeAnOlderOneOfTheSameRegister) {
  config::Machine machine = bench_machine();
  timing(machine, InstClass::mufu).latency = 20;
  Code code;
  const auto a = code.inst(InstClass::mufu, {{4, 1}});
  const auto b = code.inst(InstClass::fp32, {{4, 1}});
  // The older one is there in cycle 20, so the newer one, of 4 cycles, issues in 17 and is there in 21.
  EXPECT_EQ(exit_cycle(machine, code, {a, b}), 18U);
}

TEST(Issue, AnInstructionWithoutLanesWaitsAndDoesNothing) {
  Code code;
  const auto a = code.inst(InstClass::fp32, {{4, 1}});
  const auto b = code.inst(InstClass::fp32, {{6, 1}}, {{4, 1}});
  const auto c = code.inst(InstClass::fp32, {{7, 1}}, {{6, 1}});
  WarpCode warp = plain({a, b, c, code.exit()});
  warp[1].mask = 0;
  code.ctas = {{warp}};
  const Outcome outcome = run_bench(bench_machine(), code);
  EXPECT_EQ(outcome.done.at(0).cycle, 6U);  // 0, 4, 5 (R6 is not written), 6
  EXPECT_EQ(outcome.counters.predicated_off_instructions, 1U);
  EXPECT_EQ(outcome.counters.thread_instructions, 3 * 32U);
  EXPECT_EQ(outcome.counters.pipe_busy[static_cast<std::size_t>(config::Pipe::fma)], 2U);
}

TEST(Issue, APipeIsTakenForItsInterval) {
  config::Machine machine = bench_machine();
  timing(machine, InstClass::fp32).interval = 3;
  Code code;
  const auto a = code.inst(InstClass::fp32, {{4, 1}});
  const auto b = code.inst(InstClass::fp32, {{5, 1}});
  const auto c = code.inst(InstClass::integer, {{6, 1}});
  code.ctas = {{plain({a, b, c, code.exit()})}};
  const Outcome outcome = run_bench(machine, code);
  EXPECT_EQ(outcome.done.at(0).cycle, 5U);  // 0, 3, 4, 5
  EXPECT_EQ(slots(outcome, Stall::pipe_fma), 2U);
  EXPECT_EQ(stalls(outcome, b, Stall::pipe_fma), 2U);
  EXPECT_EQ(outcome.counters.pipe_busy[static_cast<std::size_t>(config::Pipe::fma)], 6U);
}

TEST(Issue, SubCoresIssueSideBySide) {
  config::Machine machine = bench_machine();
  machine.sm.subcores = 4;
  Code code;
  const auto a = code.inst(InstClass::fp32, {{4, 1}});
  const WarpCode warp = plain({a, a, a, code.exit()});
  code.insts[code.exit()].pc = 16;
  machine.sm.branch_bubble = 0;
  for (std::size_t warps = 1; warps <= 8; ++warps) {
    code.ctas = {CtaCode(warps, warp)};
    const Outcome outcome = run_bench(machine, code);
    // One or two warps on the busiest sub-core, four instructions each.
    EXPECT_EQ(outcome.done.at(0).cycle, warps <= 4 ? 3U : 7U) << warps;
    EXPECT_EQ(outcome.counters.warp_instructions, 4 * warps);
  }
}

TEST(Issue, TensorTimeFollowsWorkAndWidth) {
  config::Machine machine = bench_machine();
  machine.sm.tensor_fma = 128;
  machine.sm.tensor_latency = 18;
  struct Case {
    std::uint32_t fma;
    std::uint8_t bits;
    std::uint64_t interval;
  };
  for (const Case& c :
       {Case{2048, 16, 16}, Case{4096, 8, 16}, Case{1024, 32, 16}, Case{2050, 16, 17}, Case{1, 1, 1}}) {
    Code code;
    const auto a = code.inst(InstClass::tensor, {{4, 2}});
    const auto b = code.inst(InstClass::tensor, {{8, 2}});
    const auto use = code.inst(InstClass::fp32, {{12, 1}}, {{9, 1}});
    for (const std::uint32_t i : {a, b}) {
      code.insts[i].tensor_fma = c.fma;
      code.insts[i].tensor_bits = c.bits;
    }
    // The second one issues after the interval; its result is there interval + 18 cycles later; EXIT is next.
    EXPECT_EQ(exit_cycle(machine, code, {a, b, use}), 2 * c.interval + 18 + 1)
        << c.fma << " x " << int{c.bits};
  }
}

TEST(Issue, ThreeOperandsOfOneBankCostACycle) {
  config::Machine machine = bench_machine();
  machine.sm.register_banks = 2;
  machine.sm.reuse_cache = false;
  const auto chain = [&](std::uint16_t x, std::uint16_t y, std::uint16_t z) {
    Code code;
    const auto a = code.inst(InstClass::fp32, {{20, 1}}, {{x, 1}, {y, 1}, {z, 1}});
    const auto b = code.inst(InstClass::fp32, {{21, 1}}, {{20, 1}});
    return exit_cycle(machine, code, {a, b});
  };
  EXPECT_EQ(chain(2, 4, 6), 6U);
  EXPECT_EQ(chain(3, 5, 7), 6U);
  EXPECT_EQ(chain(2, 4, 5), 5U);
  EXPECT_EQ(chain(2, 4, 4), 5U);  // one register twice is read once
  EXPECT_EQ(chain(2, 4, isa::kRegPredicate0), 5U);
  machine.sm.register_banks = 4;
  EXPECT_EQ(chain(2, 4, 6), 5U);
  EXPECT_EQ(chain(2, 6, 10), 6U);
}

TEST(Issue, TheReuseCacheSavesAnOperandOfTheSameWarpAndSlot) {
  config::Machine machine = bench_machine();
  machine.sm.register_banks = 2;
  const auto conflicts = [&](isa::RegRange first, isa::RegRange second, bool cache, std::size_t warps) {
    machine.sm.reuse_cache = cache;
    machine.sm.scheduler = "lrr";
    Code code;
    const auto a = code.inst(InstClass::fp32, {{20, 1}}, {first, {5, 1}, {9, 1}});
    const auto b = code.inst(InstClass::fp32, {{21, 1}}, {second, {4, 1}, {6, 1}});
    code.ctas = {CtaCode(warps, plain({a, b, code.exit()}))};
    return run_bench(machine, code).counters.register_bank_conflicts;
  };
  EXPECT_EQ(conflicts({2, 1}, {2, 1}, true, 1), 0U);
  EXPECT_EQ(conflicts({2, 1}, {2, 1}, false, 1), 1U);
  EXPECT_EQ(conflicts({8, 1}, {2, 1}, true, 1), 1U);
  EXPECT_EQ(conflicts({2, 1}, {2, 1}, true, 2), 2U);  // the other warp was in between
}

TEST(Issue, TheFirstTouchOfAConstantMisses) {
  config::Machine machine = bench_machine();
  machine.constant.latency = 10;
  machine.constant.miss_latency = 50;
  machine.sm.branch_bubble = 0;
  Code code;
  std::vector<std::uint32_t> loads;
  for (std::uint16_t i = 0; i < 10; ++i) {
    loads.push_back(code.inst(InstClass::constant, {{i, 1}}));
  }
  const auto use = code.inst(InstClass::fp32, {{30, 1}}, {{0, 1}});
  // Loads 0 and 8 begin a line each.
  EXPECT_EQ(exit_cycle(machine, code, {loads[1], loads[2], use}), 3U);
  code.ctas = {{plain({loads[0], loads[1], loads[7], loads[8], loads[9], loads[0], use, code.exit()})}};
  const Outcome outcome = run_bench(machine, code);
  EXPECT_EQ(outcome.counters.constant_misses, 2U);
  // The second load 0 waits for the first one's result, which comes in cycle 50; 4 - 1 cycles earlier is soon
  // enough not to overtake it; then the line is there and it takes 10.
  EXPECT_EQ(outcome.done.at(0).cycle, 47U + 10U + 1U);
  EXPECT_GT(slots(outcome, Stall::constant), 40U);
}

TEST(Issue, AddressedConstantsGoThroughACache) {
  config::Machine machine = bench_machine();
  machine.constant = {.l1_size = Bytes{256}, .line = Bytes{64}, .latency = 10, .miss_latency = 50};
  Code code;
  const auto load = code.access(InstClass::constant, isa::Space::constant, 4, {{4, 1}});
  const auto exit = code.exit();
  machine.sm.branch_bubble = 0;
  const auto misses = [&](std::initializer_list<std::uint64_t> addresses) {
    WarpCode warp;
    for (const std::uint64_t address : addresses) {
      warp.push_back(at(load, address, 0));
    }
    warp.push_back(plain({exit})[0]);
    code.ctas = {{warp}};
    return run_bench(machine, code).counters.constant_misses;
  };
  EXPECT_EQ(misses({0, 4, 60, 64, 0}), 2U);
  EXPECT_EQ(misses({0, 64, 128, 192, 256, 0}), 6U);  // four lines in all
}

TEST(Issue, LaunchCostAndEmptySlotsAreTold) {
  config::Machine machine = bench_machine();
  machine.sm.subcores = 2;
  machine.launch.kernel_cycles = 30;
  machine.sm.warp_start = 5;
  Code code;
  const auto a = code.inst(InstClass::fp32, {{4, 1}});
  code.ctas = {{plain({a, code.exit()})}};
  const Outcome outcome = run_bench(machine, code, {.first_launch_ps = 40'000});
  // Arrives in cycle 40, starts in 45, leaves in 46; the other sub-core has no warp at all.
  EXPECT_EQ(outcome.cycles, 47U);
  EXPECT_EQ(slots(outcome, Stall::launch), 2 * 30U);
  EXPECT_EQ(slots(outcome, Stall::no_warp), 15U + 17U);
  EXPECT_EQ(outcome.counters.warp_instructions, 2U);
  EXPECT_EQ(outcome.counters.active_cycles, 6U);
  EXPECT_EQ(outcome.counters.warp_cycles, 6U);
}

}  // namespace
}  // namespace wg::sm::test
