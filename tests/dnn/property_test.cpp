// What holds for every graph, every time and every way of waiting.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "random_net.hpp"
#include "support.hpp"

namespace wg::dnn {
namespace {

using test::Random;

constexpr double kTiny = 1e-9;
constexpr std::uint64_t kGraphs = 300;

struct Case {
  Network net;
  std::vector<LayerTime> times;
  std::vector<CopyTime> copies;
};

Case make(std::uint64_t seed) {
  Random random(seed);
  Case one;
  one.net = test::random_network(random);
  one.times = test::random_times(one.net, random);
  one.copies = test::random_copies(one.net, random);
  return one;
}

/// Calls `check` for every graph, policy and way of waiting.
template <class Check>
void for_all(Check check) {
  for (std::uint64_t seed = 1; seed <= kGraphs; ++seed) {
    const Case one = make(seed);
    for (const Policy policy : {Policy::all, Policy::conv, Policy::none}) {
      const std::vector<bool> moves = offload_set(one.net, policy);
      for (const Sync sync : {Sync::layer, Sync::event, Sync::none}) {
        SCOPED_TRACE(testing::Message()
                     << "seed " << seed << ", " << name_of(policy) << ", " << name_of(sync));
        check(one, moves, sync, simulate(one.net, one.times, moves, one.copies, sync));
        if (testing::Test::HasFailure()) {
          return;
        }
      }
    }
  }
}

/// Buffers that the backward pass of a layer reads, worked out anew from the graph.
std::vector<std::size_t> needed(const Network& net, std::size_t layer) {
  const Layer& one = net.layers[layer];
  std::vector<std::size_t> list;
  if (one.backward_needs_input() && !one.in_place) {
    list = one.inputs;
  }
  if (one.backward_needs_output()) {
    list.push_back(one.output);
  }
  return list;
}

TEST(Properties, EveryMapGoesOnceAndComesBackOnce) {
  std::size_t moved = 0;
  for_all([&](const Case& one, const std::vector<bool>& moves, Sync, const Timeline& line) {
    std::map<std::size_t, int> out;
    std::map<std::size_t, int> back;
    for (const Copy& copy : line.copies) {
      ++(copy.to_host ? out : back)[copy.buffer];
    }
    std::uint64_t offloaded = 0;
    std::uint64_t prefetched = 0;
    for (std::size_t b = 0; b < moves.size(); ++b) {
      EXPECT_EQ(out[b], moves[b] ? 1 : 0) << b;
      EXPECT_EQ(back[b], moves[b] ? 1 : 0) << b;
      offloaded += static_cast<std::uint64_t>(out[b]) * one.net.buffers[b].bytes;
      prefetched += static_cast<std::uint64_t>(back[b]) * one.net.buffers[b].bytes;
    }
    EXPECT_EQ(offloaded, prefetched);
    moved += out.size();
  });
  EXPECT_GT(moved, 1000U);
}

TEST(Properties, NothingIsUsedWhileItIsAway) {
  for_all([](const Case& one, const std::vector<bool>& moves, Sync, const Timeline& line) {
    for (const Step& step : line.steps) {
      const std::vector<std::size_t> uses =
          step.backward ? needed(one.net, step.layer) : one.net.layers[step.layer].inputs;
      for (const Copy& copy : line.copies) {
        if (std::find(uses.begin(), uses.end(), copy.buffer) == uses.end()) {
          continue;
        }
        if (step.backward && !copy.to_host) {
          EXPECT_LE(copy.end, step.start + kTiny) << one.net.layers[step.layer].name;
        } else if (!step.backward && copy.to_host) {
          // Forward: the copy out begins with the last layer that reads the map, or later.
          EXPECT_GE(copy.start + kTiny, step.start) << one.net.layers[step.layer].name;
        }
      }
    }
    // What the lifetimes say must cover every use as well.
    const std::vector<Stay> stays = map_stays(one.net, moves, line);
    for (const Step& step : line.steps) {
      const std::vector<std::size_t> uses =
          step.backward ? needed(one.net, step.layer) : one.net.layers[step.layer].inputs;
      for (const std::size_t buffer : uses) {
        EXPECT_TRUE(std::any_of(stays.begin(), stays.end(),
                                [&](const Stay& stay) {
                                  return stay.buffer == buffer && stay.from <= step.start + kTiny &&
                                         stay.to >= step.end - kTiny;
                                }))
            << one.net.layers[step.layer].name << " uses " << one.net.buffers[buffer].name;
      }
    }
  });
}

TEST(Properties, NeverBetterThanTheOracle) {
  for_all([](const Case&, const std::vector<bool>&, Sync, const Timeline& line) {
    EXPECT_LE(line.performance(), 1 + kTiny);
    EXPECT_GE(line.overlap(), -kTiny);
    EXPECT_LE(line.overlap(), 1 + kTiny);
    double stall = 0;
    for (const Step& step : line.steps) {
      EXPECT_GE(step.stall, 0);
      stall += step.stall;
    }
    EXPECT_NEAR(stall, line.stall(), kTiny * (1 + line.total));
  });
}

TEST(Properties, CopiesRunOneAfterTheOther) {
  for_all([](const Case&, const std::vector<bool>&, Sync, const Timeline& line) {
    for (std::size_t i = 1; i < line.copies.size(); ++i) {
      EXPECT_GE(line.copies[i].start + kTiny, line.copies[i - 1].end);
    }
  });
}

TEST(Properties, LossGrowsWithComputeSpeed) {
  for_all([](const Case& one, const std::vector<bool>& moves, Sync sync, const Timeline& line) {
    std::vector<LayerTime> faster = one.times;
    for (LayerTime& time : faster) {
      time = {time.forward / 1.7, time.backward / 1.7};
    }
    EXPECT_LE(simulate(one.net, faster, moves, one.copies, sync).performance(), line.performance() + kTiny);
  });
}

TEST(Properties, LossFallsWithTheRatio) {
  for_all([](const Case& one, const std::vector<bool>& moves, Sync sync, const Timeline& line) {
    std::vector<CopyTime> shorter = one.copies;
    for (CopyTime& time : shorter) {
      time = {time.offload / 1.3, time.prefetch / 1.3};
    }
    EXPECT_LE(simulate(one.net, one.times, moves, shorter, sync).total, line.total + kTiny);
  });
}

TEST(Properties, LooserWaitingIsNeverSlower) {
  for (std::uint64_t seed = 1; seed <= kGraphs; ++seed) {
    const Case one = make(seed);
    const std::vector<bool> moves = offload_set(one.net, Policy::all);
    const double layer = simulate(one.net, one.times, moves, one.copies, Sync::layer).total;
    const double event = simulate(one.net, one.times, moves, one.copies, Sync::event).total;
    EXPECT_LE(event, layer + kTiny) << seed;
  }
}

TEST(Properties, RealNetworksFollowSpeedLinkAndRatio) {
  for (const std::string& net : test::kSix) {
    double last = 1.1;
    for (const double speed : {0.5, 1.0, 2.2, 5.0}) {
      dnn::Setup setup = test::setup(net, "titan-x", 12.8, 1);
      setup.speed = speed;
      const double now = train(setup).performance();
      EXPECT_LT(now, last) << net << ' ' << speed;
      last = now;
    }
    last = 0;
    for (const double ratio : {1.0, 1.5, 2.6, 6.0}) {
      const double now = test::performance(net, "titan-x", 12.8, ratio);
      EXPECT_GT(now, last) << net << ' ' << ratio;
      last = now;
    }
  }
}

}  // namespace
}  // namespace wg::dnn
