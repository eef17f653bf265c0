// Random graphs with forks, sums, concatenations and in-place layers.
#pragma once

#include <cstdint>

#include "dnn/network.hpp"
#include "dnn/timeline.hpp"

namespace wg::dnn::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
  std::uint64_t below(std::uint64_t bound);
  double real(double low, double high);

 private:
  std::uint64_t state_;
};

Network random_network(Random& random);
std::vector<LayerTime> random_times(const Network& network, Random& random);
std::vector<CopyTime> random_copies(const Network& network, Random& random);

}  // namespace wg::dnn::test
