// GPU memory of a training iteration: when each map and gradient is there, and what that adds up to.
#pragma once

#include <cstdint>
#include <vector>

#include "dnn/cost.hpp"
#include "dnn/network.hpp"
#include "dnn/timeline.hpp"

namespace wg::dnn {

/// Bytes by what they hold.
struct MemorySplit {
  std::uint64_t weights = 0;    ///< weights and their gradients; momentum is left out, as vDNN does
  std::uint64_t maps = 0;       ///< activations, the images included
  std::uint64_t gradients = 0;  ///< of maps
  std::uint64_t scratch = 0;    ///< of algorithms

  [[nodiscard]] std::uint64_t total() const { return weights + maps + gradients + scratch; }
  friend bool operator==(const MemorySplit&, const MemorySplit&) = default;
};

struct MemoryUse {
  MemorySplit peak;           ///< at the moment when the total is greatest
  std::size_t peak_step = 0;  ///< of the timeline
  double average = 0;         ///< bytes over time
  double average_maps = 0;    ///< bytes over time
};

/// Without virtualization: every map and the largest scratch for the whole iteration, and gradients of maps
/// in two buffers that fit the layer with the largest, as frameworks of 2016 did.
MemorySplit network_wide(const Network& network, std::uint64_t batch,
                         const std::vector<Algorithm>& algorithms, const Roofline& roofline = {});

/// With vDNN's manager: a map is allocated when it is written or fetched back and freed when its offload or
/// its last use is over; the same for its gradient. `moves` is what the timeline was made with.
MemoryUse memory_use(const Network& network, std::uint64_t batch, const std::vector<Algorithm>& algorithms,
                     const std::vector<bool>& moves, const Timeline& line, const Roofline& roofline = {});

/// A stretch of time in which a buffer's map is in GPU memory.
struct Stay {
  std::size_t buffer = 0;
  double from = 0;
  double to = 0;
  std::size_t from_step = 0;
  std::size_t to_step = 0;
};

/// Stays of all maps. A buffer that moves has two.
std::vector<Stay> map_stays(const Network& network, const std::vector<bool>& moves, const Timeline& line);

}  // namespace wg::dnn
