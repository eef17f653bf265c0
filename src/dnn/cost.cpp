#include "dnn/cost.hpp"

#include <algorithm>

namespace wg::dnn {
namespace {

bool is_first(const Network& network, std::size_t layer) {
  const Layer& one = network.layers[layer];
  return std::find(one.inputs.begin(), one.inputs.end(), std::size_t{0}) != one.inputs.end();
}

bool winograd_fits(const Network& network, std::size_t layer) {
  const Layer& one = network.layers[layer];
  return one.kind == LayerKind::convolution && one.kernel == 3 && one.stride == 1 &&
         !is_first(network, layer);
}

double share(const Network& network, std::size_t layer, Algorithm algorithm, const Roofline& r) {
  const Layer& one = network.layers[layer];
  if (one.kind == LayerKind::fully_connected) {
    return r.connected;
  }
  if (is_first(network, layer)) {
    return r.first;
  }
  if (winograd_fits(network, layer)) {
    return algorithm == Algorithm::performance ? r.winograd : r.direct;
  }
  return one.kernel == 1 ? r.pointwise : r.other;
}

LayerCost cost_of(const Network& network, std::size_t layer, std::uint64_t batch, const Card& card,
                  Algorithm algorithm, const Roofline& r) {
  const Layer& one = network.layers[layer];
  if (one.zero_copy) {
    return {};
  }
  const double images = static_cast<double>(batch);
  const double bytes = static_cast<double>(one.in.bytes() + one.out.bytes()) * images +
                       static_cast<double>(one.params * kElementBytes);
  // Gradients of weights and of inputs each read and write as much as the forward pass; images need none.
  const double passes = is_first(network, layer) ? 1 : 2;
  LayerCost cost;
  cost.forward_bytes = bytes;
  cost.backward_bytes = passes * bytes;
  double compute = 0;
  if (one.macs != 0) {
    compute = 2 * static_cast<double>(one.macs) * images / (share(network, layer, algorithm, r) * card.flops);
  }
  const double bandwidth = r.bandwidth * card.dram;
  cost.forward = std::max(compute, cost.forward_bytes / bandwidth) + r.launch;
  cost.backward = std::max(passes * compute / r.backward, cost.backward_bytes / bandwidth) + 2 * r.launch;
  return cost;
}

}  // namespace

std::uint64_t scratch_bytes(const Network& network, std::size_t layer, std::uint64_t batch,
                            Algorithm algorithm, const Roofline& roofline) {
  if (algorithm == Algorithm::memory || !winograd_fits(network, layer)) {
    return 0;
  }
  const Layer& one = network.layers[layer];
  return static_cast<std::uint64_t>(roofline.scratch * static_cast<double>(one.in.bytes() + one.out.bytes()) *
                                    static_cast<double>(batch));
}

std::vector<LayerCost> roofline_costs(const Network& network, std::uint64_t batch, const Card& card,
                                      const std::vector<Algorithm>& algorithms, const Roofline& roofline) {
  std::vector<LayerCost> costs;
  costs.reserve(network.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    costs.push_back(cost_of(network, i, batch, card, algorithms[i], roofline));
  }
  return costs;
}

}  // namespace wg::dnn
