// The dispatcher with mock SMs: order, launch cost, launch rate, room, completions.
#include "dispatch/dispatcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"

namespace wg::dispatch {
namespace {

/// Hands out `count` CTAs; throws at number `bad`.
class Source final : public trace::CtaSource {
 public:
  Source(std::uint64_t count, std::uint64_t bad) : count_(count), bad_(bad) {}
  bool next(trace::CtaBlob& out) override {
    if (next_ == bad_) {
      throw Error({.where = "line 7"});
    }
    out.number = next_;
    return next_++ < count_;
  }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t count_;
  std::uint64_t bad_;
};

class FakeKernel final : public trace::Kernel {
 public:
  explicit FakeKernel(std::uint64_t ctas, std::uint64_t bad = kNever) : ctas_(ctas), bad_(bad) {}
  [[nodiscard]] const trace::KernelHeader& header() const override { return header_; }
  [[nodiscard]] std::unique_ptr<trace::CtaSource> open() const override {
    return std::make_unique<Source>(ctas_, bad_);
  }
  [[nodiscard]] std::unique_ptr<trace::CtaDecoder> decoder() const override { return nullptr; }

 private:
  trace::KernelHeader header_;
  std::uint64_t ctas_;
  std::uint64_t bad_;
};

config::Machine small_machine() {
  config::Machine machine;
  machine.sm.count = 3;
  machine.launch.kernel_cycles = 100;
  machine.launch.cta_interval_milli = 2'500;  // 2.5 cycles of 1,000 ps
  machine.launch.cta_latency = 50;
  return machine;
}

struct Launch {
  std::uint64_t arrival = 0;
  std::size_t sm = 0;
  std::uint64_t cta = 0;
  trace::CtaBlob* blob = nullptr;
};

class DispatcherTest : public testing::Test {
 protected:
  void begin(std::uint64_t ctas, std::uint32_t room) {
    kernel = std::make_unique<FakeKernel>(ctas);
    dispatcher = std::make_unique<Dispatcher>(machine);
    Fit fit;
    fit.ctas = room;
    dispatcher->begin_kernel(*kernel, fit);
  }
  std::vector<Launch> run(std::uint64_t until) {
    mem::Outbox<sm::CtaLaunch> out(machine.sm.count);
    dispatcher->run(until, out);
    std::vector<Launch> launches;
    for (std::size_t sm = 0; sm < machine.sm.count; ++sm) {
      std::vector<sm::CtaLaunch> mine;
      out.drain(sm, mine);
      for (const sm::CtaLaunch& launch : mine) {
        launches.push_back({launch.arrival, sm, launch.blob->number, launch.blob});
      }
    }
    std::sort(launches.begin(), launches.end(),
              [](const Launch& a, const Launch& b) { return a.cta < b.cta; });
    return launches;
  }
  void finish(const Launch& launch, std::uint64_t arrival) {
    const sm::CtaDone done{.arrival = arrival,
                           .sequence = sequence++,
                           .source = static_cast<std::uint16_t>(launch.sm),
                           .blob = launch.blob};
    dispatcher->deliver(std::span(&done, 1));
  }

  config::Machine machine = small_machine();
  std::unique_ptr<FakeKernel> kernel;
  std::unique_ptr<Dispatcher> dispatcher;
  std::uint32_t sequence = 0;
};

TEST_F(DispatcherTest, PaysTheLaunchAndKeepsTheRate) {
  begin(4, 8);
  EXPECT_EQ(dispatcher->next_event(), 100'000U);
  EXPECT_TRUE(run(100'000).empty());
  const std::vector<Launch> launches = run(1'000'000);
  ASSERT_EQ(launches.size(), 4U);
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(launches[i].cta, i);
    EXPECT_EQ(launches[i].sm, i % 3);
    EXPECT_EQ(launches[i].arrival, 100'000U + i * 2'500 + 50'000);
  }
  EXPECT_EQ(dispatcher->next_event(), kNever);
  EXPECT_FALSE(dispatcher->finished());
  for (const Launch& launch : launches) {
    finish(launch, 500'000);
  }
  EXPECT_EQ(dispatcher->next_event(), 500'000U);
  run(500'001);
  EXPECT_TRUE(dispatcher->finished());
  EXPECT_EQ(dispatcher->completed(), 4U);
}

TEST_F(DispatcherTest, CarriesFractionsOfAPicosecond) {
  machine.launch.cta_interval_milli = 1;    // 1 ps
  machine.clock.sm = Hertz{1'500'000'000};  // 667 ps a cycle: 0.667 ps between CTAs
  begin(1'000, 1'000);
  const std::vector<Launch> launches = run(kNever);
  ASSERT_EQ(launches.size(), 1'000U);
  EXPECT_EQ(launches.back().arrival - launches.front().arrival, 999U * 667 / 1'000);
}

TEST_F(DispatcherTest, WaitsForRoomAndUsesItWhenItIsTold) {
  begin(5, 1);
  const std::vector<Launch> first = run(1'000'000);
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(dispatcher->next_event(), kNever);  // nothing to do until one is done
  finish(first[1], 1'200'000);
  EXPECT_EQ(dispatcher->next_event(), 1'200'000U);
  EXPECT_TRUE(run(1'200'000).empty());
  const std::vector<Launch> second = run(1'200'001);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].sm, 1U);
  EXPECT_EQ(second[0].cta, 3U);
  EXPECT_EQ(second[0].arrival, 1'250'000U);
  finish(first[0], 1'201'000);
  finish(first[2], 1'201'000);
  const std::vector<Launch> third = run(2'000'000);
  ASSERT_EQ(third.size(), 1U);
  EXPECT_EQ(third[0].arrival, 1'252'500U);  // the rate still counts
  EXPECT_EQ(third[0].sm, 2U);               // the next one after SM 1
}

TEST_F(DispatcherTest, EpochLengthChangesNothing) {
  constexpr std::uint64_t kWire = 40'000;
  const auto all = [this](std::uint64_t epoch) {
    begin(40, 2);
    std::vector<std::pair<std::uint64_t, std::size_t>> seen;
    std::vector<std::pair<std::uint64_t, Launch>> running;  // by the time they are done
    for (std::uint64_t now = 0; now < 5'000'000 && !dispatcher->finished(); now += epoch) {
      for (const auto& [done, launch] : running) {
        if (done < now) {  // happened in the last epoch
          finish(launch, done + kWire);
        }
      }
      std::erase_if(running, [now](const auto& r) { return r.first < now; });
      for (const Launch& launch : run(now + epoch)) {
        seen.emplace_back(launch.arrival, launch.sm);
        running.emplace_back(launch.arrival + 20'000 + launch.cta * 1'234 % 7'000, launch);
      }
    }
    EXPECT_TRUE(dispatcher->finished());
    return seen;
  };
  const auto expected = all(kWire);
  EXPECT_EQ(expected.size(), 40U);
  for (const std::uint64_t epoch : {kWire / 2, kWire / 7, std::uint64_t{1'000}}) {
    EXPECT_EQ(all(epoch), expected) << epoch;
  }
}

TEST_F(DispatcherTest, ReusesBlobsThatAreDone) {
  begin(100, 1);
  std::set<trace::CtaBlob*> blobs;
  std::uint64_t now = 200'000;
  for (std::uint64_t seen = 0; seen < 100;) {
    for (const Launch& launch : run(now)) {
      blobs.insert(launch.blob);
      finish(launch, now);
      ++seen;
    }
    now += 10'000;
  }
  EXPECT_LE(blobs.size(), 5U);  // three running, one read ahead, one in hand
}

TEST_F(DispatcherTest, BadTraceTextReachesTheCaller) {
  kernel = std::make_unique<FakeKernel>(10, 2);
  dispatcher = std::make_unique<Dispatcher>(machine);
  Fit fit;
  fit.ctas = 4;
  dispatcher->begin_kernel(*kernel, fit);
  EXPECT_THROW(run(kNever), Error);
}

TEST_F(DispatcherTest, StartsAgainWithTheNextKernel) {
  begin(2, 1);
  run(kNever);
  const FakeKernel next(1);
  Fit fit;
  fit.ctas = 1;
  dispatcher->begin_kernel(next, fit);
  const std::vector<Launch> launches = run(kNever);
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].sm, 0U);
  EXPECT_EQ(launches[0].arrival, 150'000U);
  EXPECT_EQ(dispatcher->placed(), 1U);
}

}  // namespace
}  // namespace wg::dispatch
