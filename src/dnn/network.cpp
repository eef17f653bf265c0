#include "dnn/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "config/suggest.hpp"

namespace wg::dnn {
namespace {

constexpr std::uint64_t kMost = 1U << 20;  // of any one extent: keeps products far from overflow

/// One name's map: what shape it has and which buffer it lies in.
struct View {
  Shape shape;
  std::size_t buffer = 0;
  bool part = false;  ///< of a concatenation
};

[[noreturn]] void fail(const LayerSpec& spec, std::string expected, std::string found,
                       std::string advice = {}) {
  throw Error({.where = fmt::format("{}: layer \"{}\"", spec.where, spec.name),
               .expected = std::move(expected),
               .found = std::move(found),
               .advice = std::move(advice)});
}

std::string text(const Shape& s) { return fmt::format("{} x {} x {}", s.channels, s.height, s.width); }

std::uint64_t windows(const LayerSpec& spec, std::uint64_t extent, std::uint64_t kernel, bool up) {
  const std::uint64_t padded = extent + 2 * spec.pad;
  if (kernel > padded) {
    fail(spec, fmt::format("a kernel of at most {}", padded), fmt::format("{}", kernel));
  }
  const std::uint64_t rest = padded - kernel;
  std::uint64_t count = (up ? rest + spec.stride - 1 : rest) / spec.stride + 1;
  if (up && count > 1 && (count - 1) * spec.stride >= extent + spec.pad) {
    --count;
  }
  return count;
}

class Builder {
 public:
  explicit Builder(const NetworkSpec& spec) {
    network_.name = spec.name;
    network_.title = spec.title;
    network_.source = spec.source;
    network_.batch = spec.batch;
    network_.input = spec.input;
    network_.buffers.push_back({.name = "data", .bytes = spec.input.bytes()});
    parent_.push_back(0);
    views_.emplace("data", View{spec.input, 0});
  }

  void add(const LayerSpec& spec) {
    check(spec);
    Layer layer;
    layer.name = spec.name;
    layer.kind = spec.kind;
    layer.stride = spec.stride;
    layer.pad = spec.pad;
    layer.groups = spec.groups;
    std::vector<View> from;
    for (const std::string& name : spec.from) {
      from.push_back(view(spec, name));
    }
    layer.in = together(spec, from);
    layer.out = layer.in;
    layer.in_place = spec.kind == LayerKind::relu || spec.kind == LayerKind::dropout;
    shape(spec, layer);
    place(spec, layer, from);
    views_[spec.name] = View{layer.out, layer.output};
    network_.layers.push_back(std::move(layer));
  }

  Network finish() {
    compact();
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      link(i);
    }
    return std::move(network_);
  }

 private:
  void check(const LayerSpec& spec) const {
    if (views_.contains(spec.name)) {
      fail(spec, "a name of its own", "one that an earlier layer has");
    }
    const bool many = spec.kind == LayerKind::concat || spec.kind == LayerKind::add;
    if (spec.from.empty() || (!many && spec.from.size() > 1)) {
      fail(spec, many ? "inputs" : "one input", fmt::format("{}", spec.from.size()));
    }
    const bool weights = spec.kind == LayerKind::convolution || spec.kind == LayerKind::fully_connected;
    if (weights && spec.out == 0) {
      fail(spec, "\"out\", the number of channels that it makes", "none");
    }
    if (spec.kind == LayerKind::convolution && spec.kernel == 0) {
      fail(spec, "\"kernel\"", "none");
    }
    for (const std::uint64_t value : {spec.out, spec.kernel, spec.stride, spec.pad, spec.groups}) {
      if (value > kMost) {
        fail(spec, fmt::format("numbers of at most {}", kMost), fmt::format("{}", value));
      }
    }
    if (spec.stride == 0 || spec.groups == 0) {
      fail(spec, "a stride and groups of at least 1", "0");
    }
  }

  View view(const LayerSpec& spec, const std::string& name) {
    const auto at = views_.find(name);
    if (at == views_.end()) {
      std::vector<std::string> known;
      for (const auto& [other, unused] : views_) {
        known.push_back(other);
      }
      fail(spec, "an earlier layer or \"data\"", fmt::format("\"{}\"", name),
           config::did_you_mean(config::nearest(name, known)));
    }
    const std::size_t whole = root(at->second.buffer);
    return {at->second.shape, whole, whole != at->second.buffer};
  }

  static Shape together(const LayerSpec& spec, const std::vector<View>& from) {
    Shape all = from.front().shape;
    for (std::size_t i = 1; i < from.size(); ++i) {
      const Shape& next = from[i].shape;
      const bool same =
          spec.kind == LayerKind::add ? next == all : next.height == all.height && next.width == all.width;
      if (!same) {
        fail(spec, "inputs of one size", text(all) + " and " + text(next));
      }
      all.channels += spec.kind == LayerKind::add ? 0 : next.channels;
    }
    if (all.channels > kMost) {
      fail(spec, fmt::format("at most {} channels", kMost), fmt::format("{}", all.channels));
    }
    return all;
  }

  static void shape(const LayerSpec& spec, Layer& layer) {
    const Shape in = layer.in;
    switch (spec.kind) {
      case LayerKind::convolution:
        if (in.channels % spec.groups != 0 || spec.out % spec.groups != 0) {
          fail(spec, "channels that divide by its groups",
               fmt::format("{} in, {} out, {} groups", in.channels, spec.out, spec.groups));
        }
        layer.kernel = spec.kernel;
        layer.out = {spec.out, windows(spec, in.height, spec.kernel, false),
                     windows(spec, in.width, spec.kernel, false)};
        layer.params = spec.out * (in.channels / spec.groups) * spec.kernel * spec.kernel;
        layer.macs = layer.params * layer.out.height * layer.out.width;
        layer.params += spec.out;
        break;
      case LayerKind::fully_connected:
        layer.out = {spec.out, 1, 1};
        layer.macs = spec.out * in.elements();
        layer.params = layer.macs + spec.out;
        break;
      case LayerKind::pooling: {
        const std::uint64_t rows = spec.kernel == 0 ? in.height : spec.kernel;
        const std::uint64_t columns = spec.kernel == 0 ? in.width : spec.kernel;
        layer.kernel = rows;
        layer.out = {in.channels, windows(spec, in.height, rows, !spec.round_down),
                     windows(spec, in.width, columns, !spec.round_down)};
        break;
      }
      case LayerKind::batch_norm:
        layer.params = 2 * in.channels;
        break;
      default:
        break;
    }
  }

  void place(const LayerSpec& spec, Layer& layer, const std::vector<View>& from) {
    const std::size_t index = network_.layers.size();
    for (const View& one : from) {
      if (std::find(layer.inputs.begin(), layer.inputs.end(), one.buffer) == layer.inputs.end()) {
        layer.inputs.push_back(one.buffer);
      }
    }
    if (layer.in_place) {
      Buffer& buffer = network_.buffers[layer.inputs.front()];
      if (buffer.writers.empty() || !buffer.readers.empty() || from.front().part) {
        fail(spec, "a map of its own to work on in place",
             buffer.writers.empty() ? "the images" : "one that an earlier layer reads");
      }
      buffer.writers.push_back(index);
      layer.output = layer.inputs.front();
      return;
    }
    layer.output = network_.buffers.size();
    network_.buffers.push_back({.name = layer.name, .bytes = layer.out.bytes(), .writers = {index}});
    parent_.push_back(layer.output);
    layer.zero_copy =
        spec.kind == LayerKind::concat && layer.inputs.size() == from.size() &&
        std::none_of(from.begin(), from.end(), [](const View& one) { return one.part || one.buffer == 0; });
    for (const std::size_t input : layer.inputs) {
      if (layer.zero_copy) {
        join(input, layer.output);
      } else {
        network_.buffers[input].readers.push_back(index);
      }
    }
  }

  /// Inputs become parts of the concatenation unless one is the images, comes twice, or is a part already.
  void join(std::size_t part, std::size_t whole) {
    Buffer& to = network_.buffers[whole];
    const Buffer& of = network_.buffers[part];
    to.writers.insert(to.writers.end(), of.writers.begin(), of.writers.end());
    to.readers.insert(to.readers.end(), of.readers.begin(), of.readers.end());
    std::sort(to.writers.begin(), to.writers.end());
    std::sort(to.readers.begin(), to.readers.end());
    parent_[part] = whole;
  }

  [[nodiscard]] std::size_t root(std::size_t buffer) const {
    while (parent_[buffer] != buffer) {
      buffer = parent_[buffer];
    }
    return buffer;
  }

  /// Buffers that became parts of others go; the others move up.
  void compact() {
    std::vector<std::size_t> place(network_.buffers.size(), kNone);
    std::vector<Buffer> kept;
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (parent_[i] == i) {
        place[i] = kept.size();
        kept.push_back(std::move(network_.buffers[i]));
      }
    }
    network_.buffers = std::move(kept);
    for (Layer& layer : network_.layers) {
      layer.output = place[root(layer.output)];
      for (std::size_t& input : layer.inputs) {
        input = place[root(input)];
      }
    }
  }

  /// Notes who needs which buffer when. Layers come in order, so the last one that is seen wins.
  void link(std::size_t index) {
    const Layer& layer = network_.layers[index];
    const auto need = [&](std::size_t buffer) {
      Buffer& b = network_.buffers[buffer];
      b.first_need = index;
      b.last_need = std::min(b.last_need, index);
    };
    for (const std::size_t input : layer.inputs) {
      if (!layer.in_place && !layer.zero_copy) {
        network_.buffers[input].last_reader = index;
        if (layer.backward_needs_input()) {
          need(input);
        }
      }
    }
    if (layer.backward_needs_output()) {
      need(layer.output);
    }
    network_.buffers[layer.output].name = layer.name;
  }

  Network network_;
  std::map<std::string, View> views_;
  std::vector<std::size_t> parent_;
};

}  // namespace

std::string_view name_of(LayerKind kind) {
  constexpr std::array<std::string_view, 9> kNames{"conv", "fc",        "pool", "relu",  "dropout",
                                                   "lrn",  "batchnorm", "add",  "concat"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool Layer::backward_needs_input() const {
  switch (kind) {
    case LayerKind::convolution:
    case LayerKind::fully_connected:
    case LayerKind::pooling:
    case LayerKind::lrn:
    case LayerKind::batch_norm:
      return true;
    default:
      return false;
  }
}

bool Layer::backward_needs_output() const {
  return kind == LayerKind::pooling || kind == LayerKind::lrn || kind == LayerKind::relu ||
         kind == LayerKind::dropout;
}

std::uint64_t Network::macs() const {
  std::uint64_t sum = 0;
  for (const Layer& layer : layers) {
    sum += layer.macs;
  }
  return sum;
}

std::uint64_t Network::params() const {
  std::uint64_t sum = 0;
  for (const Layer& layer : layers) {
    sum += layer.params;
  }
  return sum;
}

std::uint64_t Network::count(LayerKind kind) const {
  return static_cast<std::uint64_t>(
      std::count_if(layers.begin(), layers.end(), [&](const Layer& layer) { return layer.kind == kind; }));
}

std::size_t Network::layer_named(std::string_view layer) const {
  const auto at =
      std::find_if(layers.begin(), layers.end(), [&](const Layer& one) { return one.name == layer; });
  return at == layers.end() ? kNone : static_cast<std::size_t>(at - layers.begin());
}

Network build(const NetworkSpec& spec) {
  Builder builder(spec);
  for (const LayerSpec& layer : spec.layers) {
    builder.add(layer);
  }
  return builder.finish();
}

}  // namespace wg::dnn
