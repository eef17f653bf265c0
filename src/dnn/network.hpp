// A convolutional network as a list of layers in the order they run, with the buffers that hold its maps.
//
// Activation maps are 32-bit floats. Sizes are for one image unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace wg::dnn {

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
inline constexpr std::uint64_t kElementBytes = 4;

enum class LayerKind : std::uint8_t {
  convolution,
  fully_connected,
  pooling,
  relu,     ///< in place
  dropout,  ///< in place
  lrn,      ///< local response normalisation
  batch_norm,
  add,     ///< sum of its inputs
  concat,  ///< of channels; takes no time where its inputs can be written side by side
};

std::string_view name_of(LayerKind kind);

struct Shape {
  std::uint64_t channels = 0;
  std::uint64_t height = 0;
  std::uint64_t width = 0;

  [[nodiscard]] std::uint64_t elements() const { return channels * height * width; }
  [[nodiscard]] std::uint64_t bytes() const { return elements() * kElementBytes; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// A layer as its file says it.
struct LayerSpec {
  std::string name;
  LayerKind kind = LayerKind::relu;
  std::vector<std::string> from;  ///< names of earlier layers, or "data"
  std::uint64_t out = 0;          ///< channels; convolution and fully connected
  std::uint64_t kernel = 0;       ///< convolution and pooling; 0 pools the whole map
  std::uint64_t stride = 1;
  std::uint64_t pad = 0;
  std::uint64_t groups = 1;
  bool round_down = false;  ///< pooling: ignore a last window that sticks out (Caffe keeps it)
  std::string where;        ///< file:line:column, for messages
};

struct Layer {
  std::string name;
  LayerKind kind = LayerKind::relu;
  bool in_place = false;
  bool zero_copy = false;           ///< concat whose inputs are parts of its own buffer
  std::vector<std::size_t> inputs;  ///< buffers, without repetition
  std::size_t output = 0;           ///< buffer
  Shape in;                         ///< of the inputs side by side
  Shape out;
  std::uint64_t kernel = 0, stride = 1, pad = 0, groups = 1;
  std::uint64_t macs = 0;    ///< multiply-adds of the forward pass
  std::uint64_t params = 0;  ///< weights and biases

  /// Whether the gradient of this layer is worked out from its inputs (from its output).
  [[nodiscard]] bool backward_needs_input() const;
  [[nodiscard]] bool backward_needs_output() const;
};

/// Memory that holds one map, or the parts of a concatenation side by side.
struct Buffer {
  std::string name{};                  ///< of the last layer that writes to it; "data" for the images
  std::uint64_t bytes = 0;             ///< for one image
  std::vector<std::size_t> writers{};  ///< layers in order, in-place ones too; empty for the images
  std::vector<std::size_t> readers{};  ///< layers that take it as input, in order; in-place ones do not count
  std::size_t last_reader = kNone;
  std::size_t first_need =
      kNone;  ///< the layer whose backward pass is the first to need it; none: no one does
  std::size_t last_need = kNone;  ///< the layer whose backward pass is the last to need it

  [[nodiscard]] std::size_t producer() const { return writers.empty() ? kNone : writers.front(); }
};

struct Network {
  std::string name;
  std::string title;
  std::string source;
  std::uint64_t batch = 1;  ///< images that it is usually trained with at once
  Shape input;
  std::vector<Layer> layers;
  std::vector<Buffer> buffers;  ///< buffer 0 holds the images

  [[nodiscard]] std::uint64_t macs() const;
  [[nodiscard]] std::uint64_t params() const;
  [[nodiscard]] std::uint64_t count(LayerKind kind) const;
  [[nodiscard]] std::size_t layer_named(std::string_view layer) const;  ///< kNone when there is none
};

/// What a network is made from.
struct NetworkSpec {
  std::string name, title, source;
  std::uint64_t batch = 1;
  Shape input;
  std::vector<LayerSpec> layers;
};

/// Works out shapes, multiply-adds, parameters and buffers. Convolutions round window counts down, pooling
/// rounds up and drops a last window that begins in the padding, as Caffe does. Throws wg::Error that names
/// the layer when a name is unknown or taken, shapes do not fit, or a layer works in place on a map that was
/// read before.
Network build(const NetworkSpec& spec);

}  // namespace wg::dnn
