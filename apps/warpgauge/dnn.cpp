#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "config/reader.hpp"
#include "dnn/densities.hpp"
#include "dnn/training.hpp"
#include "options.hpp"
#include "places.hpp"
#include "rates.hpp"
#include "report/files.hpp"

namespace wg::app {
namespace {

[[noreturn]] void usage(std::string expected, std::string found, std::string advice = {}) {
  throw Error({.where = "warpgauge dnn run",
               .expected = std::move(expected),
               .found = std::move(found),
               .advice = std::move(advice)},
              ExitCode::usage);
}

template <class Enum>
Enum named(const std::string& name, std::initializer_list<Enum> all) {
  for (const Enum one : all) {
    if (dnn::name_of(one) == name) {
      return one;
    }
  }
  usage("a known name", name);  // the command line admits no other
}

struct Content {
  dnn::Codec codec = dnn::Codec::none;
  std::optional<dnn::Densities> densities;
  std::string file;  ///< of densities
  std::uint64_t step = 0;
};

Content content_of(const DnnArguments& a) {
  using dnn::Codec;
  Content content;
  content.codec =
      named(a.codec == "rle16" ? "rle" : a.codec, {Codec::none, Codec::zvc, Codec::rle, Codec::deflate});
  const bool known = a.ratio > 0 || !a.densities.empty();
  if (a.ratio > 0 && !a.densities.empty()) {
    usage("--ratio or --densities", "both");
  }
  if (content.codec == Codec::none && known) {
    usage("a --codec (zvc, rle, deflate) with --ratio or --densities", "--codec none");
  }
  if (content.codec != Codec::none && !known) {
    usage(fmt::format("--ratio R or --densities NAME with --codec {}", a.codec), "neither",
          "the papers' mean of ZVC over six networks is --ratio 2.6");
  }
  if (a.densities.empty()) {
    if (a.trajectory || !a.last_step) {
      usage("--densities with --step and --trajectory", "none");
    }
    return content;
  }
  content.file = dnn::find_file(a.densities, "densities", ".csv", workload_places()).string();
  content.densities.emplace(content.file);
  content.step = a.last_step ? content.densities->iterations().back() : a.step;
  return content;
}

/// Adds the files it read to `inputs`.
dnn::Setup setup_of(const DnnArguments& a, std::vector<std::string>& inputs) {
  using namespace dnn;
  Setup setup;
  const Folders folders = workload_places();
  inputs.push_back(find_file(a.network, "networks", ".toml", folders).string());
  setup.network = read_network(inputs.back());
  setup.batch = a.batch == 0 ? setup.network.batch : a.batch;
  config::LoadedMachine loaded = config::load(a.gpu, a.overrides, machine_places());
  inputs.insert(inputs.end(), loaded.files.begin(), loaded.files.end());
  config::Machine& machine = loaded.machine;
  setup.card = card_of(machine);
  for (std::uint64_t* rate : {&machine.link.to_host, &machine.link.to_device}) {
    *rate = std::max<std::uint64_t>((a.link.empty() ? *rate : link_rate(a.link)) / a.shared_by, 1);
  }
  set_engine(setup, machine);
  setup.compress = a.codec != "none";
  setup.policy = named(a.policy, {Policy::none, Policy::all, Policy::conv, Policy::dyn});
  setup.sync = named(a.sync, {Sync::layer, Sync::event, Sync::none});
  setup.algorithm = a.algorithm == "m" ? Algorithm::memory : Algorithm::performance;
  setup.speed = a.speed;
  if (a.times != "roofline") {
    setup.measured =
        find_file(a.times == "measured" ? setup.network.name : a.times, "times", ".csv", folders);
    inputs.push_back(setup.measured->string());
  }
  return setup;
}

void set_ratios(const DnnArguments& a, const Content& content, dnn::Setup& setup) {
  setup.ratios = content.densities
                     ? content.densities->ratios(setup.network, content.step, content.codec)
                     : std::vector<double>(setup.network.buffers.size(), a.ratio > 0 ? a.ratio : 1);
}

/// One line for each recorded iteration of a training.
void print_trajectory(const DnnArguments& a, Content content, dnn::Setup setup) {
  print(fmt::format("{}, batch {}, on {}: policy {}, codec {}\n\n{:>10} {:>9} {:>7} {:>12} {:>12}\n",
                    setup.network.title, setup.batch, setup.card.name, a.policy, a.codec, "iteration",
                    "density", "ratio", "performance", "stall ms"));
  std::vector<bool> maps = dnn::offload_set(setup.network, dnn::Policy::all);
  maps.front() = false;  // the images
  for (const std::uint64_t step : content.densities->iterations()) {
    content.step = step;
    set_ratios(a, content, setup);
    const dnn::Outcome outcome = dnn::train(setup);
    const double density = content.densities->mean(setup.network, step, maps);
    print(fmt::format("{:>10} {:>9.4f} {:>7.3f} {:>12.4f} {:>12.3f}\n", step, density, outcome.ratio(),
                      outcome.performance(), 1e3 * outcome.run.line.stall()));
  }
}

}  // namespace

int dnn_run(const DnnArguments& a) {
  const Content content = content_of(a);
  std::vector<std::string> inputs{content.file};
  dnn::Setup setup = setup_of(a, inputs);
  refuse_files_in_use(inputs, {a.json});
  if (a.trajectory) {
    if (!a.json.empty()) {
      usage("--json without --trajectory", "both");
    }
    print_trajectory(a, content, std::move(setup));
    return 0;
  }
  set_ratios(a, content, setup);
  if (!a.json.empty()) {
    report::require_writable(a.json);
  }
  const dnn::Outcome outcome = dnn::train(setup);
  if (!a.json.empty()) {
    report::write_file(a.json,
                       dnn::report_json(setup, outcome, {{"version", WG_VERSION}, {"command", a.command}}));
  }
  if (!a.quiet) {
    print(dnn::report_text(setup, outcome, a.layers));
  }
  return 0;
}

int dnn_list() {
  using namespace dnn;
  const Folders folders = workload_places();
  print(fmt::format("{:<13}{:<32}{:>6} {:>8} {:>9} {:>9} {:>8} {:>7}\n", "network", "", "batch", "conv/fc",
                    "params M", "GFLOP", "MB/image", "moves"));
  for (const std::string& name : names_in("networks", ".toml", folders)) {
    const Network net = read_network(find_file(name, "networks", ".toml", folders));
    const TensorCount moved = tensors(net);
    print(fmt::format(
        "{:<13}{:<32}{:>6} {:>8} {:>9.2f} {:>9.2f} {:>8.2f} {:>7}\n", name, net.title, net.batch,
        fmt::format("{}/{}", net.count(LayerKind::convolution), net.count(LayerKind::fully_connected)),
        1e-6 * static_cast<double>(net.params()), 2e-9 * static_cast<double>(net.macs()),
        1e-6 * static_cast<double>(moved.bytes), moved.count));
  }
  print(fmt::format("\nMeasured times: {}\nDensities:      {}\n\n",
                    fmt::join(names_in("times", ".csv", folders), ", "),
                    fmt::join(names_in("densities", ".csv", folders), ", ")));
  for (const Link& link : read_links(folders)) {
    print(fmt::format("  {:<16} {:>6.1f} GB/s  {}\n", link.name, 1e-9 * link.rate, link.source));
  }
  return 0;
}

int dnn_densities(const DnnArguments& a) {
  std::vector<std::string> inputs;
  for (const std::string& dump : a.dumps) {
    if (std::error_code none; std::filesystem::is_directory(dump, none)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(dump, none)) {
        inputs.push_back(entry.path().string());
      }
    } else {
      inputs.push_back(dump);
    }
  }
  refuse_files_in_use(inputs, {a.out});
  const std::string text = dnn::densities_csv(dnn::measure_dumps(a.dumps));
  if (a.out.empty()) {
    print(text);
  } else {
    report::write_file(a.out, text);
  }
  return 0;
}

}  // namespace wg::app
