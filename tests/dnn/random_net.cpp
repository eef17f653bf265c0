#include "random_net.hpp"

#include <string>
#include <vector>

namespace wg::dnn::test {
namespace {

struct Open {
  std::string name;
  bool read = false;  ///< then nothing may work on it in place
};

LayerSpec spec_of(std::string name, LayerKind kind, std::vector<std::string> from) {
  LayerSpec spec;
  spec.name = std::move(name);
  spec.kind = kind;
  spec.from = std::move(from);
  spec.where = "random";
  return spec;
}

}  // namespace

std::uint64_t Random::below(std::uint64_t bound) {
  state_ ^= state_ << 13U;
  state_ ^= state_ >> 7U;
  state_ ^= state_ << 17U;
  return (state_ >> 11U) % bound;
}

double Random::real(double low, double high) {
  return low + (high - low) * static_cast<double>(below(1U << 20)) / (1U << 20);
}

Network random_network(Random& random) {
  NetworkSpec spec{.name = "random", .title = "random", .source = "", .input = {4, 8, 8}, .layers = {}};
  std::vector<Open> maps;  // all 4 channels, 8 x 8, so that any two may be summed
  const std::size_t count = 3 + random.below(25);
  const auto any = [&]() -> std::string {
    if (maps.empty()) {
      return "data";
    }
    // Mostly the last map, so that chains are long.
    Open& map = maps[random.below(3) != 0 ? maps.size() - 1 : random.below(maps.size())];
    map.read = true;
    return map.name;
  };
  for (std::size_t i = 0; i < count; ++i) {
    std::string name(1, 'l');
    name += std::to_string(i);
    std::string joined(1, 'c');
    joined += name;
    const std::uint64_t what = random.below(10);
    if (what < 2 && !maps.empty() && !maps.back().read) {
      spec.layers.push_back(
          spec_of(name, what == 0 ? LayerKind::relu : LayerKind::dropout, {maps.back().name}));
      maps.back().name = name;
      continue;
    }
    if (what < 4 && maps.size() > 1) {
      spec.layers.push_back(spec_of(name, LayerKind::add, {any(), any()}));
    } else if (what < 6 && maps.size() > 1) {
      spec.layers.push_back(spec_of(joined, LayerKind::concat, {any(), any()}));
      spec.layers.push_back(spec_of(name, LayerKind::convolution, {joined}));
    } else if (what < 8) {
      spec.layers.push_back(spec_of(name, what == 6 ? LayerKind::lrn : LayerKind::batch_norm, {any()}));
    } else {
      spec.layers.push_back(spec_of(name, LayerKind::convolution, {any()}));
    }
    spec.layers.back().out = 4;
    spec.layers.back().kernel = 1;
    maps.push_back({name, false});
  }
  return build(spec);
}

std::vector<LayerTime> random_times(const Network& network, Random& random) {
  std::vector<LayerTime> times;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    times.push_back({random.below(8) == 0 ? 0 : random.real(0, 10), random.real(0, 20)});
  }
  return times;
}

std::vector<CopyTime> random_copies(const Network& network, Random& random) {
  std::vector<CopyTime> copies;
  for (std::size_t i = 0; i < network.buffers.size(); ++i) {
    copies.push_back({random.real(0, 20), random.real(0, 20)});
  }
  return copies;
}

}  // namespace wg::dnn::test
