// Trains the network of workloads/networks/fmnist.toml with LibTorch and dumps its activation maps as .npy,
// so that `warpgauge dnn densities FOLDER` makes a file of densities from them.
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "base/npy.hpp"
#include "dataset.hpp"

namespace {

namespace F = torch::nn::functional;

constexpr std::int64_t kBatch = 64;
constexpr std::int64_t kDumped = 64;  // images
constexpr std::int64_t kJudged = 2000;

using Maps = std::map<std::string, torch::Tensor>;

struct Net : torch::nn::Module {
  Net() {
    const auto conv = [this](const char* name, std::int64_t in, std::int64_t out) {
      return register_module(name, torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).padding(1)));
    };
    conv0 = conv("conv0", 1, 16);
    conv1 = conv("conv1", 16, 32);
    conv2 = conv("conv2", 32, 32);
    conv3 = conv("conv3", 32, 32);
    fc1 = register_module("fc1", torch::nn::Linear(32 * 7 * 7, 128));
    fc2 = register_module("fc2", torch::nn::Linear(128, 10));
  }

  /// `maps`, when given, receives every map that a later layer reads.
  torch::Tensor forward(torch::Tensor x, Maps* maps = nullptr) {
    const auto keep = [maps](const char* name, torch::Tensor map) {
      if (maps != nullptr) {
        (*maps)[name] = map;
      }
      return map;
    };
    const auto pool = [](const torch::Tensor& map) { return F::max_pool2d(map, F::MaxPool2dFuncOptions(2)); };
    x = keep("conv0", torch::relu(conv0(x)));
    x = keep("pool0", pool(x));
    x = keep("conv1", torch::relu(conv1(x)));
    x = keep("pool1", pool(x));
    x = keep("conv2", torch::relu(conv2(x)));
    x = keep("conv3", torch::relu(conv3(x)));
    x = keep("fc1", torch::relu(fc1(x.flatten(1))));
    return fc2(x);
  }

  torch::nn::Conv2d conv0{nullptr}, conv1{nullptr}, conv2{nullptr}, conv3{nullptr};
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};

void write_npy(const std::filesystem::path& path, const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().contiguous();
  wg::NpyHeader header{.descr = "<f4", .fortran_order = false, .shape = {}};
  for (const std::int64_t extent : flat.sizes()) {
    header.shape.push_back(static_cast<std::uint64_t>(extent));
  }
  std::ofstream file(path, std::ios::binary);
  file << wg::npy_preamble(header);
  file.write(reinterpret_cast<const char*>(flat.data_ptr<float>()), flat.numel() * 4);
  if (!file.flush()) {
    throw wg::Error({.where = path.string(), .expected = "room to write", .found = "an error of the system"});
  }
}

torch::Tensor images_of(Dataset& data) {
  return torch::from_blob(data.images.data(), {static_cast<std::int64_t>(data.count), 1, 28, 28});
}
torch::Tensor labels_of(Dataset& data) {
  return torch::from_blob(data.labels.data(), {static_cast<std::int64_t>(data.count)}, torch::kInt64);
}

void dump(Net& net, Dataset& test, std::int64_t step, const std::filesystem::path& folder) {
  const torch::NoGradGuard guard;
  Maps maps;
  net.forward(images_of(test).slice(0, 0, kDumped), &maps);
  for (const auto& [name, map] : maps) {
    write_npy(folder / (name + "_it" + std::to_string(step) + ".npy"), map);
  }
  const torch::Tensor guess = net.forward(images_of(test).slice(0, 0, kJudged)).argmax(1);
  const double right =
      guess.eq(labels_of(test).slice(0, 0, kJudged)).to(torch::kFloat64).mean().item<double>();
  std::printf("step %lld: accuracy %.3f\n", static_cast<long long>(step), right);
}

void train(const std::filesystem::path& folder, std::int64_t steps, const std::string& data) {
  std::filesystem::create_directories(folder);
  Dataset train_set = read_dataset(data, "train");
  Dataset test_set = read_dataset(data, "t10k");
  torch::manual_seed(1);
  Net net;
  torch::optim::SGD sgd(net.parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
  std::vector<std::int64_t> order(train_set.count);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(1);
  const std::int64_t rounds = static_cast<std::int64_t>(train_set.count) / kBatch;
  for (std::int64_t step = 0; step <= steps; ++step) {
    if (step % rounds == 0) {
      std::shuffle(order.begin(), order.end(), random);
    }
    // Often early, where densities move fast, and ten times over the whole.
    if (step == 0 || step == 10 || step == 30 || step == 100 || step == steps ||
        step % std::max<std::int64_t>(steps / 10, 1) == 0) {
      dump(net, test_set, step, folder);
    }
    if (step == steps * 2 / 3) {
      static_cast<torch::optim::SGDOptions&>(sgd.param_groups()[0].options()).lr(0.001);
    }
    const torch::Tensor chosen =
        torch::from_blob(order.data() + step % rounds * kBatch, {kBatch}, torch::kInt64);
    sgd.zero_grad();
    F::cross_entropy(net.forward(images_of(train_set).index_select(0, chosen)),
                     labels_of(train_set).index_select(0, chosen))
        .backward();
    sgd.step();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: libtorch_dump FOLDER [STEPS [FASHION-MNIST]]\n");
    return 1;
  }
  try {
    const std::int64_t steps = argc > 2 ? std::atoll(argv[2]) : 2811;
    if (steps < 1) {
      throw wg::Error({.where = argv[2], .expected = "a number of steps from 1", .found = argv[2]});
    }
    torch::set_num_threads(1);
    train(argv[1], steps, argc > 3 ? argv[3] : "/usr/share/datasets/fashion-mnist");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libtorch_dump: %s\n", error.what());
    return 2;
  }
}
