#include "dnn/memory.hpp"

#include <algorithm>
#include <tuple>

namespace wg::dnn {
namespace {

enum class Holds : std::uint8_t { maps, gradients, scratch };

struct Change {
  double at = 0;
  std::size_t order = 0;  ///< twice the step, plus one where it ends: what ends makes room for what begins
  bool add = false;
  std::uint64_t bytes = 0;
  Holds holds = Holds::maps;
};

class Changes {
 public:
  void during(Holds holds, std::uint64_t bytes, const Stay& stay) {
    if (bytes != 0) {
      list_.push_back({stay.from, 2 * stay.from_step, true, bytes, holds});
      list_.push_back({stay.to, 2 * stay.to_step + 1, false, bytes, holds});
    }
  }

  MemoryUse sum(std::uint64_t weights, double total) {
    std::sort(list_.begin(), list_.end(), [](const Change& a, const Change& b) {
      return std::tie(a.at, a.order) < std::tie(b.at, b.order);
    });
    MemoryUse use;
    MemorySplit now{.weights = weights};
    use.peak = now;
    double last = 0;
    for (const Change& change : list_) {
      use.average += static_cast<double>(now.total()) * (change.at - last);
      use.average_maps += static_cast<double>(now.maps) * (change.at - last);
      last = change.at;
      std::uint64_t& part = change.holds == Holds::maps        ? now.maps
                            : change.holds == Holds::gradients ? now.gradients
                                                               : now.scratch;
      part = change.add ? part + change.bytes : part - change.bytes;
      if (now.total() > use.peak.total()) {
        use.peak = now;
        use.peak_step = change.order / 2;
      }
    }
    use.average = total > 0 ? use.average / total : static_cast<double>(weights);
    use.average_maps = total > 0 ? use.average_maps / total : 0;
    return use;
  }

 private:
  std::vector<Change> list_;
};

/// Steps of a timeline by layer.
class Steps {
 public:
  Steps(const Network& network, const Timeline& line) : layers_(network.layers.size()), line_(line) {}
  [[nodiscard]] std::size_t backward(std::size_t layer) const { return 2 * layers_ - 1 - layer; }
  [[nodiscard]] std::size_t last_forward() const { return layers_ - 1; }
  [[nodiscard]] double start(std::size_t step) const { return line_.steps[step].start; }
  [[nodiscard]] double release(std::size_t step) const { return line_.steps[step].release; }
  [[nodiscard]] Stay stay(std::size_t buffer, std::size_t from, std::size_t to) const {
    return {buffer, start(from), release(to), from, to};
  }

 private:
  std::size_t layers_;
  const Timeline& line_;
};

std::uint64_t weights_of(const Network& network) { return 2 * network.params() * kElementBytes; }

}  // namespace

MemorySplit network_wide(const Network& network, std::uint64_t batch,
                         const std::vector<Algorithm>& algorithms, const Roofline& roofline) {
  MemorySplit split{.weights = weights_of(network)};
  for (const Buffer& buffer : network.buffers) {
    split.maps += buffer.bytes * batch;
  }
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    split.gradients = std::max(split.gradients, (layer.in.bytes() + layer.out.bytes()) * batch);
    split.scratch = std::max(split.scratch, scratch_bytes(network, i, batch, algorithms[i], roofline));
  }
  return split;
}

std::vector<Stay> map_stays(const Network& network, const std::vector<bool>& moves, const Timeline& line) {
  const Steps steps(network, line);
  std::vector<Stay> stays;
  for (std::size_t b = 0; b < network.buffers.size(); ++b) {
    const Buffer& buffer = network.buffers[b];
    const std::size_t made = buffer.writers.empty() ? 0 : buffer.producer();
    if (!moves[b]) {
      const std::size_t end = buffer.last_need != kNone     ? steps.backward(buffer.last_need)
                              : buffer.last_reader != kNone ? buffer.last_reader
                                                            : steps.last_forward();
      stays.push_back(steps.stay(b, made, end));
      continue;
    }
    Stay here = steps.stay(b, made, buffer.last_reader);
    Stay back = steps.stay(b, made, steps.backward(buffer.last_need));
    for (const Copy& copy : line.copies) {
      if (copy.buffer != b) {
        continue;
      }
      if (copy.to_host) {
        here.to = std::max(here.to, copy.end);
      } else {
        back.from = copy.start;
        back.from_step = copy.step;
      }
    }
    stays.push_back(here);
    stays.push_back(back);
  }
  return stays;
}

MemoryUse memory_use(const Network& network, std::uint64_t batch, const std::vector<Algorithm>& algorithms,
                     const std::vector<bool>& moves, const Timeline& line, const Roofline& roofline) {
  const Steps steps(network, line);
  Changes changes;
  for (const Stay& stay : map_stays(network, moves, line)) {
    changes.during(Holds::maps, network.buffers[stay.buffer].bytes * batch, stay);
  }
  for (std::size_t b = 1; b < network.buffers.size(); ++b) {
    const Buffer& buffer = network.buffers[b];
    const std::size_t first = buffer.last_reader != kNone ? buffer.last_reader : buffer.writers.back();
    changes.during(Holds::gradients, buffer.bytes * batch,
                   steps.stay(b, steps.backward(first), steps.backward(buffer.producer())));
  }
  for (std::size_t step = 0; step < line.steps.size(); ++step) {
    const std::size_t layer = line.steps[step].layer;
    const std::uint64_t bytes = scratch_bytes(network, layer, batch, algorithms[layer], roofline);
    changes.during(Holds::scratch, bytes, {0, line.steps[step].start, line.steps[step].end, step, step});
  }
  return changes.sum(weights_of(network), line.total);
}

}  // namespace wg::dnn
