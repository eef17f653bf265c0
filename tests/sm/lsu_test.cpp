// The load/store unit in hand-computed cycles. On the bench an instruction that issues in cycle 0 is served
// in cycle 1; a request of 8 bytes takes 125 ps at the port and 10,000 ps on the wires, memory 100,000 ps,
// and the 136 bytes of a whole line come back in 532 ps: a load served in cycle 1 has its line in cycle 112
// and can be used 5 later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "bench.hpp"

namespace wg::sm::test {
namespace {

using isa::InstClass;
using isa::Space;

constexpr std::uint64_t kLoadReady = 117;

class LsuTest : public testing::Test {
 protected:
  LsuTest() { machine.sm.branch_bubble = 0; }

  /// A global load into `reg`.
  std::uint32_t load(std::uint16_t reg, std::uint32_t width = 4) {
    return code.access(InstClass::load, Space::global, width, {{reg, 1}});
  }
  std::uint32_t use(std::uint16_t reg) { return code.inst(InstClass::fp32, {{100, 1}}, {{reg, 1}}); }
  static Op op(std::uint32_t inst) { return plain({inst})[0]; }

  /// Runs one warp; the cycle in which it issues EXIT.
  std::uint64_t exit_cycle(WarpCode warp) {
    warp.push_back(op(code.exit()));
    code.ctas = {{std::move(warp)}};
    outcome = run_bench(machine, code, options);
    EXPECT_TRUE(outcome.idle);
    EXPECT_EQ(outcome.counters.sectors_requested, outcome.counters.sectors_answered);
    return outcome.done.at(0).cycle;
  }
  [[nodiscard]] const SmCounters& counters() const { return outcome.counters; }

  config::Machine machine = bench_machine();
  Code code;
  BenchOptions options;
  Outcome outcome;
};

TEST_F(LsuTest, AMissTakesTheWayToMemoryAndBack) {
  const auto a = load(4);
  EXPECT_EQ(exit_cycle({at(a, 0, 4), op(use(4))}), kLoadReady + 1);
  ASSERT_EQ(outcome.requests.size(), 1U);
  EXPECT_EQ(outcome.requests[0].sectors, 0xF);
  EXPECT_EQ(counters().l1_load_requests, 1U);
  EXPECT_EQ(counters().l1_load_sectors, 4U);
  EXPECT_EQ(counters().l1_load_sector_hits, 0U);
}

TEST_F(LsuTest, AHitTakesTheL1sLatency) {
  const auto a = load(4);
  const auto b = load(5);
  const auto fetched = use(4);
  // The second load issues in cycle 118 and its result is there 30 cycles later.
  EXPECT_EQ(exit_cycle({at(a, 0, 4), op(fetched), at(b, 64, 0), op(use(5))}), 118U + 30U + 1);
  EXPECT_EQ(counters().l1_load_sector_hits, 1U);
  EXPECT_EQ(outcome.requests.size(), 1U);
}

TEST_F(LsuTest, AMissOnALineUnderWayMerges) {
  const auto a = load(4);
  const auto b = load(5);
  EXPECT_EQ(exit_cycle({at(a, 0, 4), at(b, 0, 4), op(use(5))}), kLoadReady + 1);
  EXPECT_EQ(outcome.requests.size(), 1U);
  EXPECT_EQ(counters().l1_load_sector_merges, 4U);
  EXPECT_EQ(counters().sectors_requested, 4U);
}

TEST_F(LsuTest, OnlyTheSectorsNotUnderWayAreAskedFor) {
  const auto a = load(4);
  const auto b = load(5);
  exit_cycle({at(a, 0, 4, 0xFF), at(b, 0, 4), op(use(5))});
  ASSERT_EQ(outcome.requests.size(), 2U);
  EXPECT_EQ(outcome.requests[0].sectors, 0b0001);
  EXPECT_EQ(outcome.requests[1].sectors, 0b1110);
  EXPECT_EQ(counters().l1_load_sector_merges, 1U);
}

TEST_F(LsuTest, ALineACycleGoesThroughTheTags) {
  const auto a = load(4);
  const auto b = load(5);
  exit_cycle({at(a, 0, 128), at(b, 0x100000, 4), op(use(5))});
  ASSERT_EQ(outcome.requests.size(), 33U);
  for (std::uint64_t line = 0; line < 32; ++line) {
    EXPECT_EQ(outcome.requests[line].line, line * 128);
    EXPECT_EQ(outcome.requests[line].arrival, (1 + line) * 1'000 + 125 + 10'000);
  }
  EXPECT_EQ(outcome.requests[32].arrival, 33 * 1'000 + 125 + 10'000);
  EXPECT_EQ(counters().lsu_busy_cycles, 33U);
}

TEST_F(LsuTest, WithoutAFreeMshrTheUnitWaits) {
  machine.l1.mshrs = 1;
  const auto a = load(4);
  const auto b = load(5);
  // The first line is there in cycle 112, and in that cycle the second is asked for.
  EXPECT_EQ(exit_cycle({at(a, 0, 4), at(b, 1024, 4), op(use(5))}), kLoadReady + 111 + 1);
  EXPECT_EQ(counters().lsu_mshr_stall_cycles, 110U);  // cycles 2 to 111
  EXPECT_EQ(counters().lsu_busy_cycles, 2U);
}

TEST_F(LsuTest, StoresWaitForCreditsUntilOthersAreAcknowledged) {
  machine.l1.max_stores = 4;
  const auto a = code.access(InstClass::store, Space::global, 4);
  exit_cycle({at(a, 0, 4), at(a, 1024, 4)});
  // 136 bytes leave in 2,125 ps; the acknowledgement is 8 bytes, 32 ps: 113,157 ps.
  EXPECT_EQ(counters().lsu_credit_stall_cycles, 112U);  // cycles 2 to 113
  ASSERT_EQ(outcome.requests.size(), 2U);
  EXPECT_EQ(outcome.requests[1].arrival, 114'000U + 2'125U + 10'000U);
  EXPECT_EQ(outcome.last_activity, 114U + 113U);
}

TEST_F(LsuTest, AStoreLargerThanAllCreditsStillGoes) {
  machine.l1.max_stores = 1;
  const auto a = code.access(InstClass::store, Space::global, 4);
  exit_cycle({at(a, 0, 4)});
  EXPECT_EQ(outcome.requests.size(), 1U);
  EXPECT_EQ(counters().lsu_credit_stall_cycles, 0U);
}

TEST_F(LsuTest, StoresTellWhichSectorsAreWhole) {
  const auto a = code.access(InstClass::store, Space::global, 4);
  exit_cycle({at(a, 0, 4), at(a, 128 + 4, 4), at(a, 1024, 8)});
  ASSERT_EQ(outcome.requests.size(), 5U);
  EXPECT_EQ(outcome.requests[0].full_sectors, 0xF);
  EXPECT_EQ(outcome.requests[0].bytes, 128U);
  EXPECT_EQ(outcome.requests[1].full_sectors, 0b1110);
  EXPECT_EQ(outcome.requests[2].sectors, 0b0001);
  EXPECT_EQ(outcome.requests[2].full_sectors, 0U);
  EXPECT_EQ(outcome.requests[3].sectors, 0xF);
  EXPECT_EQ(outcome.requests[3].full_sectors, 0U);
  EXPECT_EQ(counters().l1_store_requests, 5U);
}

TEST_F(LsuTest, AStoreDoesNotFillTheL1) {
  const auto st = code.access(InstClass::store, Space::global, 4);
  const auto ld = load(4);
  exit_cycle({at(st, 0, 4), op(code.inst(InstClass::membar)), at(ld, 0, 4), op(use(4)), at(st, 0, 4)});
  EXPECT_EQ(counters().l1_load_sector_hits, 0U);
  EXPECT_EQ(counters().l1_store_sector_hits, 4U);  // the last one found what the load brought
}

TEST_F(LsuTest, AtomicsAndStrongLoadsGoToTheL2) {
  const auto atomic = code.access(InstClass::atomic, Space::global, 4, {{4, 1}});
  const auto strong = load(5);
  code.insts[strong].bypass_l1 = true;
  const WarpCode warp = {at(atomic, 0, 0), op(use(4)),       at(strong, 0, 4),
                         op(use(5)),       at(strong, 0, 4), op(use(5))};
  exit_cycle(warp);
  ASSERT_EQ(outcome.requests.size(), 3U);
  EXPECT_EQ(outcome.requests[0].access, mem::Access::atomic);
  EXPECT_EQ(outcome.requests[0].operations, 32);
  EXPECT_EQ(outcome.requests[0].same_address, 32);
  EXPECT_EQ(outcome.requests[0].bytes, 32U);
  EXPECT_EQ(counters().atomic_operations, 32U);
  EXPECT_EQ(counters().bypass_sectors, 8U);
  EXPECT_EQ(counters().l1_load_requests, 0U);
}

TEST_F(LsuTest, ASwitchedOffL1LetsEveryLoadPass) {
  machine.l1.enabled = false;
  const auto a = load(4);
  exit_cycle({at(a, 0, 4), op(use(4)), at(a, 0, 4), op(use(4))});
  EXPECT_EQ(outcome.requests.size(), 2U);
  EXPECT_EQ(counters().bypass_sectors, 8U);
}

TEST_F(LsuTest, SharedMemoryPassesAndLatency) {
  machine.shared.latency = 20;
  machine.shared.conflict_latency = 2;
  machine.shared.register_latency = 3;
  struct Case {
    std::uint32_t width;
    std::int64_t stride;
    std::uint16_t registers;
    std::uint64_t passes, conflicts;
  };
  for (const Case& c :
       {Case{4, 4, 1, 1, 0}, Case{4, 8, 1, 2, 1}, Case{4, 128, 1, 32, 31}, Case{4, 0, 1, 1, 0},
        Case{8, 8, 2, 2, 0}, Case{16, 16, 4, 4, 0}, Case{16, 32, 4, 8, 4}}) {
    code = {};
    const auto a = code.access(InstClass::load, Space::shared, c.width, {{4, c.registers}});
    const auto cycle = exit_cycle({at(a, 0, c.stride), op(use(4))});
    EXPECT_EQ(cycle, 20 + 2 * c.conflicts + 3 * (c.registers - 1U) + 1) << c.width << " by " << c.stride;
    EXPECT_EQ(counters().shared_passes, c.passes);
    EXPECT_EQ(counters().shared_conflict_passes, c.conflicts);
    EXPECT_EQ(counters().lsu_busy_cycles, c.passes);
    EXPECT_EQ(counters().shared_load_instructions, 1U);
  }
}

TEST_F(LsuTest, HitsTakeTurnsAtTheBanksOfTheL1) {
  machine.l1.conflict_latency = 3;
  struct Case {
    std::int64_t stride;
    std::uint64_t lines, conflicts;
  };
  // Rows of whole lines share a bank, rows of a line and a half share two, and consecutive words none.
  for (const Case& c :
       {Case{4, 1, 0}, Case{128, 32, 31}, Case{512, 32, 31}, Case{192, 32, 15}, Case{132, 32, 0}}) {
    code = {};
    const auto a = load(4);
    const std::uint64_t cold = exit_cycle({at(a, 0, c.stride), op(use(4))});
    const std::uint64_t warm = exit_cycle({at(a, 0, c.stride), op(use(4)), at(a, 0, c.stride), op(use(4))});
    EXPECT_EQ(counters().l1_conflict_passes, 2 * c.conflicts) << c.stride;
    machine.l1.conflict_latency = 0;
    const std::uint64_t plain = exit_cycle({at(a, 0, c.stride), op(use(4)), at(a, 0, c.stride), op(use(4))});
    EXPECT_EQ(exit_cycle({at(a, 0, c.stride), op(use(4))}), cold) << "misses take none";
    machine.l1.conflict_latency = 3;
    EXPECT_EQ(warm - plain, 3 * c.conflicts) << c.stride;
  }
}

TEST_F(LsuTest, PassesKeepTheUnitBusy) {
  const auto st = code.access(InstClass::store, Space::shared, 4);
  const auto ld = load(4);
  exit_cycle({at(st, 0, 128), at(ld, 0, 4)});
  EXPECT_EQ(outcome.requests.at(0).arrival, 33'000U + 125U + 10'000U);  // 32 passes from cycle 1 on
}

TEST_F(LsuTest, SharedAtomicsSerialiseOnOneAddress) {
  machine.shared.conflict_latency = 2;
  for (const std::uint32_t lanes : {1U, 4U, 32U}) {
    code = {};
    const auto a = code.access(InstClass::atomic, Space::shared, 4, {{4, 1}});
    const std::uint32_t mask = lanes == 32 ? ~0U : (1U << lanes) - 1;
    EXPECT_EQ(exit_cycle({at(a, 0, 0, mask), op(use(4))}), 36 + 2 * (lanes - 1U) + 1) << lanes;
    EXPECT_EQ(counters().shared_passes, lanes);
  }
}

TEST_F(LsuTest, MatrixLoadsTakeAPassPerMatrix) {
  for (const std::uint32_t matrices : {1U, 2U, 4U}) {
    code = {};
    const auto a =
        code.access(InstClass::ldsm, Space::shared, 16, {{4, static_cast<std::uint16_t>(matrices)}});
    code.insts[a].address_lanes = static_cast<std::uint8_t>(8 * matrices);
    // Rows of 16 bytes one after the other, then rows 128 bytes apart: eight rows of one matrix in four
    // banks.
    exit_cycle({at(a, 0, 16)});
    EXPECT_EQ(counters().shared_passes, matrices);
    EXPECT_EQ(counters().shared_conflict_passes, 0U);
    exit_cycle({at(a, 0, 128)});
    EXPECT_EQ(counters().shared_passes, 8 * matrices);
    EXPECT_EQ(counters().shared_conflict_passes, 7 * matrices);
  }
}

TEST_F(LsuTest, WordsOfAThreadsLocalMemoryLieBesideThoseOfOthers) {
  const auto a = code.access(InstClass::load, Space::local, 4, {{4, 1}});
  exit_cycle({at(a, 16, 0)});
  ASSERT_EQ(outcome.requests.size(), 1U);  // one word of every lane: one line
  EXPECT_EQ(outcome.requests[0].sectors, 0xF);
  EXPECT_EQ(counters().l1_local_sectors, 4U);
  exit_cycle({at(a, 0, 4, 0xF)});  // lane i at word i: a sector of a line each
  ASSERT_EQ(outcome.requests.size(), 4U);
  EXPECT_EQ(outcome.requests[1].line - outcome.requests[0].line, 128U);
  EXPECT_EQ(outcome.requests[3].sectors, 1U);
}

TEST_F(LsuTest, AWideLocalAccessMayTouchALinePerWord) {
  const auto a = code.access(InstClass::load, Space::local, 16, {{4, 4}});
  exit_cycle({at(a, 0, 16), op(use(7))});
  EXPECT_EQ(outcome.requests.size(), 128U);
  EXPECT_EQ(counters().sectors_requested, 128U);
}

TEST_F(LsuTest, GenericAddressesFindTheirWindow) {
  const auto a = code.access(InstClass::load, Space::generic, 4, {{4, 1}});
  exit_cycle({at(a, code.header.shared_base + 64, 4)});
  EXPECT_EQ(counters().shared_load_instructions, 1U);
  exit_cycle({at(a, code.header.local_base + 64, 0)});
  EXPECT_EQ(counters().local_load_instructions, 1U);
  exit_cycle({at(a, 0x7e00'0000'0000, 4)});
  EXPECT_EQ(counters().global_load_instructions, 1U);
}

TEST_F(LsuTest, AnAccessWithoutAddressesTakesTheL1sLatency) {
  const auto a = load(4);
  EXPECT_EQ(exit_cycle({op(a), op(use(4))}), 31U);
  EXPECT_TRUE(outcome.requests.empty());
}

TEST_F(LsuTest, AShuffleTakesItsClasssLatency) {
  machine.sm.classes[static_cast<std::size_t>(InstClass::shuffle)].latency = 23;
  const auto a = code.inst(InstClass::shuffle, {{4, 1}});
  EXPECT_EQ(exit_cycle({op(a), op(use(4))}), 24U);
}

TEST_F(LsuTest, AFullQueueHoldsTheNextOneBack) {
  machine.l1.queue = 2;
  const auto st = code.access(InstClass::store, Space::shared, 4);
  exit_cycle({at(st, 0, 128), at(st, 0, 4), at(st, 0, 4), at(st, 0, 4)});
  // The first one leaves the queue in cycle 1 for 32 passes, so the fourth must wait until the second is
  // served in cycle 33.
  EXPECT_EQ(outcome.done.at(0).cycle, 34U);
  EXPECT_EQ(counters().slots[static_cast<std::size_t>(Stall::lsu_queue)], 30U);
}

TEST_F(LsuTest, TheReasonOfAWaitNamesTheLevelThatAnswered) {
  const auto a = load(4);
  exit_cycle({at(a, 0, 4), op(use(4))});
  const std::uint64_t far = counters().slots[static_cast<std::size_t>(Stall::memory_l2)] +
                            counters().slots[static_cast<std::size_t>(Stall::memory_dram)];
  EXPECT_EQ(far, kLoadReady - 1);
}

TEST_F(LsuTest, AllocationOnMissKeepsAPlaceForTheLine) {
  machine.l1.allocation = "on-miss";
  machine.l1.ways = 1;
  options.l1_bytes = 128;  // a single line
  const auto a = load(4);
  const auto b = load(5);
  // The only way is kept for the first line, so the second is asked for when the first has come.
  EXPECT_EQ(exit_cycle({at(a, 0, 4), at(b, 1024, 4), op(use(5))}), kLoadReady + 111 + 1);
  EXPECT_EQ(counters().lsu_mshr_stall_cycles, 110U);
}

TEST_F(LsuTest, QueuedInstructionsSurviveNewCode) {
  // The second CTA brings instructions the decoder has not shown yet while the first one's stand in the
  // queue.
  options.growing = true;
  options.launch_gap_ps = 5'000;
  const auto st = code.access(InstClass::store, Space::shared, 4);
  const auto ld = code.access(InstClass::load, Space::shared, 4, {{4, 1}});
  const auto used = use(4);
  const auto later = use(9);
  const auto exit = code.exit();
  code.ctas = {{{at(st, 0, 128), at(ld, 0, 4), op(used), op(exit)}}, {{op(later), op(exit)}}};
  // 32 passes from cycle 1 on, then the load, 20 cycles less the one from issue to service.
  EXPECT_EQ(run_bench(machine, code, options).done.at(1).cycle, 33U + 19U + 1);
}

}  // namespace
}  // namespace wg::sm::test
