// A training iteration with offload: what it costs, what it saves, and whether it pays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dnn/card.hpp"
#include "dnn/cost.hpp"
#include "dnn/files.hpp"
#include "dnn/memory.hpp"
#include "dnn/network.hpp"
#include "dnn/timeline.hpp"
#include "host/cdma/model.hpp"

namespace wg::dnn {

struct Setup {
  Network network;
  std::uint64_t batch = 1;
  Card card;
  bool compress = false;              ///< copies go through the compressing engine; else at the link's rate
  host::cdma::EngineConfig offload;   ///< to the host
  host::cdma::EngineConfig prefetch;  ///< to the device
  Policy policy = Policy::all;
  Algorithm algorithm = Algorithm::performance;
  Sync sync = Sync::layer;
  std::vector<double> ratios;                     ///< raw by compressed bytes, one a buffer
  std::optional<std::filesystem::path> measured;  ///< file of layer times; else the roofline
  double speed = 1;                               ///< layers compute this many times as fast
};

struct LayerReport {
  double forward = 0;           ///< seconds of computation
  double backward = 0;          ///< seconds of computation
  double forward_stall = 0;     ///< seconds
  double backward_stall = 0;    ///< seconds
  std::uint64_t offloaded = 0;  ///< raw bytes that leave with this layer's forward pass
  double ratio = 1;             ///< of those bytes
};

/// One way to train, simulated.
struct Run {
  Policy policy = Policy::none;
  std::vector<Algorithm> algorithms;  ///< one a layer
  std::vector<bool> moves;            ///< one a buffer
  Timeline line;
  MemoryUse memory;
  bool fits = false;  ///< in the card's memory

  [[nodiscard]] std::size_t fast_layers() const;  ///< layers with scratch memory, that is Winograd
};

struct Trial {
  std::string what;  ///< "all (m)", "conv, greedy"
  std::uint64_t peak = 0;
  bool fits = false;
  double seconds = 0;
  bool chosen = false;
};

struct Outcome {
  Run run;
  std::vector<Trial> trials;  ///< of dyn, in order
  double oracle = 0;          ///< seconds with infinite memory and the fastest algorithms
  MemorySplit without;        ///< without virtualization, at this batch
  bool fits_without = false;
  std::uint64_t batch_without = 0;  ///< largest that fits without virtualization; 0 = none
  std::uint64_t batch_with = 0;     ///< largest that fits with this policy and these algorithms
  std::vector<LayerReport> layers;
  std::uint64_t offloaded = 0;       ///< raw bytes to the host
  std::uint64_t prefetched = 0;      ///< raw bytes back
  double link_bytes = 0;             ///< compressed bytes both ways
  double layer_bytes = 0;            ///< DRAM traffic of the layers
  std::uint64_t host_bytes = 0;      ///< pinned host memory that any content of the maps fits in
  std::vector<std::string> untimed;  ///< layers that the file of times lacks
  std::string timed_on;              ///< the GPU of the file of times, as far as it says

  /// Time of the oracle with the same algorithms by this run's time; at most 1.
  [[nodiscard]] double performance() const { return run.line.performance(); }
  /// Raw bytes by the time that the memory stream works; 0 when nothing moves.
  [[nodiscard]] double effective_rate() const;
  [[nodiscard]] double ratio() const;  ///< raw by compressed bytes over all that moves; 1 when nothing does
};

/// Takes the figures of engine and link from the machine.
void set_engine(Setup& setup, const config::Machine& machine);

/// Simulates one iteration. With Policy::dyn it tries, as vDNN does: all (m), which must fit; nothing moved
/// (p); conv (p); all (p); conv, then all, where layers give up their fast algorithm one after the other
/// until the iteration fits; all (m).
Outcome train(const Setup& setup);

/// What a user should know before they switch offload on, in sentences. Losses are to infinite memory with
/// the fastest algorithms.
std::string verdict(const Setup& setup, const Outcome& outcome);

std::string report_text(const Setup& setup, const Outcome& outcome, bool layers);
/// `extra` are pairs for the object "run", such as the command line.
std::string report_json(const Setup& setup, const Outcome& outcome,
                        const std::vector<std::pair<std::string, std::string>>& extra);

}  // namespace wg::dnn
