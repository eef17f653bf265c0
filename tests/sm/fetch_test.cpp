// Instruction supply: L0, L1, L2 and the prefetcher, in hand-computed cycles.
#include "sm/fetch.hpp"

#include <gtest/gtest.h>

#include "bench.hpp"

namespace wg::sm::test {
namespace {

constexpr std::uint64_t kCode = std::uint64_t{0x70} << 40;

class FetchTest : public testing::Test {
 protected:
  FetchTest() {
    machine.sm.subcores = 2;
    machine.icache = {.enabled = true,
                      .l0_size = Bytes{512},
                      .l1_size = Bytes{2048},
                      .line = Bytes{128},
                      .l0_ways = 2,
                      .l1_ways = 4,
                      .l1_latency = 20,
                      .prefetch_lines = 0,
                      .inst_bytes = 16};
  }
  void make() {
    map = std::make_unique<mem::AddressMap>(machine);
    port = std::make_unique<Port>(machine, 0, *map);
    out = mem::Outbox<mem::Request>(machine.dram.channels);
    port->connect(out);
    fetch = std::make_unique<FetchUnit>(machine, *port, counters);
    fetch->begin_kernel(kCode);
  }
  std::vector<mem::Request> sent() {
    std::vector<mem::Request> all;
    for (std::size_t i = 0; i < machine.dram.channels; ++i) {
      out.drain(i, all);
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
    return all;
  }
  std::uint64_t bring(std::uint64_t line, std::uint64_t cycle) {
    return fetch->reply({.line = kCode + line * 128, .access = mem::Access::instruction, .sectors = 0xF},
                        cycle);
  }

  config::Machine machine = bench_machine();
  SmCounters counters;
  std::unique_ptr<mem::AddressMap> map;
  std::unique_ptr<Port> port;
  mem::Outbox<mem::Request> out;
  std::unique_ptr<FetchUnit> fetch;
};

TEST_F(FetchTest, IsFreeWhenSwitchedOff) {
  machine.icache.enabled = false;
  make();
  EXPECT_EQ(fetch->access(0, 0, 4096, 77), 77U);
  EXPECT_TRUE(sent().empty());
}

TEST_F(FetchTest, AColdLineComesFromTheL2) {
  make();
  EXPECT_EQ(fetch->access(0, 3, 128, 10), kNever);
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].line, kCode + 128);
  EXPECT_EQ(requests[0].sectors, 0xF);
  EXPECT_EQ(requests[0].access, mem::Access::instruction);
  EXPECT_FALSE(fetch->idle());
  EXPECT_EQ(bring(1, 50), std::uint64_t{1} << 3);
  EXPECT_TRUE(fetch->idle());
  EXPECT_EQ(fetch->access(0, 4, 128, 60), 60U);        // L0 hit
  EXPECT_EQ(fetch->access(1, 5, 130, 60), 60U + 20U);  // other sub-core: L1 hit
  EXPECT_EQ(counters.l0_instruction_accesses, 3U);
  EXPECT_EQ(counters.l0_instruction_misses, 2U);
  EXPECT_EQ(counters.l1_instruction_misses, 1U);
  EXPECT_EQ(counters.sectors_requested, 4U);
  EXPECT_EQ(counters.sectors_answered, 4U);
}

TEST_F(FetchTest, ALineInPartsIsThereWithItsLastSector) {
  make();
  fetch->access(0, 1, 0, 0);
  EXPECT_EQ(fetch->reply({.line = kCode, .access = mem::Access::instruction, .sectors = 0b0111}, 5), 0U);
  EXPECT_EQ(fetch->access(0, 2, 0, 8), kNever);
  EXPECT_EQ(fetch->reply({.line = kCode, .access = mem::Access::instruction, .sectors = 0b1000}, 9), 0b110U);
  EXPECT_EQ(fetch->access(0, 1, 0, 9), 10U);  // usable in the cycle after
}

TEST_F(FetchTest, SubCoresShareARequest) {
  make();
  EXPECT_EQ(fetch->access(0, 0, 0, 0), kNever);
  EXPECT_EQ(fetch->access(1, 1, 0, 1), kNever);
  EXPECT_EQ(sent().size(), 1U);
  EXPECT_EQ(bring(0, 40), 0b11U);
  EXPECT_EQ(fetch->access(1, 1, 0, 45), 45U);
}

TEST_F(FetchTest, TheL0ReplacesTheLeastRecentlyUsed) {
  make();  // two sets of two ways: even lines share one
  for (const std::uint64_t line : {std::uint64_t{0}, std::uint64_t{2}}) {
    fetch->access(0, 0, line * 128, 0);
    bring(line, 10);
  }
  EXPECT_EQ(fetch->access(0, 0, 0, 20), 20U);  // line 0 is the younger one now
  fetch->access(0, 0, 4 * 128, 30);
  bring(4, 40);
  EXPECT_EQ(fetch->access(0, 0, 0, 50), 50U);
  EXPECT_EQ(fetch->access(0, 0, 2 * 128, 60), 80U);  // from the L1
}

TEST_F(FetchTest, ThePrefetcherRunsAhead) {
  machine.icache.prefetch_lines = 2;
  make();
  fetch->access(0, 0, 0, 0);
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[2].line, kCode + 256);
  bring(0, 30);
  EXPECT_EQ(bring(1, 31), 0U);  // nobody waits for it
  EXPECT_EQ(fetch->access(0, 0, 128, 40), 40U);
  EXPECT_EQ(sent().size(), 1U);  // line 3
}

TEST_F(FetchTest, LongLinesAreFetchedInPieces) {
  machine.icache.line = Bytes{256};
  machine.icache.l0_size = Bytes{1024};
  make();
  fetch->access(0, 0, 0, 0);
  EXPECT_EQ(sent().size(), 2U);
  EXPECT_EQ(bring(0, 10), 0U);
  EXPECT_EQ(bring(1, 12), 1U);
  EXPECT_EQ(counters.sectors_requested, 8U);
}

TEST_F(FetchTest, ShortLinesAreAPieceOfAnL2Line) {
  machine.icache.line = Bytes{64};
  machine.icache.l0_size = Bytes{256};
  make();
  fetch->access(0, 0, 64, 0);
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].line, kCode);
  EXPECT_EQ(requests[0].sectors, 0b1100);
}

TEST(Fetch, AWarpWaitsForItsFirstLine) {
  config::Machine machine = bench_machine();
  machine.icache = {.enabled = true, .prefetch_lines = 0};
  Code code;
  const auto a = code.inst(isa::InstClass::fp32, {{4, 1}});
  code.ctas = {{plain({a, code.exit()})}};
  const Outcome outcome = run_bench(machine, code);
  // Request of 8 bytes: 125 ps, wires 10,000, memory 100,000, 136 bytes back 532: cycle 111, usable from 112
  // on.
  EXPECT_EQ(outcome.done.at(0).cycle, 113U);
  EXPECT_EQ(outcome.counters.slots[static_cast<std::size_t>(Stall::fetch)], 112U);
  EXPECT_EQ(outcome.counters.l1_instruction_misses, 1U);
}

TEST(Fetch, ALoopThatFitsIsFetchedOnce) {
  config::Machine machine = bench_machine();
  machine.icache = {.enabled = true, .prefetch_lines = 0};
  Code code;
  WarpCode body;
  for (int i = 0; i < 20; ++i) {
    body.push_back(plain({code.inst(isa::InstClass::fp32, {{4, 1}})})[0]);
  }
  WarpCode warp;
  for (int round = 0; round < 5; ++round) {
    warp.insert(warp.end(), body.begin(), body.end());
  }
  warp.push_back(plain({code.exit()})[0]);
  code.ctas = {{warp}};
  const Outcome outcome = run_bench(machine, code);
  EXPECT_EQ(outcome.counters.l1_instruction_misses, 3U);  // 21 instructions, 8 to a line
  EXPECT_EQ(outcome.counters.l0_instruction_misses, 3U);
  EXPECT_EQ(outcome.counters.l0_instruction_accesses, 5 * 3U);
}

}  // namespace
}  // namespace wg::sm::test
