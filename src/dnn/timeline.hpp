// One training iteration on two streams: layers compute on one, maps move to the host and back on the other.
//
// Rules of vDNN (Rhu et al., MICRO 2016) as the cDMA paper uses them: the forward pass of a layer starts
// together with the offload of its input; the last layer that reads a map offloads it. The backward pass of a
// layer overlaps the prefetch for the nearest earlier layer whose input is away; the search ends at a
// convolution, so that at most one is looked ahead. What is not back when a layer needs it is fetched then,
// and the layer waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dnn/network.hpp"

namespace wg::dnn {

enum class Policy : std::uint8_t {
  none,  ///< nothing moves; every map is allocated for the whole iteration
  all,   ///< every map that a later backward pass needs
  conv,  ///< only those that a convolution is the last to read
  dyn,   ///< vDNN_dyn: none, conv or all, and algorithms, by trial
};

enum class Sync : std::uint8_t {
  layer,  ///< both streams wait for each other at the end of every layer, as published
  event,  ///< a layer waits for what it needs, a copy for the stream; prefetch as far ahead as published
  none,   ///< the same, and all prefetches are queued at once when the forward pass ends
};

std::string_view name_of(Policy policy);
std::string_view name_of(Sync sync);

/// Which buffers move. One flag a buffer. The input of the last layer is needed again at once and stays.
std::vector<bool> offload_set(const Network& network, Policy policy);

/// Maps that a layer reads and a backward pass needs: what vDNN_all may offload, the last layer's included.
struct TensorCount {
  std::size_t count = 0;
  std::uint64_t bytes = 0;  ///< for one image
};
TensorCount tensors(const Network& network);

/// Seconds.
struct CopyTime {
  double offload = 0;
  double prefetch = 0;
};

struct LayerTime {
  double forward = 0;
  double backward = 0;
};

struct Step {
  std::size_t layer = 0;
  bool backward = false;
  double start = 0;    ///< of the computation
  double end = 0;      ///< of the computation
  double release = 0;  ///< when the next step may begin; later than `end` where streams wait for each other
  double stall = 0;    ///< time that the compute stream stood still before and, waiting for the copies, after
};

struct Copy {
  std::size_t buffer = 0;
  bool to_host = false;
  double start = 0;
  double end = 0;
  std::size_t step = 0;  ///< the step it was started with
};

struct Timeline {
  std::vector<Step> steps;   ///< all forward, then all backward, in the order they run
  std::vector<Copy> copies;  ///< in the order they run
  double total = 0;          ///< seconds of the iteration
  double compute = 0;        ///< seconds with infinite memory: the oracle
  double copying = 0;        ///< seconds the memory stream works

  [[nodiscard]] double performance() const { return total > 0 ? compute / total : 1; }
  [[nodiscard]] double stall() const { return total - compute; }
  /// Share of the copying that computation hides; 1 when nothing is copied.
  [[nodiscard]] double overlap() const { return copying > 0 ? 1 - stall() / copying : 1; }
};

/// `times` has one entry a layer; `moves` and `copies` one a buffer. What moves is all or a part of what
/// offload_set(network, Policy::all) flags.
Timeline simulate(const Network& network, const std::vector<LayerTime>& times, const std::vector<bool>& moves,
                  const std::vector<CopyTime>& copies, Sync sync);

}  // namespace wg::dnn
