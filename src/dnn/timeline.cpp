#include "dnn/timeline.hpp"

#include <algorithm>
#include <array>

namespace wg::dnn {
namespace {

/// Builds the two streams step by step.
class Streams {
 public:
  Streams(const Network& network, const std::vector<LayerTime>& times, const std::vector<bool>& moves,
          const std::vector<CopyTime>& copies, Sync sync)
      : network_(network),
        times_(times),
        copies_(copies),
        sync_(sync),
        away_(network.buffers.size(), false),
        back_at_(network.buffers.size(), 0),
        offloads_(network.layers.size()),
        needs_(network.layers.size()) {
    for (std::size_t b = 0; b < network.buffers.size(); ++b) {
      if (moves[b]) {
        offloads_[network.buffers[b].last_reader].push_back(b);
        needs_[network.buffers[b].first_need].push_back(b);
      }
    }
  }

  Timeline run() {
    const std::size_t count = network_.layers.size();
    for (std::size_t n = 0; n < count; ++n) {
      forward(n);
    }
    if (sync_ == Sync::none) {
      for (std::size_t m = count; m-- > 0;) {
        fetch(m, count);
      }
    }
    for (std::size_t m = count; m-- > 0;) {
      backward(m);
    }
    line_.total = now_;
    return std::move(line_);
  }

 private:
  void forward(std::size_t n) {
    for (const std::size_t buffer : offloads_[n]) {
      copy(buffer, true, n);
      away_[buffer] = true;
    }
    compute(n, false, now_, times_[n].forward);
  }

  void backward(std::size_t m) {
    const std::size_t step = line_.steps.size();
    const double asked = now_;
    for (const std::size_t buffer : needs_[m]) {
      now_ = std::max(now_, back_at_[buffer]);
    }
    if (sync_ != Sync::none) {
      look_ahead(m, step);
    }
    compute(m, true, asked, times_[m].backward);
  }

  /// The nearest earlier layer whose maps are away, no further than one convolution.
  void look_ahead(std::size_t m, std::size_t step) {
    for (std::size_t id = m; id-- > 0;) {
      if (fetch(id, step) || network_.layers[id].kind == LayerKind::convolution) {
        return;
      }
    }
  }

  bool fetch(std::size_t layer, std::size_t step) {
    bool any = false;
    for (const std::size_t buffer : needs_[layer]) {
      if (away_[buffer]) {
        copy(buffer, false, step);
        away_[buffer] = false;
        back_at_[buffer] = free_;
        any = true;
      }
    }
    return any;
  }

  void copy(std::size_t buffer, bool to_host, std::size_t step) {
    const double seconds = to_host ? copies_[buffer].offload : copies_[buffer].prefetch;
    const double start = std::max(free_, now_);
    free_ = start + seconds;
    line_.copying += seconds;
    line_.copies.push_back({buffer, to_host, start, free_, step});
  }

  /// `asked` is when the compute stream became free for this step.
  void compute(std::size_t layer, bool backward, double asked, double seconds) {
    Step step{
        .layer = layer, .backward = backward, .start = now_, .end = now_ + seconds, .stall = now_ - asked};
    now_ = step.end;
    if (sync_ == Sync::layer && free_ > now_) {
      step.stall += free_ - now_;
      now_ = free_;
    }
    step.release = now_;
    line_.compute += seconds;
    line_.steps.push_back(step);
  }

  const Network& network_;
  const std::vector<LayerTime>& times_;
  const std::vector<CopyTime>& copies_;
  Sync sync_;
  std::vector<bool> away_;
  std::vector<double> back_at_;
  std::vector<std::vector<std::size_t>> offloads_;  ///< by layer
  std::vector<std::vector<std::size_t>> needs_;     ///< by layer: moved buffers that it is the first to need
  Timeline line_;
  double now_ = 0;   ///< compute stream
  double free_ = 0;  ///< memory stream
};

}  // namespace

std::string_view name_of(Policy policy) {
  constexpr std::array<std::string_view, 4> kNames{"none", "all", "conv", "dyn"};
  return kNames[static_cast<std::size_t>(policy)];
}

std::string_view name_of(Sync sync) {
  constexpr std::array<std::string_view, 3> kNames{"layer", "event", "none"};
  return kNames[static_cast<std::size_t>(sync)];
}

std::vector<bool> offload_set(const Network& network, Policy policy) {
  std::vector<bool> moves;
  for (const Buffer& buffer : network.buffers) {
    const bool useful = buffer.last_reader != kNone && buffer.first_need != kNone &&
                        buffer.first_need + 1 < network.layers.size();
    const bool wanted =
        policy == Policy::all || (policy == Policy::conv && useful &&
                                  network.layers[buffer.last_reader].kind == LayerKind::convolution);
    moves.push_back(useful && wanted);
  }
  return moves;
}

TensorCount tensors(const Network& network) {
  TensorCount sum;
  for (const Buffer& buffer : network.buffers) {
    if (buffer.last_reader != kNone && buffer.first_need != kNone) {
      ++sum.count;
      sum.bytes += buffer.bytes;
    }
  }
  return sum;
}

Timeline simulate(const Network& network, const std::vector<LayerTime>& times, const std::vector<bool>& moves,
                  const std::vector<CopyTime>& copies, Sync sync) {
  return Streams(network, times, moves, copies, sync).run();
}

}  // namespace wg::dnn
