// Applications with one thread per element: vecadd, gather, stencil, transpose.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "kernels/entries.hpp"
#include "kernels/idioms.hpp"

namespace wg::kernels {
namespace {

std::uint32_t blocks_for(std::uint64_t elements, std::uint64_t block) {
  return static_cast<std::uint32_t>((elements + block - 1) / block);
}

/// How many of the elements from `first` on are below `bound`.
std::uint64_t left(std::uint64_t bound, std::uint64_t first) { return bound > first ? bound - first : 0; }

Plan build_vecadd(const Arguments& arguments, const Dialect&) {
  const std::uint64_t n = arguments.number("n");
  const std::uint32_t block = arguments.number32("block");
  Plan plan;
  const std::uint64_t a = plan.input("a", n * 4);
  const std::uint64_t b = plan.input("b", n * 4);
  const std::uint64_t c = plan.buffer("c", n * 4);
  const auto code = [=](WarpBuilder& w) {
    const std::uint64_t first = w.cta_number() * block + std::uint64_t{w.warp()} * 32;
    const std::uint32_t inside = first_lanes(left(n, first));
    elementwise_prologue(w, inside);
    element_address(w, 4, 0, 12);
    element_address(w, 6, 0, 12);
    w.emit(w.dialect().load(4), 10, {4}, Strided{a + first * 4, 4}, inside);
    w.emit(w.dialect().load(4), 11, {6}, Strided{b + first * 4, 4}, inside);
    element_address(w, 8, 0, 12);
    w.emit("FADD", 13, {10, 11}, inside);
    w.emit(w.dialect().store(4), kNoDst, {8, 13}, Strided{c + first * 4, 4}, inside);
    w.emit("EXIT", kNoDst, {}, inside);
  };
  plan.kernels.push_back(
      {launch("_Z6vecaddPKfS0_Pfi", {blocks_for(n, block), 1, 1}, {block, 1, 1}, 16), code});
  return plan;
}

Plan build_gather(const Arguments& arguments, const Dialect&) {
  const std::uint64_t n = arguments.number("n");
  const std::uint64_t elements = arguments.number("table") / 4;
  const std::uint64_t seed = arguments.number("seed");
  constexpr std::uint32_t kBlock = 256;
  Plan plan;
  const std::uint64_t table = plan.buffer("table", elements * 4);
  const std::uint64_t index = plan.input("index", n * 4);
  const std::uint64_t out = plan.buffer("out", n * 4);
  const auto code = [=](WarpBuilder& w) {
    const std::uint64_t first = w.cta_number() * kBlock + std::uint64_t{w.warp()} * 32;
    const std::uint32_t inside = first_lanes(left(n, first));
    Rng rng(seed + w.global_warp() * 0x9E37'79B9);
    LaneAddresses lanes;
    std::ranges::generate(lanes, [&] { return table + rng.below(elements) * 4; });
    elementwise_prologue(w, inside);
    element_address(w, 4, 0, 12);
    w.emit(w.dialect().load(4), 10, {4}, Strided{index + first * 4, 4}, inside);
    element_address(w, 6, 10, 12);
    w.emit(w.dialect().load(4), 11, {6}, lanes, inside);
    element_address(w, 8, 0, 12);
    w.emit(w.dialect().store(4), kNoDst, {8, 11}, Strided{out + first * 4, 4}, inside);
    w.emit("EXIT", kNoDst, {}, inside);
  };
  plan.kernels.push_back(
      {launch("_Z6gatherPKfPKiPfi", {blocks_for(n, kBlock), 1, 1}, {kBlock, 1, 1}, 16), code});
  return plan;
}

/// Five-point stencil on an nx * ny plane; one thread an inner point, blocks of 32 * 8.
Plan build_stencil(const Arguments& arguments, const Dialect&) {
  const std::uint64_t nx = arguments.number("nx");
  const std::uint64_t ny = arguments.number("ny");
  Plan plan;
  const std::uint64_t in = plan.input("in", nx * ny * 4);
  const std::uint64_t out = plan.buffer("out", nx * ny * 4);
  const auto code = [=](WarpBuilder& w) {
    const std::uint64_t x = std::uint64_t{w.cta().x} * 32 + 1;
    const std::uint64_t y = std::uint64_t{w.cta().y} * 8 + w.warp() + 1;
    const std::uint32_t inside = y + 1 < ny ? first_lanes(left(nx - 1, x)) : 0;
    const std::uint64_t offset = (y * nx + x) * 4;
    elementwise_prologue(w, kAllLanes);
    global_index(w, 14, 2);
    exit_outside(w, 14, inside);
    element_address(w, 4, 0, 12);
    const std::uint64_t neighbours[] = {offset, offset - 4, offset + 4, offset - nx * 4, offset + nx * 4};
    unsigned reg = 16;
    for (const std::uint64_t place : neighbours) {
      w.emit(w.dialect().load(4), reg++, {4}, Strided{in + place, 4}, inside);
    }
    w.emit("FMUL", 10, {16, 12}, inside);
    for (unsigned n = 1; n < 5; ++n) {
      w.emit("FFMA", 10, {16 + n, 13, 10}, inside);
    }
    element_address(w, 8, 0, 12);
    w.emit(w.dialect().store(4), kNoDst, {8, 10}, Strided{out + offset, 4}, inside);
    w.emit("EXIT", kNoDst, {}, inside);
  };
  plan.kernels.push_back(
      {launch("_Z7stencilPKfPfii", {blocks_for(nx - 2, 32), blocks_for(ny - 2, 8), 1}, {32, 8, 1}, 24),
       code});
  return plan;
}

/// Tiles of 32 * 32 floats, blocks of 32 * 8: each thread moves four elements.
struct Transpose {
  std::uint64_t n = 0;
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  bool shared = false;
  bool turns = true;         ///< false: the tile comes out as it went in
  std::uint32_t pitch = 32;  ///< words between rows of the shared tile; 33 avoids bank conflicts

  void operator()(WarpBuilder& w) const {
    const std::uint64_t x = std::uint64_t{w.cta().x} * 32;
    const std::uint64_t y = std::uint64_t{w.cta().y} * 32 + w.warp();
    elementwise_prologue(w, kAllLanes);
    global_index(w, 14, 2);
    element_address(w, 4, 0, 12);
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint64_t row = y + i * 8;
      w.emit(w.dialect().load(4), 16 + i, {4}, Strided{in + (row * n + x) * 4, 4}, inside(row, x));
    }
    if (shared) {
      exchange(w);
    }
    element_address(w, 8, 14, 12);
    for (std::uint32_t i = 0; i < 4; ++i) {
      store(w, 16 + i, i);
    }
    w.emit("EXIT");
  }

 private:
  [[nodiscard]] std::uint32_t inside(std::uint64_t row, std::uint64_t first_column) const {
    return row < n ? first_lanes(left(n, first_column)) : 0;
  }
  /// Rows into shared memory, columns out of it.
  void exchange(WarpBuilder& w) const {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint64_t row = w.warp() + i * 8;
      w.emit(w.dialect().shared_store(4), kNoDst, {6, 16 + i}, Strided{row * pitch * 4, 4});
    }
    w.emit(w.dialect().barrier());
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint64_t column = w.warp() + i * 8;
      w.emit(w.dialect().shared_load(4), 16 + i, {7},
             turns ? Strided{column * 4, std::int64_t{pitch} * 4} : Strided{column * pitch * 4, 4});
    }
  }
  void store(WarpBuilder& w, Reg data, std::uint32_t i) const {
    const std::uint64_t x = std::uint64_t{w.cta().x} * 32;
    const std::uint64_t y = std::uint64_t{w.cta().y} * 32;
    const std::uint64_t line = w.warp() + i * 8;
    if (!turns) {
      w.emit(w.dialect().store(4), kNoDst, {8, data}, Strided{out + ((y + line) * n + x) * 4, 4},
             inside(y + line, x));
    } else if (shared) {  // row x + line of the result, columns y ...
      w.emit(w.dialect().store(4), kNoDst, {8, data}, Strided{out + ((x + line) * n + y) * 4, 4},
             inside(x + line, y));
    } else {  // column y + line of the result, rows x ...
      w.emit(w.dialect().store(4), kNoDst, {8, data},
             Strided{out + (x * n + y + line) * 4, static_cast<std::int64_t>(n) * 4}, inside(y + line, x));
    }
  }
};

/// The same in tiles of 16 * 16 floats and blocks of 16 * 16, as the CUDA sample has them: a warp moves two
/// rows.
struct SmallTranspose {
  static constexpr std::uint32_t kSide = 16;
  std::uint64_t n = 0;
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  bool shared = false;
  bool turns = true;
  std::uint32_t pitch = kSide;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t x = std::uint64_t{w.cta().x} * kSide;
    const std::uint64_t y = std::uint64_t{w.cta().y} * kSide;
    elementwise_prologue(w, kAllLanes);
    global_index(w, 14, 2);
    element_address(w, 4, 0, 12);
    w.emit(w.dialect().load(4), 16, {4}, plane(w, in, x, y), inside(w, x, y));
    if (shared) {
      const auto own = [&](auto column, auto row) { return std::uint64_t{row * pitch + column} * 4; };
      w.emit(w.dialect().shared_store(4), kNoDst, {6, 16}, lanes(w, own));
      w.emit(w.dialect().barrier());
      w.emit(w.dialect().shared_load(4), 16, {7},
             turns ? lanes(w, [&](auto column, auto row) { return own(row, column); }) : lanes(w, own));
    }
    element_address(w, 8, 14, 12);
    if (!turns) {
      w.emit(w.dialect().store(4), kNoDst, {8, 16}, plane(w, out, x, y), inside(w, x, y));
    } else if (shared) {
      w.emit(w.dialect().store(4), kNoDst, {8, 16}, plane(w, out, y, x), inside(w, y, x));
    } else {
      w.emit(w.dialect().store(4), kNoDst, {8, 16},
             lanes(w, [&](auto column, auto row) { return out + ((x + column) * n + y + row) * 4; }),
             inside(w, x, y));
    }
    w.emit("EXIT");
  }

 private:
  template <class Place>
  static LaneAddresses lanes(const WarpBuilder& w, const Place& place) {
    LaneAddresses addresses{};
    for (std::uint32_t lane = 0; lane < addresses.size(); ++lane) {
      addresses[lane] = place(lane % kSide, w.warp() * 2 + lane / kSide);
    }
    return addresses;
  }
  [[nodiscard]] LaneAddresses plane(const WarpBuilder& w, std::uint64_t base, std::uint64_t x,
                                    std::uint64_t y) const {
    return lanes(w, [&](auto column, auto row) { return base + ((y + row) * n + x + column) * 4; });
  }
  [[nodiscard]] std::uint32_t inside(const WarpBuilder& w, std::uint64_t x, std::uint64_t y) const {
    std::uint32_t mask = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const bool fits = x + lane % kSide < n && y + w.warp() * 2 + lane / kSide < n;
      mask |= (fits ? 1U : 0U) << lane;
    }
    return mask;
  }
};

/// Writes a vector, 128 CTAs of 128 threads going over it together.
Plan build_fill(const Arguments& arguments, const Dialect&) {
  constexpr std::uint32_t kCtas = 128;
  constexpr std::uint32_t kBlock = 128;
  const std::uint64_t n = arguments.number("n");
  Plan plan;
  const std::uint64_t out = plan.buffer("out", n * 4);
  const auto code = [=](WarpBuilder& w) {
    const std::uint64_t first = w.cta_number() * kBlock + std::uint64_t{w.warp()} * 32;
    elementwise_prologue(w, first_lanes(left(n, first)));
    loop(w, 14, (n + kCtas * kBlock - 1) / (kCtas * kBlock), [&](std::uint64_t round) {
      const std::uint64_t place = first + round * kCtas * kBlock;
      const std::uint32_t inside = first_lanes(left(n, place));
      element_address(w, 4, 0, 12);
      w.emit("FFMA", 8, {8, 12, 13}, inside);
      w.emit(w.dialect().store(4), kNoDst, {4, 8}, Strided{out + place * 4, 4}, inside);
    });
    w.emit("EXIT", kNoDst, {}, first_lanes(left(n, first)));
  };
  plan.kernels.push_back({launch("_Z4fillPfi", {kCtas, 1, 1}, {kBlock, 1, 1}, 16), code});
  return plan;
}

/// `side` of a tile, `rows` of a block of threads.
template <class Code>
Plan transpose_of(const Arguments& arguments, std::uint32_t side, std::uint32_t rows) {
  const std::uint64_t n = arguments.number("n");
  Plan plan;
  Code code;
  code.n = n;
  code.in = plan.input("in", n * n * 4);
  code.out = plan.buffer("out", n * n * 4);
  code.shared = !arguments.is("variant", "naive");
  code.turns = !arguments.is("variant", "copy");
  code.pitch = side + (arguments.is("variant", "padded") ? 1 : 0);
  const std::uint32_t tiles = blocks_for(n, side);
  plan.kernels.push_back({launch("_Z9transposePKfPfi", {tiles, tiles, 1}, {side, rows, 1}, 24,
                                 code.shared ? std::uint64_t{side} * code.pitch * 4 : 0),
                          code});
  return plan;
}

Plan build_transpose(const Arguments& arguments, const Dialect&) {
  return arguments.number("tile") == 16 ? transpose_of<SmallTranspose>(arguments, 16, 16)
                                        : transpose_of<Transpose>(arguments, 32, 8);
}

}  // namespace

Entry vecadd_entry() {
  return {"vecadd",
          Group::application,
          "c = a + b on floats",
          {integer("n", 1U << 18, 1, 1U << 30, "elements", "length of the vectors"),
           integer("block", 256, 1, 1024, "threads", "threads of a CTA")},
          20,
          std::nullopt,
          build_vecadd};
}

Entry gather_entry() {
  return {"gather",
          Group::application,
          "out[i] = table[index[i]] with random indices",
          {integer("n", 1U << 16, 1, 1U << 30, "elements", "length of index and result"),
           integer("table", std::uint64_t{32} << 20, 4, std::uint64_t{1} << 36, "bytes", "size of the table"),
           integer("seed", 1, 0, ~std::uint64_t{0}, "", "of the indices")},
          20,
          std::nullopt,
          build_gather};
}

Entry stencil_entry() {
  return {"stencil",
          Group::application,
          "five-point stencil on a plane of floats",
          {integer("nx", 1024, 3, 32'768, "elements", "points of a row"),
           integer("ny", 512, 3, 32'768, "elements", "rows")},
          20,
          std::nullopt,
          build_stencil};
}

Entry fill_entry() {
  return {"fill",
          Group::application,
          "writes a vector of floats and reads nothing",
          {integer("n", 1U << 20, 1, 1U << 30, "elements", "length of the vector")},
          20,
          std::nullopt,
          build_fill};
}

Entry transpose_entry() {
  return {
      "transpose",
      Group::application,
      "transpose of a square matrix of floats in tiles",
      {integer("n", 1024, 1, 32'768, "elements", "rows and columns"),
       choice("variant", {"naive", "shared", "padded", "copy"},
              "columns straight to memory, through shared memory, with padding against bank conflicts; copy: "
              "through shared memory without turning"),
       choice("tile", {"32", "16"}, "side of a tile; 16: in blocks of 16 x 16 threads, as the CUDA sample")},
      20,
      std::nullopt,
      build_transpose};
}

}  // namespace wg::kernels
