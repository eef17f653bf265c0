#include "dnn/training.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/cdma/copy.hpp"

namespace wg::dnn {
namespace {

constexpr std::uint64_t kMostBatch = 1U << 20;

class Trainer {
 public:
  explicit Trainer(const Setup& setup) : setup_(setup) {}

  Run run(Policy policy, std::vector<Algorithm> algorithms) {
    Run run;
    run.policy = policy;
    run.moves = offload_set(setup_.network, policy);
    run.line = simulate(setup_.network, times(algorithms), run.moves, copies(), setup_.sync);
    if (policy == Policy::none) {
      run.memory.peak = network_wide(setup_.network, setup_.batch, algorithms);
      run.memory.average = static_cast<double>(run.memory.peak.total());
      run.memory.average_maps = static_cast<double>(run.memory.peak.maps);
    } else {
      run.memory = memory_use(setup_.network, setup_.batch, algorithms, run.moves, run.line);
    }
    run.fits = run.memory.peak.total() <= setup_.card.memory;
    run.algorithms = std::move(algorithms);
    return run;
  }

  [[nodiscard]] std::vector<Algorithm> everywhere(Algorithm algorithm) const {
    return std::vector<Algorithm>(setup_.network.layers.size(), algorithm);
  }

  /// Begins with fast algorithms; the layer at whose step memory peaks gives its own up, until it fits or the
  /// peak has no scratch memory left to give.
  Run greedy(Policy policy) {
    Run best = run(policy, everywhere(Algorithm::performance));
    while (!best.fits && best.memory.peak.scratch != 0) {
      std::vector<Algorithm> algorithms = best.algorithms;
      Algorithm& at_peak = algorithms[best.line.steps[best.memory.peak_step].layer];
      if (at_peak == Algorithm::memory) {
        break;  // without barriers a copy of another step may make the peak
      }
      at_peak = Algorithm::memory;
      best = run(policy, std::move(algorithms));
    }
    return best;
  }

  Run dynamic(std::vector<Trial>& trials) {
    const auto tried = [&](const char* what, Run run) {
      trials.push_back({what, run.memory.peak.total(), run.fits, run.line.total, false});
      return run;
    };
    const auto slow = everywhere(Algorithm::memory);
    const auto fast = everywhere(Algorithm::performance);
    Run found = tried("all (m)", run(Policy::all, slow));
    if (found.fits) {
      Run next = tried("none (p)", run(Policy::none, fast));
      next = next.fits ? next : tried("conv (p)", run(Policy::conv, fast));
      next = next.fits ? next : tried("all (p)", run(Policy::all, fast));
      next = next.fits ? next : tried("conv, greedy", greedy(Policy::conv));
      next = next.fits ? next : tried("all, greedy", greedy(Policy::all));
      next = next.fits ? next : tried("all (m)", run(Policy::all, slow));
      found = std::move(next);
    }
    trials.back().chosen = true;
    return found;
  }

  [[nodiscard]] std::vector<CopyTime> copies() const {
    std::vector<CopyTime> list;
    for (std::size_t b = 0; b < setup_.network.buffers.size(); ++b) {
      const Bytes raw{setup_.network.buffers[b].bytes * setup_.batch};
      list.push_back({seconds(setup_.offload, raw, b, host::cdma::Direction::offload),
                      seconds(setup_.prefetch, raw, b, host::cdma::Direction::prefetch)});
    }
    return list;
  }

  [[nodiscard]] double seconds(const host::cdma::EngineConfig& engine, Bytes raw, std::size_t buffer,
                               host::cdma::Direction direction) const {
    return setup_.compress
               ? 1e-12 * static_cast<double>(
                             host::cdma::transfer_time(engine, raw, setup_.ratios[buffer], direction).count())
               : static_cast<double>(raw.count()) / engine.link_rate();
  }

  std::vector<LayerTime> times(const std::vector<Algorithm>& algorithms) {
    costs_ = roofline_costs(setup_.network, setup_.batch, setup_.card, algorithms);
    std::vector<LayerTime> list;
    if (setup_.measured) {
      MeasuredTimes measured = read_times(*setup_.measured, setup_.network, setup_.batch, costs_);
      list = std::move(measured.times);
      untimed_ = std::move(measured.missing);
      timed_on_ = std::move(measured.gpu);
    } else {
      for (const LayerCost& cost : costs_) {
        list.push_back({cost.forward, cost.backward});
      }
    }
    for (LayerTime& time : list) {
      time = {time.forward / setup_.speed, time.backward / setup_.speed};
    }
    return list;
  }

  [[nodiscard]] const std::vector<LayerCost>& costs() const { return costs_; }
  [[nodiscard]] const std::vector<std::string>& untimed() const { return untimed_; }
  [[nodiscard]] const std::string& timed_on() const { return timed_on_; }

 private:
  const Setup& setup_;
  std::vector<LayerCost> costs_;
  std::vector<std::string> untimed_;
  std::string timed_on_;
};

/// Largest batch that `fits`; memory grows with the batch.
template <class Fits>
std::uint64_t largest_batch(Fits fits) {
  std::uint64_t low = 0;
  std::uint64_t high = kMostBatch + 1;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

std::uint64_t host_bytes(const Setup& setup, std::size_t buffer) {
  constexpr std::uint64_t kBlock = 128;  // a mask of 4 bytes for each
  const std::uint64_t raw = setup.network.buffers[buffer].bytes * setup.batch;
  return !setup.compress ? raw : raw + 4 * ((raw + kBlock - 1) / kBlock);
}

void add_copies(const Setup& setup, Outcome& out) {
  for (const Copy& copy : out.run.line.copies) {
    const std::uint64_t raw = setup.network.buffers[copy.buffer].bytes * setup.batch;
    (copy.to_host ? out.offloaded : out.prefetched) += raw;
    out.link_bytes += static_cast<double>(raw) / setup.ratios[copy.buffer];
    if (copy.to_host) {
      LayerReport& layer = out.layers[out.run.line.steps[copy.step].layer];
      const double compressed = static_cast<double>(layer.offloaded) / layer.ratio +
                                static_cast<double>(raw) / setup.ratios[copy.buffer];
      layer.offloaded += raw;
      layer.ratio = static_cast<double>(layer.offloaded) / compressed;
      out.host_bytes += host_bytes(setup, copy.buffer);
    }
  }
}

void add_layers(Outcome& out) {
  for (const Step& step : out.run.line.steps) {
    LayerReport& layer = out.layers[step.layer];
    (step.backward ? layer.backward : layer.forward) = step.end - step.start;
    (step.backward ? layer.backward_stall : layer.forward_stall) = step.stall;
  }
}

}  // namespace

std::size_t Run::fast_layers() const {
  return static_cast<std::size_t>(std::count(algorithms.begin(), algorithms.end(), Algorithm::performance));
}

double Outcome::effective_rate() const {
  return run.line.copying > 0 ? static_cast<double>(offloaded + prefetched) / run.line.copying : 0;
}

double Outcome::ratio() const {
  return link_bytes > 0 ? static_cast<double>(offloaded + prefetched) / link_bytes : 1;
}

void set_engine(Setup& setup, const config::Machine& machine) {
  setup.offload = host::cdma::engine_of(machine, host::cdma::Direction::offload);
  setup.prefetch = host::cdma::engine_of(machine, host::cdma::Direction::prefetch);
}

Outcome train(const Setup& setup) {
  Outcome out;
  Trainer trainer(setup);
  out.run = setup.policy == Policy::dyn ? trainer.dynamic(out.trials)
                                        : trainer.run(setup.policy, trainer.everywhere(setup.algorithm));
  out.untimed = trainer.untimed();
  out.timed_on = trainer.timed_on();
  for (const LayerCost& cost : trainer.costs()) {
    out.layer_bytes += cost.forward_bytes + cost.backward_bytes;
  }
  out.layers.resize(setup.network.layers.size());
  add_layers(out);
  add_copies(setup, out);
  for (const LayerTime& time : trainer.times(trainer.everywhere(Algorithm::performance))) {
    out.oracle += time.forward + time.backward;
  }
  const std::vector<Algorithm> usual =
      trainer.everywhere(setup.policy == Policy::dyn ? Algorithm::performance : setup.algorithm);
  out.without = network_wide(setup.network, setup.batch, usual);
  out.fits_without = out.without.total() <= setup.card.memory;
  out.batch_without = largest_batch([&](std::uint64_t batch) {
    return network_wide(setup.network, batch, usual).total() <= setup.card.memory;
  });
  out.batch_with =
      out.run.policy == Policy::none ? out.batch_without : largest_batch([&](std::uint64_t batch) {
        return memory_use(setup.network, batch, out.run.algorithms, out.run.moves, out.run.line)
                   .peak.total() <= setup.card.memory;
      });
  return out;
}

}  // namespace wg::dnn
