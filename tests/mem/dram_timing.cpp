#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/rng.hpp"
#include "mem/dram.hpp"
#include "mem/partition_rig.hpp"

namespace wg::mem {
namespace {

using Kind = DramCommand::Kind;

/// Random reads and writes, kept within the queues; returns the command log.
std::vector<DramCommand> random_log(const config::Machine& machine, std::uint64_t seed, std::uint64_t rows,
                                    int accesses) {
  PartitionCounters counters;
  DramChannel channel(machine, counters);
  std::vector<DramCommand> log;
  channel.record(&log);
  Rng rng(seed);
  std::uint64_t now = 0;
  std::uint64_t returned = 0;
  std::uint64_t reads = 0;
  const auto advance = [&](std::uint64_t until) {
    while (channel.next_ps() < until) {
      const DramStep step = channel.step();
      returned += step.data.ready_ps != kNever ? 1 : 0;
    }
  };
  for (int i = 0; i < accesses; ++i) {
    now += rng.below(16) * 1000;
    advance(now);
    const std::uint64_t address = rng.below(rows * 16 * 1024 / 128) * 128;
    const auto sectors = static_cast<std::uint32_t>(1 + rng.below(15));
    const std::uint32_t entries = channel.entries(sectors);
    if (rng.below(3) == 0) {
      if (channel.has_write_room(entries)) {
        channel.write(now, address, sectors);
      }
    } else if (channel.has_read_room(entries)) {
      channel.read(now, address, sectors, 0, 0);
      reads += entries;
    }
  }
  advance(kNever);
  EXPECT_EQ(returned, reads) << "every read comes back, nothing starves";
  EXPECT_EQ(channel.next_ps(), kNever);
  return log;
}

/// Checks a log against the rules of the device, one command at a time, by a model that shares nothing with
/// the controller.
class RuleBook {
 public:
  RuleBook(const config::DramConfig& t, std::uint32_t data_clocks)
      : t_(t), data_clocks_(data_clocks), banks_(t.banks) {}

  void check(const DramCommand& c) {
    Bank& bank = banks_[c.bank];
    switch (c.kind) {
      case Kind::activate:
        EXPECT_FALSE(bank.open);
        after(c, bank.precharge, t_.tRP, "tRP");
        after(c, bank.activate, t_.tRAS + t_.tRP, "tRC");
        after(c, refresh_, t_.tRFC, "tRFC");
        if (!activates_.empty()) {
          after(c, when(activates_.back()), t_.tRRD, "tRRD");
        }
        if (activates_.size() >= 4) {
          after(c, when(activates_[activates_.size() - 4]), t_.tFAW, "tFAW");
        }
        activates_.push_back(c.clock);
        bank = Bank{};
        bank.open = true;
        bank.row = c.row;
        bank.activate = when(c.clock);
        break;
      case Kind::precharge:
        EXPECT_TRUE(bank.open);
        close(bank, c);
        break;
      case Kind::refresh:
        for (Bank& each : banks_) {
          if (each.open) {
            close_before(each, c);
          }
          after(c, each.precharge, each.closed_by_refresh ? 0 : t_.tRP, "tRP before refresh");
        }
        refresh_ = when(c.clock);
        break;
      case Kind::read:
      case Kind::write:
        column(c, bank);
        break;
    }
  }

 private:
  struct Time {
    bool set = false;
    std::uint64_t clock = 0;
  };
  struct Bank {
    bool open = false;
    bool closed_by_refresh = false;
    std::uint32_t row = 0;
    Time activate;
    Time precharge;
    Time read;
    Time write_end;
  };
  static Time when(std::uint64_t clock) { return {true, clock}; }
  static void after(const DramCommand& c, Time earlier, std::uint64_t distance, const char* rule) {
    if (earlier.set) {
      EXPECT_GE(c.clock, earlier.clock + distance) << rule << " at clock " << c.clock;
    }
  }
  void close(Bank& bank, const DramCommand& c) {
    after(c, bank.activate, t_.tRAS, "tRAS");
    after(c, bank.read, t_.tRTP, "tRTP");
    after(c, bank.write_end, t_.tWR, "tWR");
    bank.open = false;
    bank.precharge = when(c.clock);
  }
  /// The refresh's own precharge comes tRP before it.
  void close_before(Bank& bank, DramCommand c) {
    c.clock -= t_.tRP;
    close(bank, c);
    bank.closed_by_refresh = true;
  }
  void column(const DramCommand& c, Bank& bank) {
    EXPECT_TRUE(bank.open);
    EXPECT_EQ(bank.row, c.row);
    after(c, bank.activate, t_.tRCD, "tRCD");
    const std::uint32_t group = c.bank % t_.bank_groups;
    after(c, last_column_, t_.tCCD_S, "tCCD_S");
    after(c, last_in_group_[group], t_.tCCD_L, "tCCD_L");
    const bool read = c.kind == Kind::read;
    if (read) {
      after(c, last_write_end_, t_.tWTR, "tWTR");
      bank.read = when(c.clock);
    } else {
      after(c, last_read_, t_.tRTW, "tRTW");
    }
    const std::uint64_t data = c.clock + (read ? t_.tCL : t_.tCWL);
    EXPECT_GE(data, bus_free_) << "two bursts on the bus at clock " << c.clock;
    bus_free_ = data + data_clocks_;
    (read ? last_read_ : last_write_end_) = when(read ? c.clock : bus_free_);
    if (!read) {
      bank.write_end = when(bus_free_);
    }
    last_column_ = last_in_group_[group] = when(c.clock);
  }

  config::DramConfig t_;
  std::uint32_t data_clocks_;
  std::vector<Bank> banks_;
  std::vector<std::uint64_t> activates_;
  Time refresh_;
  Time last_column_;
  std::map<std::uint32_t, Time> last_in_group_;
  Time last_read_;
  Time last_write_end_;
  std::uint64_t bus_free_ = 0;
};

TEST(DramTiming, RandomTrafficKeepsEveryRule) {
  config::Machine machine = test::small_machine();
  for (const std::uint32_t refresh : {0U, 400U, 3900U}) {
    machine.dram.tREFI = refresh;
    machine.dram.tRFC = 120;
    for (const std::uint64_t rows : {1U, 3U, 1000U}) {
      const std::vector<DramCommand> log = random_log(machine, rows + refresh, rows, 20'000);
      EXPECT_GT(log.size(), 20'000U);
      RuleBook rules(machine.dram, 2);
      for (const DramCommand& command : log) {
        rules.check(command);
        if (testing::Test::HasFailure()) {
          return;
        }
      }
    }
  }
}

TEST(DramTiming, RulesHoldForAnotherDevice) {
  config::Machine machine = test::small_machine();
  machine.dram.banks = 32;
  machine.dram.bank_groups = 8;
  machine.dram.tRRD = 7;
  machine.dram.tFAW = 40;
  machine.dram.tCCD_S = 1;
  machine.dram.tCCD_L = 3;
  machine.dram.tRTW = 2;
  machine.dram.tCWL = 9;
  machine.dram.bus = Bytes{8};  // four clocks a burst, more than tCCD
  const std::vector<DramCommand> log = random_log(machine, 5, 100, 20'000);
  RuleBook rules(machine.dram, 4);
  for (const DramCommand& command : log) {
    rules.check(command);
    if (testing::Test::HasFailure()) {
      return;
    }
  }
}

TEST(DramTiming, RefreshComesEveryTrefiAndStopsTheChannelForTrfc) {
  config::Machine machine = test::small_machine();
  machine.dram.tREFI = 1000;
  machine.dram.tRFC = 100;
  PartitionCounters counters;
  DramChannel channel(machine, counters);
  channel.read(1'050'000, 0, 1, 0, 0);  // clock 1,050: in the middle of the first refresh
  std::uint64_t ready = kNever;
  while (channel.next_ps() != kNever) {
    ready = std::min(ready, channel.step().data.ready_ps);
  }
  EXPECT_EQ(ready, (1100 + 14 + 14 + 2 + 40) * 1000ULL);
  EXPECT_EQ(counters.dram_refresh_cycles, 100U);
  // Four refreshes later the row is closed again, and the channel at rest between two refreshes.
  channel.read(5'500'000, 0, 1, 0, 0);
  ready = kNever;
  while (channel.next_ps() != kNever) {
    ready = std::min(ready, channel.step().data.ready_ps);
  }
  EXPECT_EQ(ready, (5500 + 14 + 14 + 2 + 40) * 1000ULL);
  EXPECT_EQ(counters.dram_refresh_cycles, 500U);
  EXPECT_EQ(counters.dram_row_misses, 2U);
}

TEST(DramTiming, RowHitsDoNotPassAnOldRequestForever) {
  config::Machine machine = test::small_machine();
  machine.dram.age_cap = 100;
  PartitionCounters counters;
  DramChannel channel(machine, counters);
  std::uint64_t other = 128;
  while (channel.map().place(other).bank != channel.map().place(0).bank ||
         channel.map().place(other).row == channel.map().place(0).row) {
    other += 128;
  }
  channel.read(0, 0, 1, 0, 0);
  channel.read(0, other, 1, 0, 1);
  std::uint64_t other_ready = kNever;
  for (std::uint64_t now = 0; now < 2'000'000 && other_ready == kNever; now += 1000) {
    if (channel.has_read_room(1)) {
      channel.read(now, 0, 1, 0, 0);  // row hits without end
    }
    while (channel.next_ps() <= now) {
      const DramStep step = channel.step();
      if (step.data.ready_ps != kNever && step.data.slot == 1) {
        other_ready = step.data.ready_ps;
      }
    }
  }
  EXPECT_GT(other_ready, 100'000U);
  EXPECT_LT(other_ready, (100 + 14 + 14 + 14 + 2 + 40 + 20) * 1000ULL);
}

TEST(DramTiming, WritesWaitUntilTheyAreManyOrNoReadIs) {
  config::Machine machine = test::small_machine();
  machine.dram.write_high = 8;
  machine.dram.write_low = 2;
  PartitionCounters counters;
  DramChannel channel(machine, counters);
  std::vector<DramCommand> log;
  channel.record(&log);
  for (std::uint64_t i = 0; i < 8; ++i) {
    channel.read(0, i * 128, 15, 0, 0);
  }
  channel.write(0, 1 << 20, 15);  // 4 < 8: waits for all reads
  while (channel.next_ps() != kNever) {
    channel.step();
  }
  std::erase_if(log, [](const DramCommand& c) { return c.kind != Kind::read && c.kind != Kind::write; });
  ASSERT_EQ(log.size(), 36U);
  EXPECT_TRUE(
      std::all_of(log.begin(), log.begin() + 32, [](const DramCommand& c) { return c.kind == Kind::read; }));
  log.clear();
  for (std::uint64_t i = 0; i < 8; ++i) {
    channel.read(10'000'000, i * 128, 15, 0, 0);
  }
  for (std::uint64_t i = 0; i < 2; ++i) {
    channel.write(10'000'000, (1 << 20) + i * 128, 15);  // 8: drains to 2 at once
  }
  while (channel.next_ps() != kNever) {
    channel.step();
  }
  std::erase_if(log, [](const DramCommand& c) { return c.kind != Kind::read && c.kind != Kind::write; });
  ASSERT_EQ(log.size(), 40U);
  const auto writes =
      std::count_if(log.begin(), log.begin() + 6, [](const DramCommand& c) { return c.kind == Kind::write; });
  EXPECT_EQ(writes, 6);
  EXPECT_EQ(log[6].kind, Kind::read);
}

}  // namespace
}  // namespace wg::mem
