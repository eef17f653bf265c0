#include "support.hpp"

#include "config/reader.hpp"

namespace wg::dnn::test {

Network shipped(const std::string& name) {
  return read_network(kRoot + "/workloads/networks/" + name + ".toml");
}

namespace {

config::Machine machine(const std::string& gpu) {
  return config::load_machine(gpu, {}, {std::filesystem::path(kRoot) / "gpus"});
}

}  // namespace

Card card(const std::string& gpu) { return card_of(machine(gpu)); }

Setup setup(const std::string& network, const std::string& gpu, double gigabytes, double ratio, Sync sync) {
  Setup s;
  s.network = shipped(network);
  s.batch = s.network.batch;
  s.card = card(gpu);
  config::Machine linked = machine(gpu);
  linked.link.to_host = linked.link.to_device = static_cast<std::uint64_t>(gigabytes * 1e9);
  set_engine(s, linked);
  s.compress = ratio != 1;
  s.sync = sync;
  s.ratios.assign(s.network.buffers.size(), ratio);
  return s;
}

double performance(const std::string& network, const std::string& gpu, double gigabytes, double ratio,
                   Sync sync) {
  return train(setup(network, gpu, gigabytes, ratio, sync)).performance();
}

Network chain(std::size_t layers) {
  NetworkSpec spec{.name = "chain", .title = "chain", .source = "", .input = {8, 16, 16}, .layers = {}};
  std::string from = "data";
  for (std::size_t i = 0; i < layers; ++i) {
    LayerSpec layer;
    layer.name = "conv" + std::to_string(i);
    layer.kind = LayerKind::convolution;
    layer.from = {from};
    layer.out = 8;
    layer.kernel = 1;
    layer.where = "chain";
    spec.layers.push_back(layer);
    from = layer.name;
  }
  return build(spec);
}

}  // namespace wg::dnn::test
