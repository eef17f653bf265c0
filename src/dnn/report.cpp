// A training run as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dnn/training.hpp"

namespace wg::dnn {
namespace {

using Json = nlohmann::ordered_json;

double mega(double value) { return value * 1e-6; }
double giga(double value) { return value * 1e-9; }
double giga(std::uint64_t value) { return 1e-9 * static_cast<double>(value); }
double milli(double seconds) { return seconds * 1e3; }
/// Never prints as -0.0 with one digit.
double percent(double share) { return std::abs(share) < 0.0005 ? 0 : 100 * share; }

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

double saved(const Setup&, const Outcome& o) {
  return 1 - share(static_cast<double>(o.run.memory.peak.total()), static_cast<double>(o.without.total()));
}

std::string time_line(const Outcome& o) {
  const Timeline& line = o.run.line;
  double forward = 0;
  for (const Step& step : line.steps) {
    forward = step.backward ? forward : step.release;
  }
  std::string out = fmt::format("  iteration      {:10.2f} ms   forward {:.2f}, backward {:.2f}\n",
                                milli(line.total), milli(forward), milli(line.total - forward));
  out +=
      fmt::format("  oracle         {:10.2f} ms   infinite memory, same algorithms\n", milli(line.compute));
  out += fmt::format("  performance    {:10.3f}      of the oracle: a loss of {:.1f} %\n", o.performance(),
                     percent(1 - o.performance()));
  if (o.oracle < line.compute * 0.9999) {
    out += fmt::format("                 {:10.3f}      of the oracle with the fastest algorithms\n",
                       share(o.oracle, line.total));
  }
  out += fmt::format("  stalled        {:10.2f} ms   {:.1f} % of the iteration\n", milli(line.stall()),
                     percent(share(line.stall(), line.total)));
  out += fmt::format("  overlap        {:10.1f} %    of the copying is hidden by computation\n",
                     percent(line.overlap()));
  return out;
}

std::string traffic_lines(const Outcome& o) {
  const double raw = static_cast<double>(o.offloaded + o.prefetched);
  std::string out =
      fmt::format("  offloaded      {:10.3f} GB   {} bytes; the same back\n", giga(o.offloaded), o.offloaded);
  out +=
      fmt::format("  over the link  {:10.3f} GB   ratio {:.2f}, both ways\n", giga(o.link_bytes), o.ratio());
  out += fmt::format("  effective      {:10.2f} GB/s of raw data while copying\n", giga(o.effective_rate()));
  out += fmt::format(
      "  relative bytes {:10.3f}      of the link, to raw maps; DRAM {:.3f} to the layers alone\n",
      raw > 0 ? o.link_bytes / raw : 1.0, 1 + share(raw, o.layer_bytes));
  out += fmt::format("  pinned host    {:10.3f} GB   enough for maps that do not compress\n",
                     giga(o.host_bytes));
  return out;
}

std::string memory_lines(const Setup& s, const Outcome& o) {
  const MemorySplit& w = o.without;
  const MemorySplit& p = o.run.memory.peak;
  std::string out = fmt::format("  card           {:10.2f} GB   {}\n", giga(s.card.memory), s.card.name);
  out += fmt::format(
      "  without        {:10.2f} GB   maps {:.2f} ({:.0f} %), gradients {:.2f}, weights {:.2f}, scratch "
      "{:.2f}\n",
      giga(w.total()), giga(w.maps),
      percent(share(static_cast<double>(w.maps), static_cast<double>(w.total()))), giga(w.gradients),
      giga(w.weights), giga(w.scratch));
  const Step& at = o.run.line.steps[o.run.memory.peak_step];
  out += fmt::format(
      "  peak           {:10.2f} GB   maps {:.2f}, gradients {:.2f}, weights {:.2f}, scratch {:.2f}",
      giga(p.total()), giga(p.maps), giga(p.gradients), giga(p.weights), giga(p.scratch));
  out += o.run.policy == Policy::none ? "\n"
                                      : fmt::format(", at {} of {}\n", at.backward ? "backward" : "forward",
                                                    s.network.layers[at.layer].name);
  out += fmt::format("  average        {:10.2f} GB   maps {:.2f}\n", giga(o.run.memory.average),
                     giga(o.run.memory.average_maps));
  out += fmt::format("  saved          {:10.1f} %    of the peak; maps on average {:.1f} %\n",
                     percent(saved(s, o)),
                     percent(1 - share(o.run.memory.average_maps, static_cast<double>(w.maps))));
  out += fmt::format("  largest batch  {:10}      with this policy; {} without\n", o.batch_with,
                     o.batch_without);
  return out;
}

std::string layer_table(const Setup& s, const Outcome& o) {
  std::string out = fmt::format("{:<32}{:>9} {:>9} {:>9} {:>9} {:>10} {:>7}\n", "layer", "fwd ms", "stall",
                                "bwd ms", "stall", "MB out", "ratio");
  for (std::size_t i = 0; i < o.layers.size(); ++i) {
    const LayerReport& l = o.layers[i];
    const std::string moved =
        l.offloaded == 0 ? std::string()
                         : fmt::format("{:10.1f} {:7.2f}", mega(static_cast<double>(l.offloaded)), l.ratio);
    std::string line =
        fmt::format("{:<32}{:9.3f} {:9.3f} {:9.3f} {:9.3f} {}", s.network.layers[i].name, milli(l.forward),
                    milli(l.forward_stall), milli(l.backward), milli(l.backward_stall), moved);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line;
    out += '\n';
  }
  return out;
}

std::string trial_lines(const Outcome& o) {
  std::string out;
  for (const Trial& trial : o.trials) {
    out += fmt::format("  {:<14} {:8.2f} GB  {:<13} {:10.2f} ms{}\n", trial.what, giga(trial.peak),
                       trial.fits ? "fits" : "does not fit", milli(trial.seconds),
                       trial.chosen ? "  <- taken" : "");
  }
  return out;
}

Json split_json(const MemorySplit& m) {
  return {{"total_bytes", m.total()},
          {"weight_bytes", m.weights},
          {"map_bytes", m.maps},
          {"gradient_bytes", m.gradients},
          {"scratch_bytes", m.scratch}};
}

Json layers_json(const Setup& s, const Outcome& o) {
  Json list = Json::array();
  for (std::size_t i = 0; i < o.layers.size(); ++i) {
    const LayerReport& l = o.layers[i];
    list.push_back({{"name", s.network.layers[i].name},
                    {"type", name_of(s.network.layers[i].kind)},
                    {"algorithm", o.run.algorithms[i] == Algorithm::memory ? "m" : "p"},
                    {"forward_seconds", l.forward},
                    {"forward_stall_seconds", l.forward_stall},
                    {"backward_seconds", l.backward},
                    {"backward_stall_seconds", l.backward_stall},
                    {"offloaded_bytes", l.offloaded},
                    {"ratio", l.ratio}});
  }
  return list;
}

/// Every map: where it comes from and when it is in GPU memory.
Json buffers_json(const Setup& s, const Outcome& o) {
  Json list = Json::array();
  for (std::size_t b = 0; b < s.network.buffers.size(); ++b) {
    list.push_back({{"name", s.network.buffers[b].name},
                    {"bytes", s.network.buffers[b].bytes * s.batch},
                    {"ratio", s.ratios[b]},
                    {"moved", static_cast<bool>(o.run.moves[b])},
                    {"resident", Json::array()}});
  }
  for (const Stay& stay : map_stays(s.network, o.run.moves, o.run.line)) {
    list[stay.buffer]["resident"].push_back({stay.from, stay.to});
  }
  return list;
}

Json steps_json(const Setup& s, const Outcome& o) {
  Json list = Json::array();
  for (const Step& step : o.run.line.steps) {
    list.push_back({{"layer", s.network.layers[step.layer].name},
                    {"pass", step.backward ? "backward" : "forward"},
                    {"start", step.start},
                    {"end", step.end},
                    {"release", step.release}});
  }
  return list;
}

Json copies_json(const Setup& s, const Outcome& o) {
  Json list = Json::array();
  for (const Copy& copy : o.run.line.copies) {
    list.push_back({{"buffer", s.network.buffers[copy.buffer].name},
                    {"to", copy.to_host ? "host" : "device"},
                    {"start", copy.start},
                    {"end", copy.end}});
  }
  return list;
}

Json trials_json(const Outcome& o) {
  Json list = Json::array();
  for (const Trial& trial : o.trials) {
    list.push_back({{"what", trial.what},
                    {"peak_bytes", trial.peak},
                    {"fits", trial.fits},
                    {"iteration_seconds", trial.seconds},
                    {"chosen", trial.chosen}});
  }
  return list;
}

Json memory_json(const Setup& s, const Outcome& o) {
  return {{"card_bytes", s.card.memory},
          {"fits", o.run.fits},
          {"fits_without", o.fits_without},
          {"peak", split_json(o.run.memory.peak)},
          {"without", split_json(o.without)},
          {"average_bytes", o.run.memory.average},
          {"average_map_bytes", o.run.memory.average_maps},
          {"saved_share", saved(s, o)},
          {"batch_with", o.batch_with},
          {"batch_without", o.batch_without},
          {"host_bytes", o.host_bytes}};
}

Json totals_json(const Outcome& o) {
  const double raw = static_cast<double>(o.offloaded + o.prefetched);
  double forward = 0;
  for (const LayerReport& layer : o.layers) {
    forward += layer.forward + layer.forward_stall;
  }
  return {{"performance", o.performance()},
          {"performance_to_fastest", share(o.oracle, o.run.line.total)},
          {"iteration_seconds", o.run.line.total},
          {"forward_seconds", forward},
          {"oracle_seconds", o.run.line.compute},
          {"oracle_fastest_seconds", o.oracle},
          {"stall_seconds", o.run.line.stall()},
          {"copy_seconds", o.run.line.copying},
          {"overlap_share", o.run.line.overlap()},
          {"offloaded_bytes", o.offloaded},
          {"prefetched_bytes", o.prefetched},
          {"link_bytes", o.link_bytes},
          {"ratio", o.ratio()},
          {"effective_bytes_per_second", o.effective_rate()},
          {"link_bytes_relative", raw > 0 ? o.link_bytes / raw : 1.0},
          {"dram_bytes_relative", 1 + share(raw, o.layer_bytes)}};
}

}  // namespace

std::string verdict(const Setup& s, const Outcome& o) {
  const double loss = percent(1 - share(o.oracle, o.run.line.total));
  const std::string what = fmt::format("{} at batch {}", s.network.title, s.batch);
  if (!o.run.fits) {
    const bool plain = o.run.policy == Policy::none;
    return fmt::format(
        "{} does not fit: it needs {:.2f} GB{}, and {} has {:.2f} GB. The largest batch is {}.{}", what,
        giga(o.run.memory.peak.total()), plain ? "" : " even so", s.card.name, giga(s.card.memory),
        o.batch_with, plain ? " --policy dyn looks for an offload that makes it fit." : "");
  }
  if (o.run.policy == Policy::none) {
    return fmt::format("{} fits without offload.", what);
  }
  if (o.fits_without) {
    return loss < 1
               ? fmt::format(
                     "It would fit without offload. Offload costs {:.1f} % of speed and frees {:.1f} % of "
                     "the memory: "
                     "it pays for larger batches, up to {} instead of {}.",
                     loss, percent(saved(s, o)), o.batch_with, o.batch_without)
               : fmt::format(
                     "{} fits without offload, which would cost {:.1f} % of speed: it does not pay here, "
                     "unless a batch above {} is wanted.",
                     what, loss, o.batch_without);
  }
  return fmt::format(
      "Offload pays: {} fits with it only, at a loss of {:.1f} %. Without it the largest batch is {}.", what,
      loss, o.batch_without);
}

std::string report_text(const Setup& s, const Outcome& o, bool layers) {
  std::string out = fmt::format("{}, batch {}, on {}: policy {}{}, sync {}, link {:.2f} GB/s\n\n",
                                s.network.title, s.batch, s.card.name, name_of(s.policy),
                                s.policy == Policy::dyn ? fmt::format(" ({})", name_of(o.run.policy))
                                : s.algorithm == Algorithm::memory ? " (m)"
                                                                   : " (p)",
                                name_of(s.sync), giga(s.offload.link_rate()));
  out += fmt::format("Time\n{}", time_line(o));
  if (o.offloaded != 0) {
    out += fmt::format("\nTraffic\n{}", traffic_lines(o));
  }
  out += fmt::format("\nMemory\n{}", memory_lines(s, o));
  if (!o.trials.empty()) {
    out += fmt::format("\nTrials\n{}", trial_lines(o));
  }
  if (layers) {
    out += '\n';
    out += layer_table(s, o);
  }
  if (!o.untimed.empty()) {
    out += fmt::format("\nNot measured, by the roofline: {}\n", fmt::join(o.untimed, ", "));
  }
  if (!o.timed_on.empty() && o.timed_on != s.card.name) {
    out += fmt::format("\nWARNING: the times of layers were measured on {}, not on {}\n", o.timed_on,
                       s.card.name);
  }
  return out + fmt::format("\n{}\n", verdict(s, o));
}

std::string report_json(const Setup& s, const Outcome& o,
                        const std::vector<std::pair<std::string, std::string>>& extra) {
  Json run;
  for (const auto& [key, value] : extra) {
    run[key] = value;
  }
  run["gpu"] = s.card.name;
  const Json setup = {{"network", s.network.name},
                      {"batch", s.batch},
                      {"policy", name_of(s.policy)},
                      {"policy_taken", name_of(o.run.policy)},
                      {"algorithm", s.algorithm == Algorithm::memory ? "m" : "p"},
                      {"sync", name_of(s.sync)},
                      {"link_bytes_per_second", s.offload.link_rate()},
                      {"peak_flops", s.card.flops},
                      {"dram_bytes_per_second", s.card.dram},
                      {"times", s.measured ? s.measured->string() : "roofline"},
                      {"speed", s.speed}};
  const Json all = {{"run", run},
                    {"setup", setup},
                    {"totals", totals_json(o)},
                    {"memory", memory_json(s, o)},
                    {"layers", layers_json(s, o)},
                    {"buffers", buffers_json(s, o)},
                    {"steps", steps_json(s, o)},
                    {"copies", copies_json(s, o)},
                    {"trials", trials_json(o)},
                    {"untimed", o.untimed},
                    {"timed_on", o.timed_on},
                    {"verdict", verdict(s, o)}};
  return all.dump(1) + '\n';
}

}  // namespace wg::dnn
