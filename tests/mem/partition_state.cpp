#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "mem/partition_rig.hpp"

namespace wg::mem {
namespace {

using test::Rig;
using test::small_machine;

config::Machine two_channels(const char* replacement = "lru") {
  config::Machine machine = small_machine();
  machine.dram.channels = 2;
  machine.l2.slices_per_channel = 2;
  machine.l2.size = Bytes{32 * 1024};
  machine.l2.replacement = replacement;
  machine.dram.tREFI = 3900;
  return machine;
}

/// A kernel's worth of random requests for channel 1.
std::vector<Reply> kernel(Rig& rig, const AddressMap& map, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t line =
        map.address({1, static_cast<std::uint32_t>(rng.below(2)), rng.below(120) * 128});
    const std::uint64_t cycle = 100 + 3 * i;
    requests.push_back(rng.below(3) == 0 ? rig.store(cycle, line, 3, 1) : rig.load(cycle, line, 15));
  }
  return rig.answer(requests);
}

TEST(PartitionState, AResumedRunEqualsAnUninterruptedOne) {
  for (const char* replacement : {"lru", "random", "plru"}) {
    const config::Machine machine = two_channels(replacement);
    const AddressMap map(machine);
    Rig original(machine, 1);
    kernel(original, map, 1);
    std::vector<std::uint8_t> bytes{42};  // appends
    original.partition().save(bytes);
    original.partition().begin_kernel(false);
    Rig resumed(machine, 1);
    EXPECT_EQ(resumed.partition().load(std::span(bytes).subspan(1)), bytes.size() - 1);
    resumed.partition().begin_kernel(false);
    original.partition().clear_counters();
    // Rigs number tokens from where they are; compare what does not depend on that.
    const std::vector<Reply> a = kernel(original, map, 2);
    const std::vector<Reply> b = kernel(resumed, map, 2);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].arrival, b[i].arrival);
      ASSERT_EQ(a[i].sequence, b[i].sequence);
      ASSERT_EQ(a[i].sectors, b[i].sectors);
      ASSERT_EQ(a[i].level, b[i].level);
    }
    for (const auto& field : PartitionCounters::fields()) {
      EXPECT_EQ(original.counters().*field.member, resumed.counters().*field.member) << field.info.name;
    }
    EXPECT_GT(original.counters().l2_load_sector_hits, 0U);
  }
}

TEST(PartitionState, StateOfAnotherMachineIsRefused) {
  Rig saver(two_channels(), 1);
  std::vector<std::uint8_t> bytes;
  saver.partition().save(bytes);
  config::Machine other = two_channels();
  other.l2.ways = 8;
  EXPECT_THROW(Rig(other, 1).partition().load(bytes), Error);
  EXPECT_THROW(Rig(two_channels(), 0).partition().load(bytes), Error) << "another channel";
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(Rig(two_channels(), 1).partition().load(std::span(bytes).first(length)), Error) << length;
  }
}

TEST(PartitionState, DamagedStatesNeverCrash) {
  const config::Machine machine = two_channels();
  const AddressMap map(machine);
  Rig saver(machine, 1);
  kernel(saver, map, 1);
  std::vector<std::uint8_t> bytes;
  saver.partition().save(bytes);
  Rng rng(4);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint8_t> damaged = bytes;
    damaged[rng.below(damaged.size())] ^= static_cast<std::uint8_t>(1 + rng.below(255));
    Rig rig(machine, 1);
    try {
      rig.partition().load(damaged);
    } catch (const Error&) {
      ++refused;
    }
    rig.partition().begin_kernel(false);
    kernel(rig, map, 2);
  }
  EXPECT_GT(refused, 100);
}

TEST(PartitionState, ANewKernelStartsAtZeroWithTheLinesOfTheLast) {
  Rig rig(small_machine());
  rig.answer({rig.load(100, 0, 1)});
  rig.partition().begin_kernel(false);
  EXPECT_EQ(rig.partition().last_event(), 0U);
  auto replies = rig.answer({rig.load(100, 0, 1)});
  EXPECT_EQ(replies[0].level, Level::l2);
  EXPECT_EQ(rig.cycle(replies[0]), 200U);
  replies = rig.answer({rig.load(1000, 512, 1)});
  EXPECT_EQ(rig.cycle(replies[0]), 1000U + 14 + 2 + 40 + 100) << "the row is still open";
  rig.partition().begin_kernel(true);
  replies = rig.answer({rig.load(100, 0, 1)});
  EXPECT_EQ(replies[0].level, Level::dram);
  EXPECT_EQ(rig.cycle(replies[0]), 100U + 14 + 14 + 2 + 40 + 100) << "and closed when cold";
}

TEST(PartitionState, ACopyInFillsOnlyTheRangesSectorsOfThisChannel) {
  const config::Machine machine = two_channels();
  const AddressMap map(machine);
  for (const std::uint32_t channel : {0U, 1U}) {
    Rig rig(machine, channel);
    const std::uint64_t begin = 1000 * 256 + 40;  // starts and ends inside a sector
    const std::uint64_t bytes = 3000;
    rig.partition().install(begin, bytes);
    std::vector<Request> requests;
    std::uint64_t expected = 0;
    std::uint64_t wanted = 0;
    for (std::uint64_t sector = 1000 * 256 / 32 - 8; sector < (begin + bytes) / 32 + 8; ++sector) {
      if (map.channel(sector * 32) == channel) {
        const bool inside = sector >= begin / 32 && sector <= (begin + bytes - 1) / 32;
        expected += inside ? 1 : 0;
        ++wanted;
        requests.push_back(
            rig.load(100, sector * 32 / 128 * 128, static_cast<std::uint8_t>(1 << sector % 4)));
      }
    }
    EXPECT_GT(expected, 0U);
    rig.answer(requests);
    EXPECT_EQ(rig.counters().l2_load_sectors, wanted);
    EXPECT_EQ(rig.counters().l2_load_sector_hits, expected);
  }
}

TEST(PartitionState, ABigCopyInEqualsItsLinesOneByOne) {
  const config::Machine machine = two_channels();
  const std::uint64_t bytes = 100 * machine.l2.size.count() + 256;
  Rig whole(machine, 1);
  whole.partition().install(1 << 20, bytes);
  Rig parts(machine, 1);
  for (std::uint64_t at = 0; at < bytes; at += 256) {
    parts.partition().install((1 << 20) + at, 256);
  }
  EXPECT_EQ(whole.counters().dram_write_bytes, parts.counters().dram_write_bytes);
  // The ways may differ, but not what is held, nor what goes next.
  const std::uint64_t written = whole.counters().dram_write_bytes;
  const AddressMap map(machine);
  std::vector<Request> requests;
  Rng rng(1);
  const std::uint64_t lines = map.place((1 << 20) + bytes).local / 128;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::uint64_t local = (lines - rng.below(200)) * 128;
    requests.push_back(
        whole.load(100 + 10 * i, map.address({1, static_cast<std::uint32_t>(rng.below(2)), local}), 15));
  }
  const auto a = whole.answer(requests);
  const auto b = parts.answer(requests);
  ASSERT_EQ(a.size(), b.size());
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), test::same));
  EXPECT_GT(whole.counters().l2_load_sector_hits, 1000U);
  // All of this channel's half of the range is in DRAM.
  EXPECT_NEAR(static_cast<double>(written), static_cast<double>(bytes) / 2, 512.0);
}

TEST(PartitionState, AHugeCopyIsQuick) {
  Rig rig(test::hbm2_machine(), 3);
  rig.partition().install(1 << 20, std::uint64_t{64} << 30);
  rig.partition().read_out(1 << 20, std::uint64_t{64} << 30);
  EXPECT_GT(rig.counters().dram_write_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(rig.counters().dram_read_bytes, (std::uint64_t{2} << 30) - 6 * 1024 * 1024 / 32);
}

TEST(PartitionState, ACopyOutReadsWhatTheL2DoesNotHold) {
  const config::Machine machine = two_channels();
  Rig rig(machine, 1);
  const AddressMap map(machine);
  const std::uint64_t line = map.address({1, 0, 0});
  rig.partition().install(line, 64);
  rig.partition().read_out(line, 128);
  EXPECT_EQ(rig.counters().dram_read_bytes, 64U);
  rig.partition().read_out(line, 10);
  EXPECT_EQ(rig.counters().dram_read_bytes, 64U);
  // Large ranges take the other way through the tags and must agree.
  rig.partition().clear_counters();
  rig.partition().read_out(0, 1 << 20);
  EXPECT_EQ(rig.counters().dram_read_bytes, (1U << 19) - 64);
}

TEST(PartitionState, ImpossibleMachinesAreRefusedWithAllTheirFaults) {
  config::Machine machine = small_machine();
  machine.l2.ways = 0;
  machine.l2.interleave = Bytes{100};
  machine.dram.bank_groups = 3;
  try {
    Partition partition(machine, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problems().size(), 3U);
  }
}

}  // namespace
}  // namespace wg::mem
