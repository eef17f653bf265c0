// Kernels in the shapes of PolyBench on GPUs: matrix times vector by rows and by columns, products of
// matrices without tiles, a 3 x 3 convolution. Sums are kept in memory, for the compiler cannot know that the
// vectors do not overlap: each step loads, adds and stores.
#include <algorithm>

#include "kernels/entries.hpp"
#include "kernels/idioms.hpp"

namespace wg::kernels {
namespace {

constexpr std::uint32_t kRegisters = 32;
constexpr std::uint64_t kUnroll = 4;  // of the loops, by the compiler
constexpr std::uint32_t kRows = 8;    // of a block of threads, where it has two dimensions

std::uint32_t ceiling(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>((a + b - 1) / b);
}

/// Runs body(step) for n steps: a loop of four, then what is left one by one.
template <class Body>
void unrolled(WarpBuilder& w, std::uint64_t n, const Body& body) {
  if (n >= kUnroll) {
    loop(w, 14, n / kUnroll, [&](std::uint64_t round) {
      for (std::uint64_t i = 0; i < kUnroll; ++i) {
        body(round * kUnroll + i);
      }
    });
  }
  if (n % kUnroll != 0) {
    loop(w, 15, n % kUnroll, [&](std::uint64_t round) { body(n / kUnroll * kUnroll + round); });
  }
}

/// y[i] += A[i][j] * x[j] for all j, a thread a row (or, with `columns`, A[j][i]).
struct MatVec {
  std::uint64_t n = 0;
  std::uint32_t block = 0;
  bool columns = false;
  std::uint64_t a = 0, x = 0, y = 0;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t first = w.cta_number() * block + std::uint64_t{w.warp()} * 32;
    const std::uint32_t inside = first_lanes(n > first ? n - first : 0);
    elementwise_prologue(w, inside);
    element_address(w, 4, 0, 12);
    element_address(w, 6, 0, 12);
    w.emit(w.dialect().load(4), 8, {6}, Strided{y + first * 4, 4}, inside);
    unrolled(w, n, [&](std::uint64_t j) { step(w, first, j, inside); });
    w.emit("EXIT", kNoDst, {}, inside);
  }

  void step(WarpBuilder& w, std::uint64_t first, std::uint64_t j, std::uint32_t inside) const {
    const auto row = static_cast<std::int64_t>(n) * 4;
    const Strided element =
        columns ? Strided{a + (j * n + first) * 4, 4} : Strided{a + (first * n + j) * 4, row};
    w.emit(w.dialect().load(4), 16, {4}, element, inside);
    w.emit(w.dialect().load(4), 17, {12}, Strided{x + j * 4, 0}, inside);
    w.emit("FFMA", 8, {16, 17, 8}, inside);
    w.emit(w.dialect().store(4), kNoDst, {6, 8}, Strided{y + first * 4, 4}, inside);
  }
};

/// Both sums of gesummv in one loop, then y = alpha * tmp + beta * y.
struct Gesummv {
  MatVec one, two;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t first = w.cta_number() * one.block + std::uint64_t{w.warp()} * 32;
    const std::uint32_t inside = first_lanes(one.n > first ? one.n - first : 0);
    elementwise_prologue(w, inside);
    element_address(w, 4, 0, 12);
    element_address(w, 6, 0, 12);
    unrolled(w, one.n, [&](std::uint64_t j) {
      one.step(w, first, j, inside);
      two.step(w, first, j, inside);
    });
    w.emit("FMUL", 8, {8, 12}, inside);
    w.emit("FFMA", 8, {8, 12, 13}, inside);
    w.emit(w.dialect().store(4), kNoDst, {6, 8}, Strided{two.y + first * 4, 4}, inside);
    w.emit("EXIT", kNoDst, {}, inside);
  }
};

/// Where the 32 lanes of a warp are in a plane of blocks of `width` x kRows threads.
struct Plane {
  std::uint64_t n = 0;
  std::uint32_t width = 0;

  [[nodiscard]] std::uint64_t x(const WarpBuilder& w, std::uint32_t lane) const {
    return std::uint64_t{w.cta().x} * width + (w.warp() * 32 + lane) % width;
  }
  [[nodiscard]] std::uint64_t y(const WarpBuilder& w, std::uint32_t lane) const {
    return std::uint64_t{w.cta().y} * kRows + (w.warp() * 32 + lane) / width;
  }
  [[nodiscard]] std::uint32_t inside(const WarpBuilder& w, std::uint64_t from, std::uint64_t to) const {
    std::uint32_t mask = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint64_t column = x(w, lane);
      const std::uint64_t row = y(w, lane);
      const bool fits = column >= from && column < to && row >= from && row < to;
      mask |= (fits ? 1U : 0U) << lane;
    }
    return mask;
  }
  template <class Place>
  [[nodiscard]] LaneAddresses addresses(const WarpBuilder& w, const Place& place) const {
    LaneAddresses lanes{};
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      lanes[lane] = place(x(w, lane), y(w, lane));
    }
    return lanes;
  }
  [[nodiscard]] trace::KernelHeader header(std::string_view name) const {
    return launch(name, {ceiling(n, width), ceiling(n, kRows), 1}, {width, kRows, 1}, kRegisters);
  }
};

/// c = beta * c + alpha * a * b, a thread an element.
struct MatMul {
  Plane plane;
  std::uint64_t a = 0, b = 0, c = 0;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t n = plane.n;
    const std::uint32_t inside = plane.inside(w, 0, n);
    elementwise_prologue(w, kAllLanes);
    global_index(w, 14, 2);
    exit_outside(w, 14, inside);
    element_address(w, 4, 0, 12);
    element_address(w, 6, 0, 12);
    const LaneAddresses own = plane.addresses(w, [&](auto x, auto y) { return c + (y * n + x) * 4; });
    w.emit(w.dialect().load(4), 8, {6}, own, inside);
    w.emit("FMUL", 8, {8, 12}, inside);
    w.emit(w.dialect().store(4), kNoDst, {6, 8}, own, inside);
    LaneAddresses row = plane.addresses(w, [&](auto, auto y) { return a + y * n * 4; });
    LaneAddresses column = plane.addresses(w, [&](auto x, auto) { return b + x * 4; });
    unrolled(w, n, [&](std::uint64_t) {
      w.emit(w.dialect().load(4), 16, {4}, row, inside);
      w.emit(w.dialect().load(4), 17, {12}, column, inside);
      w.emit("FMUL", 16, {16, 13}, inside);
      w.emit("FFMA", 8, {16, 17, 8}, inside);
      w.emit(w.dialect().store(4), kNoDst, {6, 8}, own, inside);
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        row[lane] += 4;
        column[lane] += n * 4;
      }
    });
    w.emit("EXIT", kNoDst, {}, inside);
  }
};

/// 3 x 3 convolution of the inner points.
struct Convolution {
  Plane plane;
  std::uint64_t in = 0, out = 0;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t n = plane.n;
    const std::uint32_t inside = plane.inside(w, 1, n - 1);
    elementwise_prologue(w, kAllLanes);
    global_index(w, 14, 2);
    exit_outside(w, 14, inside);
    element_address(w, 4, 0, 12);
    for (std::uint32_t i = 0; i < 9; ++i) {
      const LaneAddresses at =
          plane.addresses(w, [&](auto x, auto y) { return in + ((y + i / 3 - 1) * n + x + i % 3 - 1) * 4; });
      w.emit(w.dialect().load(4), 16 + i, {4}, at, inside);
    }
    w.emit("FMUL", 8, {16, 12}, inside);
    for (std::uint32_t i = 1; i < 9; ++i) {
      w.emit("FFMA", 8, {16 + i, 12, 8}, inside);
    }
    const LaneAddresses own = plane.addresses(w, [&](auto x, auto y) { return out + (y * n + x) * 4; });
    w.emit(w.dialect().store(4), kNoDst, {6, 8}, own, inside);
    w.emit("EXIT", kNoDst, {}, inside);
  }
};

void add_matvecs(Plan& plan, std::uint64_t n, std::uint32_t block) {
  MatVec rows{.n = n, .block = block, .columns = false};
  rows.a = plan.input("a", n * n * 4);
  rows.x = plan.input("x", n * 4);
  rows.y = plan.input("y", n * 4);
  MatVec columns = rows;
  columns.columns = true;
  columns.x = plan.input("x2", n * 4);
  columns.y = plan.input("y2", n * 4);
  for (const MatVec& code : {rows, columns}) {
    plan.kernels.push_back({launch(code.columns ? "_Z6matvecPfS_S_c" : "_Z6matvecPfS_S_r",
                                   {ceiling(n, block), 1, 1}, {block, 1, 1}, kRegisters),
                            code});
  }
}

void add_gesummv(Plan& plan, std::uint64_t n, std::uint32_t block) {
  Gesummv code;
  code.one = {.n = n, .block = block, .columns = false};
  code.one.a = plan.input("a", n * n * 4);
  code.two = code.one;
  code.two.a = plan.input("b", n * n * 4);
  code.one.x = code.two.x = plan.input("x", n * 4);
  code.one.y = plan.buffer("tmp", n * 4);
  code.two.y = plan.buffer("y", n * 4);
  plan.kernels.push_back(
      {launch("_Z7gesummvPfS_S_S_S_", {ceiling(n, block), 1, 1}, {block, 1, 1}, kRegisters), code});
}

void add_products(Plan& plan, std::uint64_t n, std::uint32_t block, bool twice) {
  MatMul code{.plane = {n, block}};
  code.a = plan.input("a", n * n * 4);
  code.b = plan.input("b", n * n * 4);
  code.c = plan.input("c", n * n * 4);
  plan.kernels.push_back({code.plane.header("_Z4gemmPfS_S_"), code});
  if (twice) {
    code.a = code.c;
    code.b = plan.input("b2", n * n * 4);
    code.c = plan.input("d", n * n * 4);
    plan.kernels.push_back({code.plane.header("_Z4gemmPfS_S_"), code});
  }
}

Plan build(const Arguments& arguments, const Dialect&) {
  const std::uint64_t n = arguments.number("n");
  const std::uint32_t block = arguments.number32("block");
  Plan plan;
  if (arguments.is("kernel", "mvt")) {
    add_matvecs(plan, n, block);
  } else if (arguments.is("kernel", "gesummv")) {
    add_gesummv(plan, n, block);
  } else if (arguments.is("kernel", "2dconv")) {
    Convolution code{.plane = {n, block}};
    code.in = plan.input("in", n * n * 4);
    code.out = plan.buffer("out", n * n * 4);
    plan.kernels.push_back({code.plane.header("_Z13convolution2DPfS_"), code});
  } else {
    add_products(plan, n, block, arguments.is("kernel", "2mm"));
  }
  return plan;
}

}  // namespace

Entry polybench_entry() {
  return {
      "polybench",
      Group::application,
      "kernels of PolyBench on n x n matrices: sums kept in memory, no tiles",
      {choice("kernel", {"gemm", "2mm", "mvt", "gesummv", "2dconv"},
              "mvt: a kernel by rows and one by columns, as atax and bicg have"),
       integer("n", 256, 4, 8192, "elements", "rows and columns"),
       integer("block", 32, 8, 128, "threads", "width of a block; gemm, 2mm and 2dconv have 8 rows of it")},
      20,
      std::nullopt,
      build};
}

}  // namespace wg::kernels
