// Known timelines by hand.
#include <gtest/gtest.h>

#include "support.hpp"

namespace wg::dnn {
namespace {

using test::chain;

/// Copies take what the table says; forward and backward 10 and 20 for each layer.
Timeline toy(std::vector<double> copies, Sync sync = Sync::layer) {
  const Network net = chain(copies.size());
  std::vector<CopyTime> times;
  for (const double seconds : copies) {
    times.push_back({seconds, seconds});
  }
  times.push_back({});  // the result
  return simulate(net, std::vector<LayerTime>(copies.size(), {10, 20}), offload_set(net, Policy::all), times,
                  sync);
}

TEST(Timeline, TwoLayersAsInThePaper) {
  const Timeline line = toy({15, 5});
  EXPECT_EQ(line.compute, 60);
  EXPECT_EQ(line.total, 65);
  EXPECT_NEAR(line.performance(), 0.923, 0.0005);
  EXPECT_EQ(line.steps[1].release, 25);
  EXPECT_EQ(line.steps[0].stall, 5);
  EXPECT_NEAR(line.overlap(), 1 - 5.0 / 30, 1e-12);
}

TEST(Timeline, TwiceCompressedTheToyIsTheOracle) {
  const Timeline line = toy({7.5, 2.5});
  EXPECT_EQ(line.total, 60);
  EXPECT_EQ(line.performance(), 1);
}

TEST(Timeline, TheLastInputStays) {
  const Timeline line = toy({1, 1, 100});
  EXPECT_EQ(line.total, 90);
  EXPECT_EQ(line.copies.size(), 4U);
}

TEST(Timeline, PrefetchLooksOneConvolutionAhead) {
  // Backward of layer 3 fetches the input of 2, of 2 that of 1, of 1 that of 0: 25 > 20 each.
  const Timeline line = toy({25, 25, 25, 1});
  EXPECT_EQ(line.total, 3 * 25 + 10 + 3 * 25 + 20);
}

TEST(Timeline, WhatIsNotBackIsFetchedThen) {
  // Two maps die at one convolution further back than the search goes: pool reads "wide", conv2 reads
  // "narrow".
  NetworkSpec spec{.name = "fork", .title = "", .source = "", .input = {4, 8, 8}, .layers = {}};
  const auto layer = [&](const char* name, LayerKind kind, const char* from) {
    spec.layers.push_back({.name = name, .kind = kind, .from = {from}, .out = 4, .kernel = 1, .where = ""});
  };
  layer("a", LayerKind::convolution, "data");
  layer("b", LayerKind::convolution, "a");
  layer("c", LayerKind::convolution, "a");  // the last to read a
  layer("d", LayerKind::convolution, "b");  // the last to read b
  spec.layers.push_back({.name = "sum", .kind = LayerKind::add, .from = {"c", "d"}, .where = ""});
  layer("e", LayerKind::convolution, "sum");
  layer("f", LayerKind::convolution, "e");
  const Network net = build(spec);
  const std::vector<CopyTime> times(net.buffers.size(), {5, 5});
  const Timeline line = simulate(net, std::vector<LayerTime>(net.layers.size(), {10, 20}),
                                 offload_set(net, Policy::all), times, Sync::layer);
  // data (0), a (2), b (3) and sum (5) move; f fetches sum, e finds b across the addition, d finds a; c stops
  // at b, a convolution with nothing to fetch; b finds data.
  ASSERT_EQ(line.copies.size(), 8U);
  const auto fetched = [&](std::size_t i) { return net.buffers[line.copies[4 + i].buffer].name; };
  EXPECT_EQ(fetched(0), "sum");
  EXPECT_EQ(fetched(1), "b");
  EXPECT_EQ(fetched(2), "a");
  EXPECT_EQ(fetched(3), "data");
  EXPECT_EQ(line.total, line.compute);
}

TEST(Timeline, WithoutBarriersCopiesQueueUp) {
  // Forward: copies end at 25, 50, 75 while layers end at 10, 20, 30, 40; backward fetches follow at once.
  const Timeline line = toy({25, 25, 25, 1}, Sync::none);
  EXPECT_EQ(line.copies[2].end, 75);
  // Layer 2's backward waits for the first fetch (100), 1 for 125, 0 for 150.
  EXPECT_EQ(line.total, 170);
  const Timeline events = toy({25, 25, 25, 1}, Sync::event);
  EXPECT_EQ(events.total, 170);
  EXPECT_LT(events.total, toy({25, 25, 25, 1}).total);
}

}  // namespace
}  // namespace wg::dnn
