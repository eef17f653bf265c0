// The papers' averages over six networks, as the specification's own model of the same rules reproduced them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support.hpp"

namespace wg::dnn {
namespace {

using test::kSix;
using test::performance;

struct Summary {
  double loss_mean, loss_worst, gain_mean, gain_most;  ///< per cent
};

Summary summary(const std::string& gpu, double link, double ratio) {
  Summary s{0, 0, 0, 0};
  for (const std::string& net : kSix) {
    const double plain = performance(net, gpu, link, 1);
    const double packed = performance(net, gpu, link, ratio);
    s.loss_mean += 100 * (1 - plain) / 6;
    s.loss_worst = std::max(s.loss_worst, 100 * (1 - plain));
    s.gain_mean += 100 * (packed / plain - 1) / 6;
    s.gain_most = std::max(s.gain_most, 100 * (packed / plain - 1));
  }
  return s;
}

void expect_near(const Summary& s, const Summary& want) {
  EXPECT_NEAR(s.loss_mean, want.loss_mean, 2);
  EXPECT_NEAR(s.loss_worst, want.loss_worst, 2);
  EXPECT_NEAR(s.gain_mean, want.gain_mean, 2);
  EXPECT_NEAR(s.gain_most, want.gain_most, 2);
}

TEST(Paper, TitanX) { expect_near(summary("titan-x", 12.8, 2.6), {30.3, 56.7, 31.1, 65}); }
TEST(Paper, TitanXAtTheNamedLinkRate) { expect_near(summary("titan-x", 16, 2.6), {25.2, 50.2, 25.0, 56}); }
TEST(Paper, TitanXp) { expect_near(summary("titan-xp", 12.8, 2.6), {45.7, 71.1, 52.5, 89.8}); }
TEST(Paper, TitanXpAtTheNamedLinkRate) {
  expect_near(summary("titan-xp", 16, 2.6), {39.5, 65.7, 43.2, 79.6});
}

TEST(Paper, EachNetworkOnTitanX) {
  const std::vector<double> plain{.69, .92, .86, .71, .43, .57};
  const std::vector<double> packed{.87, .98, .97, .92, .72, .83};
  for (std::size_t i = 0; i < kSix.size(); ++i) {
    // The reference model gave AlexNet's LRN layers no time; with it they lie 0.03 higher.
    EXPECT_NEAR(performance(kSix[i], "titan-x", 12.8, 1), plain[i], 0.03) << kSix[i];
    EXPECT_NEAR(performance(kSix[i], "titan-x", 12.8, 2.6), packed[i], 0.03) << kSix[i];
  }
}

TEST(Paper, MeanOverRatios) {
  const std::vector<std::pair<double, double>> want{{1, .697}, {1.5, .785}, {2, .839},    {2.6, .881},
                                                    {4, .932}, {8, .977},   {13.8, .993}, {1000, .996}};
  for (const auto& [ratio, mean] : want) {
    double sum = 0;
    for (const std::string& net : kSix) {
      sum += performance(net, "titan-x", 12.8, ratio) / 6;
    }
    EXPECT_NEAR(sum, mean, 0.01) << ratio;
  }
}

TEST(Paper, WithoutBarriersEvenPlainCopiesDoWell) {
  const std::vector<double> want{.93, 1.0, .99, .91, .56, .79};
  double plain = 0;
  double packed = 0;
  for (std::size_t i = 0; i < kSix.size(); ++i) {
    const double one = performance(kSix[i], "titan-x", 12.8, 1, Sync::none);
    // The reference model also moved the input of the last layer, 4 % of SqueezeNet's bytes.
    EXPECT_NEAR(one, want[i], 0.035) << kSix[i];
    plain += one / 6;
    packed += performance(kSix[i], "titan-x", 12.8, 2.6, Sync::none) / 6;
  }
  EXPECT_NEAR(plain, 0.864, 0.01);
  EXPECT_NEAR(packed, 0.99, 0.01);
}

TEST(Paper, OverFeatLosesLeastAndSqueezeNetMost) {
  std::vector<double> all;
  for (const std::string& net : kSix) {
    all.push_back(performance(net, "titan-x", 12.8, 1));
  }
  EXPECT_EQ(std::max_element(all.begin(), all.end()) - all.begin(), 1);
  EXPECT_EQ(std::min_element(all.begin(), all.end()) - all.begin(), 4);
}

TEST(Paper, RooflineFitsMeasuredTimes) {
  struct Measured {
    const char* net;
    double forward, backward;  // ms at batch 16, cuDNN 5.1, Maxwell Titan X
  };
  for (const Measured& m : {Measured{"alexnet", 7.09, 14.76}, Measured{"vgg16", 62.3, 130.5},
                            Measured{"googlenet", 19.3, 42.7}}) {
    const Network net = test::shipped(m.net);
    double forward = 0;
    double backward = 0;
    for (const LayerCost& cost : roofline_costs(net, 16, test::card("titan-x"),
                                                std::vector(net.layers.size(), Algorithm::performance))) {
      forward += 1e3 * cost.forward;
      backward += 1e3 * cost.backward;
    }
    EXPECT_NEAR(forward / m.forward, 1, 0.03) << m.net;
    EXPECT_NEAR(backward / m.backward, 1, 0.03) << m.net;
  }
}

}  // namespace
}  // namespace wg::dnn
