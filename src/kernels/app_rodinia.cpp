// Kernels in the shapes of Rodinia: the two of backprop and hotspot's. Blocks of 16 x 16 threads, so a warp
// is two rows of a block.
#include <algorithm>

#include "kernels/entries.hpp"
#include "kernels/idioms.hpp"

namespace wg::kernels {
namespace {

constexpr std::uint32_t kSide = 16;  // of a block, and hidden units of backprop

std::uint32_t column(std::uint32_t lane) { return lane % kSide; }
std::uint32_t row(const WarpBuilder& w, std::uint32_t lane) { return w.warp() * 2 + lane / kSide; }

template <class Place>
LaneAddresses lanes_at(const WarpBuilder& w, const Place& place) {
  LaneAddresses lanes{};
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
    lanes[lane] = place(column(lane), row(w, lane));
  }
  return lanes;
}

constexpr std::uint32_t kFirstColumn = 0x0001'0001;

/// A layer of n inputs and 16 hidden units; weights in rows of 17, the first of each being a bias.
struct Backprop {
  std::uint64_t input = 0, weights = 0, old_weights = 0, delta = 0, sums = 0;

  [[nodiscard]] LaneAddresses of_weight(const WarpBuilder& w, std::uint64_t base) const {
    const std::uint64_t first = w.cta_number() * kSide;
    return lanes_at(w, [&](auto x, auto y) { return base + ((first + y + 1) * (kSide + 1) + x + 1) * 4; });
  }
  [[nodiscard]] LaneAddresses of_input(const WarpBuilder& w) const {
    return lanes_at(w, [&](auto, auto y) { return input + (w.cta_number() * kSide + y + 1) * 4; });
  }
};

/// Products of inputs and weights, added up over the 16 inputs of a block in a tree in shared memory.
struct LayerForward : Backprop {
  void operator()(WarpBuilder& w) const {
    const std::uint64_t tile = kSide * 4;  // the products lie behind the inputs
    const Strided own{tile + std::uint64_t{w.warp()} * 128, 4};
    w.emit(w.dialect().parameter(), 1);
    global_index(w, 0, 2);
    element_address(w, 4, 0, 12);
    w.emit("ISETP.NE.AND", kNoDst, {2});
    w.emit(w.dialect().load(4), 16, {4}, of_input(w), kFirstColumn);
    w.emit(w.dialect().shared_store(4), kNoDst, {10, 16},
           lanes_at(w, [&](auto, auto y) { return std::uint64_t{y} * 4; }), kFirstColumn);
    w.emit(w.dialect().barrier());
    element_address(w, 6, 0, 12);
    const LaneAddresses weight = of_weight(w, weights);
    w.emit(w.dialect().load(4), 17, {6}, weight);
    w.emit(w.dialect().shared_store(4), kNoDst, {11, 17}, own);
    w.emit(w.dialect().barrier());
    w.emit(w.dialect().shared_load(4), 18, {10},
           lanes_at(w, [&](auto, auto y) { return std::uint64_t{y} * 4; }));
    w.emit("FMUL", 17, {17, 18});
    w.emit(w.dialect().shared_store(4), kNoDst, {11, 17}, own);
    w.emit(w.dialect().barrier());
    for (std::uint32_t step = 1; step < kSide; step *= 2) {
      add_rows(w, own, step);
    }
    w.emit(w.dialect().shared_load(4), 17, {11}, own);
    w.emit(w.dialect().store(4), kNoDst, {6, 17}, weight);
    w.emit(w.dialect().barrier());
    w.emit(w.dialect().shared_load(4), 17, {11},
           lanes_at(w, [&](auto, auto y) { return tile + std::uint64_t{y} * 4; }), kFirstColumn);
    w.emit(w.dialect().store(4), kNoDst, {8, 17},
           lanes_at(w, [&](auto, auto y) { return sums + (w.cta_number() * kSide + y) * 4; }), kFirstColumn);
    w.emit("EXIT");
  }

 private:
  /// Rows that are multiples of 2 * step take the row `step` below.
  static void add_rows(WarpBuilder& w, const Strided& own, std::uint32_t step) {
    std::uint32_t mask = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      mask |= (row(w, lane) % (2 * step) == 0 ? 1U : 0U) << lane;
    }
    w.emit("ISETP.NE.AND", kNoDst, {2});
    w.emit(w.dialect().shared_load(4), 18, {11}, Strided{own.base + std::uint64_t{step} * kSide * 4, 4},
           mask);
    w.emit(w.dialect().shared_load(4), 17, {11}, own, mask);
    w.emit("FADD", 17, {17, 18}, mask);
    w.emit(w.dialect().shared_store(4), kNoDst, {11, 17}, own, mask);
    w.emit(w.dialect().barrier());
  }
};

/// w += eta * delta * input + momentum * old; old = the same sum.
struct AdjustWeights : Backprop {
  void operator()(WarpBuilder& w) const {
    w.emit(w.dialect().parameter(), 1);
    global_index(w, 0, 2);
    for (std::uint32_t pair = 4; pair <= 10; pair += 2) {
      element_address(w, pair, 0, 12);
    }
    const LaneAddresses weight = of_weight(w, weights);
    const LaneAddresses old = of_weight(w, old_weights);
    w.emit(w.dialect().load(4), 16, {4}, lanes_at(w, [&](auto x, auto) { return delta + (x + 1) * 4; }));
    w.emit(w.dialect().load(4), 17, {6}, of_input(w));
    w.emit(w.dialect().load(4), 18, {8}, old);
    w.emit(w.dialect().load(4), 19, {10}, weight);
    w.emit("FMUL", 16, {16, 12});
    w.emit("FMUL", 18, {18, 13});
    w.emit("FFMA", 18, {16, 17, 18});
    w.emit("FADD", 19, {19, 18});
    w.emit(w.dialect().store(4), kNoDst, {10, 19}, weight);
    w.emit(w.dialect().store(4), kNoDst, {8, 18}, old);
    w.emit(w.dialect().barrier());
    w.emit("EXIT");
  }
};

Plan build_backprop(const Arguments& arguments, const Dialect&) {
  const auto ctas = arguments.number32("n") / kSide;
  const std::uint64_t n = std::uint64_t{ctas} * kSide;
  Plan plan;
  Backprop layer;
  const std::uint64_t bytes = (n + 1) * (kSide + 1) * 4;
  layer.input = plan.input("input", (n + 1) * 4);
  layer.weights = plan.input("weights", bytes);
  layer.old_weights = plan.input("old", bytes);
  layer.delta = plan.input("delta", (kSide + 1) * 4);
  layer.sums = plan.buffer("sums", n * 4);
  const trace::Dim3 grid{1, ctas, 1};
  const trace::Dim3 block{kSide, kSide, 1};
  plan.kernels.push_back(
      {launch("_Z22bpnn_layerforward_CUDAPfS_S_S_ii", grid, block, 24, kSide * 4 + kSide * kSide * 4),
       LayerForward{layer}});
  plan.kernels.push_back(
      {launch("_Z24bpnn_adjust_weights_cudaPfiS_iS_S_", grid, block, 24), AdjustWeights{layer}});
  return plan;
}

/// Two steps of a five-point stencil on a block with its halo; the inner 12 x 12 points are written.
struct Hotspot {
  static constexpr std::uint32_t kBorder = 2;
  static constexpr std::uint32_t kInner = kSide - 2 * kBorder;
  std::uint64_t n = 0;
  std::uint64_t power = 0, in = 0, out = 0;

  void operator()(WarpBuilder& w) const {
    const std::uint32_t inside = mask(w, 0);
    const auto at = [&](std::uint64_t base) {
      return lanes_at(
          w, [&](auto x, auto y) { return base + (place(w.cta().y, y) * n + place(w.cta().x, x)) * 4; });
    };
    const Strided own{std::uint64_t{w.warp()} * 128, 4};
    w.emit(w.dialect().parameter(), 1);
    global_index(w, 0, 2);
    global_index(w, 14, 2);
    element_address(w, 4, 0, 12);
    w.emit(w.dialect().load(4), 16, {4}, at(in), inside);
    w.emit(w.dialect().shared_store(4), kNoDst, {10, 16}, own, inside);
    element_address(w, 6, 0, 12);
    w.emit(w.dialect().load(4), 17, {6}, at(power), inside);
    w.emit(w.dialect().shared_store(4), kNoDst, {11, 17}, own, inside);
    w.emit(w.dialect().barrier());
    for (std::uint32_t step = 1; step <= kBorder; ++step) {
      stencil(w, own, mask(w, step));
    }
    element_address(w, 8, 0, 12);
    w.emit(w.dialect().store(4), kNoDst, {8, 18}, at(out), mask(w, kBorder));
    w.emit("EXIT");
  }

 private:
  /// Point of the plane; below 0 for lanes left of it, which wraps and is masked.
  static std::uint64_t place(std::uint32_t block, std::uint32_t thread) {
    return std::uint64_t{block} * kInner + thread - kBorder;
  }
  /// Lanes inside the plane and at least `step` points inside the block.
  [[nodiscard]] std::uint32_t mask(const WarpBuilder& w, std::uint32_t step) const {
    std::uint32_t lanes = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t x = column(lane);
      const std::uint32_t y = row(w, lane);
      const bool fits = place(w.cta().x, x) < n && place(w.cta().y, y) < n && x >= step && x + step < kSide &&
                        y >= step && y + step < kSide;
      lanes |= (fits ? 1U : 0U) << lane;
    }
    return lanes;
  }
  void stencil(WarpBuilder& w, const Strided& own, std::uint32_t lanes) const {
    const std::uint64_t line = kSide * 4;
    const std::uint64_t offsets[] = {own.base, own.base - 4, own.base + 4, own.base - line, own.base + line};
    unsigned reg = 19;
    for (const std::uint64_t offset : offsets) {
      w.emit(w.dialect().shared_load(4), reg++, {10}, Strided{offset, 4}, lanes);
    }
    w.emit("FADD", 20, {20, 21}, lanes);
    w.emit("FADD", 22, {22, 23}, lanes);
    w.emit("FFMA", 20, {19, 12, 20}, lanes);
    w.emit("FFMA", 22, {19, 12, 22}, lanes);
    w.emit("FMUL", 20, {20, 13}, lanes);
    w.emit("FFMA", 20, {22, 13, 20}, lanes);
    w.emit("FADD", 20, {20, 17}, lanes);
    w.emit("FFMA", 18, {20, 13, 19}, lanes);
    w.emit(w.dialect().barrier());
    w.emit(w.dialect().shared_store(4), kNoDst, {10, 18}, own, lanes);
    w.emit(w.dialect().barrier());
  }
};

Plan build_hotspot(const Arguments& arguments, const Dialect&) {
  Plan plan;
  Hotspot code;
  code.n = arguments.number("n");
  code.power = plan.input("power", code.n * code.n * 4);
  code.in = plan.input("in", code.n * code.n * 4);
  code.out = plan.buffer("out", code.n * code.n * 4);
  const auto ctas = static_cast<std::uint32_t>((code.n + Hotspot::kInner - 1) / Hotspot::kInner);
  plan.kernels.push_back({launch("_Z14calculate_tempiPfS_S_iiiiffffff", {ctas, ctas, 1}, {kSide, kSide, 1},
                                 32, 3 * kSide * kSide * 4),
                          code});
  return plan;
}

}  // namespace

Entry backprop_entry() {
  return {"backprop",
          Group::application,
          "forward pass and weight update of a layer with 16 hidden units, as Rodinia's backprop",
          {integer("n", 65'536, 16, 1U << 24, "inputs", "input units; rounded down to 16")},
          20,
          std::nullopt,
          build_backprop};
}

Entry hotspot_entry() {
  return {"hotspot",
          Group::application,
          "two steps of a stencil in blocks with a halo, as Rodinia's hotspot",
          {integer("n", 1024, 16, 16'384, "points", "side of the plane")},
          20,
          std::nullopt,
          build_hotspot};
}

}  // namespace wg::kernels
