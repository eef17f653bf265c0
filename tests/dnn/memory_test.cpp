// GPU memory over an iteration, against sums by hand and a naive count.
#include <gtest/gtest.h>

#include <algorithm>

#include "random_net.hpp"
#include "support.hpp"

namespace wg::dnn {
namespace {

using test::Random;

TEST(Memory, AChainByHand) {
  // Four convolutions with equal maps; copies are quick, so that a map is away as soon as it may be.
  const Network net = test::chain(4);
  const std::uint64_t map = net.buffers[1].bytes;
  const std::vector<Algorithm> slow(4, Algorithm::memory);
  const std::vector<bool> moves = offload_set(net, Policy::all);
  const std::vector<CopyTime> copies(net.buffers.size(), {1, 1});
  const Timeline line = simulate(net, std::vector<LayerTime>(4, {10, 20}), moves, copies, Sync::layer);
  const MemoryUse use = memory_use(net, 1, slow, moves, line);
  EXPECT_EQ(use.peak.weights, 2 * net.params() * 4);
  // Backward of a layer in the middle: its input, the prefetched input of the one before, two gradients. The
  // result of the last layer is gone when the forward pass ends.
  EXPECT_EQ(use.peak.maps, 2 * map);
  EXPECT_EQ(use.peak.gradients, 2 * map);
  EXPECT_EQ(use.peak.scratch, 0U);
  // Without offload the inputs of all four layers are there together.
  const std::vector<bool> nothing(net.buffers.size(), false);
  const Timeline plain = simulate(net, std::vector<LayerTime>(4, {10, 20}), nothing, copies, Sync::layer);
  EXPECT_EQ(memory_use(net, 1, slow, nothing, plain).peak.maps, 4 * map);
  EXPECT_EQ(network_wide(net, 1, slow).maps, 5 * map);
  EXPECT_EQ(network_wide(net, 3, slow).maps, 15 * map);
}

TEST(Memory, SlowCopiesHoldTheirMaps) {
  const Network net = test::chain(6);
  const std::vector<bool> moves = offload_set(net, Policy::all);
  const std::vector<Algorithm> slow(6, Algorithm::memory);
  const std::vector<LayerTime> times(6, {1, 1});
  const std::vector<CopyTime> copies(net.buffers.size(), {100, 100});
  const auto peak = [&](Sync sync) {
    return memory_use(net, 1, slow, moves, simulate(net, times, moves, copies, sync)).peak.maps;
  };
  // Without barriers the forward pass runs away from the copies, and all that it read is still there when the
  // first gradients come.
  EXPECT_EQ(peak(Sync::layer), 2 * net.buffers[1].bytes);
  EXPECT_EQ(peak(Sync::none), 6 * net.buffers[1].bytes);
}

/// The peak counted again, moment by moment, from the list of stays.
std::uint64_t naive_maps_at(const Network& net, const std::vector<Stay>& stays, double now) {
  std::uint64_t sum = 0;
  for (const Stay& stay : stays) {
    if (stay.from < now && now < stay.to) {
      sum += net.buffers[stay.buffer].bytes;
    }
  }
  return sum;
}

TEST(Memory, PeakCoversEveryMoment) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const Network net = test::random_network(random);
    const std::vector<bool> moves = offload_set(net, Policy::all);
    const auto times = test::random_times(net, random);
    const auto copies = test::random_copies(net, random);
    const std::vector<Algorithm> slow(net.layers.size(), Algorithm::memory);
    for (const Sync sync : {Sync::layer, Sync::event, Sync::none}) {
      const Timeline line = simulate(net, times, moves, copies, sync);
      const MemoryUse use = memory_use(net, 1, slow, moves, line);
      const std::vector<Stay> stays = map_stays(net, moves, line);
      for (const Step& step : line.steps) {
        const double middle = (step.start + step.end) / 2;
        EXPECT_LE(naive_maps_at(net, stays, middle) + use.peak.weights, use.peak.total()) << seed;
      }
      EXPECT_LE(use.average, static_cast<double>(use.peak.total()) * (1 + 1e-12));
      EXPECT_GE(use.average, static_cast<double>(use.peak.weights));
    }
  }
}

TEST(Memory, VggNeedsTwentyEightGigabytes) {
  // The scratch share was chosen for this; the maps alone are 15.6 GB.
  const Network net = test::shipped("vgg16");
  const MemorySplit split = network_wide(net, 256, std::vector(net.layers.size(), Algorithm::performance));
  EXPECT_NEAR(1e-9 * static_cast<double>(split.maps), 15.60, 0.01);
  EXPECT_NEAR(1e-9 * static_cast<double>(split.total()), 28, 0.1);
}

TEST(Memory, VggAt256TrainsInTwelveGigabytesWithOffloadOnly) {
  dnn::Setup setup = test::setup("vgg16", "titan-x", 12.8, 1);
  setup.batch = 256;
  setup.policy = Policy::dyn;
  const Outcome out = train(setup);
  EXPECT_FALSE(out.fits_without);
  EXPECT_TRUE(out.run.fits);
  EXPECT_LE(out.run.memory.peak.total(), setup.card.memory);
  EXPECT_LT(out.batch_without, 256U);
  EXPECT_GE(out.batch_with, 256U);
  ASSERT_EQ(out.trials.size(), 5U);
  const std::vector<std::string> order{"all (m)", "none (p)", "conv (p)", "all (p)", "conv, greedy"};
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(out.trials[i].what, order[i]);
    EXPECT_EQ(out.trials[i].chosen, i == 4);
  }
  // Some layers keep the fast algorithm, those at the peak give it up.
  EXPECT_GT(out.run.fast_layers(), 0U);
  EXPECT_LT(out.run.fast_layers(), setup.network.layers.size());
}

TEST(Memory, DynLeavesAloneWhatFits) {
  dnn::Setup setup = test::setup("alexnet", "titan-x", 12.8, 1);
  setup.policy = Policy::dyn;
  const Outcome out = train(setup);
  EXPECT_EQ(out.run.policy, Policy::none);
  EXPECT_EQ(out.trials.size(), 2U);
  EXPECT_EQ(out.performance(), 1);
  EXPECT_EQ(out.offloaded, 0U);
}

TEST(Memory, DynGivesUpWhereNothingFits) {
  dnn::Setup setup = test::setup("vgg16", "titan-x", 12.8, 1);
  setup.batch = 1024;
  setup.policy = Policy::dyn;
  const Outcome out = train(setup);
  EXPECT_FALSE(out.run.fits);
  EXPECT_EQ(out.trials.size(), 1U);
  EXPECT_LT(out.batch_with, 1024U);
  EXPECT_NE(verdict(setup, out).find("does not fit"), std::string::npos);
}

}  // namespace
}  // namespace wg::dnn
