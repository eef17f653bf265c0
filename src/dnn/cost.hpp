// How long the layers of a network compute on a card: the roofline.
//
// A layer takes the longer of its arithmetic at a share of the card's peak and its traffic at a share of the
// card's bandwidth, and a launch. The shares are a fit to six published times of three networks with
// cuDNN 5.1 on a Titan X (jcjohnson/cnn-benchmarks, batch 16), all within 3 %: a fit, not a validation.
#pragma once

#include <cstdint>
#include <vector>

#include "dnn/card.hpp"
#include "dnn/network.hpp"

namespace wg::dnn {

enum class Algorithm : std::uint8_t {
  memory,       ///< implicit GEMM, no scratch memory: vDNN's (m)
  performance,  ///< the fastest: Winograd for 3 x 3 windows of stride 1, with scratch memory: vDNN's (p)
};

struct Roofline {
  double first = 0.70;     ///< share of the peak: convolution of the images
  double winograd = 1.54;  ///< 3 x 3, stride 1; above 1 because Winograd multiplies less often
  double direct =
      0.68;  ///< the same layer by implicit GEMM: 1.54 / 2.25, the multiplications that F(2x2) saves
  double pointwise = 0.26;  ///< 1 x 1
  double other = 0.36;      ///< larger windows, strides
  double connected = 0.60;  ///< fully connected
  double backward = 0.89;   ///< of the forward pass's share; backward has twice the arithmetic
  double bandwidth = 0.71;  ///< share of the DRAM bandwidth
  double launch = 30e-6;    ///< seconds a forward layer; backward has two
  double scratch =
      0.71;  ///< scratch bytes by bytes of input and output under (p); VGG-16 at 256 needs 28 GB with it
};

struct LayerCost {
  double forward = 0;         ///< seconds
  double backward = 0;        ///< seconds
  double forward_bytes = 0;   ///< DRAM traffic
  double backward_bytes = 0;  ///< DRAM traffic
};

/// Scratch memory of a layer in bytes.
std::uint64_t scratch_bytes(const Network& network, std::size_t layer, std::uint64_t batch,
                            Algorithm algorithm, const Roofline& roofline = {});

/// One cost a layer; `algorithms` has one entry a layer.
std::vector<LayerCost> roofline_costs(const Network& network, std::uint64_t batch, const Card& card,
                                      const std::vector<Algorithm>& algorithms,
                                      const Roofline& roofline = {});

}  // namespace wg::dnn
