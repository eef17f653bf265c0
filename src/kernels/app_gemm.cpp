// C = A * B in row-major order: tiles through shared memory, with FFMA on floats or tensor cores on halves.
#include <fmt/format.h>

#include <array>
#include <span>

#include "base/error.hpp"
#include "kernels/entries.hpp"
#include "kernels/idioms.hpp"

namespace wg::kernels {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr Reg kCounter = 2;

/// The matrices; what both variants know.
struct Matrices {
  std::uint64_t m = 0, n = 0, k = 0;
  std::uint64_t a = 0, b = 0, c = 0;
};

/// Addresses and mask of one access of a warp.
struct Access {
  LaneAddresses lanes{};
  std::uint32_t mask = 0;

  void set(std::uint32_t lane, bool inside, std::uint64_t address) {
    lanes[lane] = address;
    mask |= inside ? std::uint32_t{1} << lane : 0;
  }
};

/// 16-byte loads that copy a tile of `rows` x `columns` of a row-major matrix; access number `index` of the
/// CTA's thread order covers the next 256 pieces.
Access tile_access(const WarpBuilder& w, std::uint32_t index, std::uint64_t row0, std::uint64_t column0,
                   std::uint32_t columns, std::uint64_t base, std::uint64_t height, std::uint64_t width,
                   std::uint64_t element) {
  Access access;
  const std::uint64_t per_piece = 16 / element;
  const std::uint64_t pieces_per_row = columns / per_piece;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t piece = std::uint64_t{index} * kThreads + w.warp() * 32 + lane;
    const std::uint64_t row = row0 + piece / pieces_per_row;
    const std::uint64_t column = column0 + piece % pieces_per_row * per_piece;
    access.set(lane, row < height && column < width, base + (row * width + column) * element);
  }
  return access;
}

/// CTA tile 64 x 64 x 16, 256 threads, each with 4 x 4 sums.
struct FloatGemm {
  Matrices p;
  static constexpr std::uint32_t kTile = 64;
  static constexpr std::uint32_t kDepth = 16;
  static constexpr std::uint64_t kSharedB = kTile * kDepth * 4;
  static constexpr std::uint64_t kShared = 2 * kSharedB;
  static constexpr std::uint32_t kRegisters = 60;
  static constexpr Reg kA = 20, kB = 24;  // fragments; staging of the tiles
  static constexpr unsigned kSums = 36;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t row0 = std::uint64_t{w.cta().y} * kTile;
    const std::uint64_t column0 = std::uint64_t{w.cta().x} * kTile;
    w.emit(w.dialect().parameter(), 1);
    global_index(w, 0, 2);
    element_address(w, 4, 0, 12);
    element_address(w, 6, 0, 12);
    loop(w, kCounter, (p.k + kDepth - 1) / kDepth, [&](std::uint64_t round) {
      const std::uint64_t k0 = round * kDepth;
      const Access a = tile_access(w, 0, row0, k0, kDepth, p.a, p.m, p.k, 4);
      const Access b = tile_access(w, 0, k0, column0, kTile, p.b, p.k, p.n, 4);
      w.emit(w.dialect().load(16), 28, {4}, a.lanes, a.mask);
      w.emit(w.dialect().load(16), 32, {6}, b.lanes, b.mask);
      w.emit(w.dialect().shared_store(16), kNoDst, {8, 28}, Strided{std::uint64_t{w.warp()} * 512, 16});
      w.emit(w.dialect().shared_store(16), kNoDst, {8, 32},
             Strided{kSharedB + std::uint64_t{w.warp()} * 512, 16});
      w.emit(w.dialect().barrier());
      for (std::uint32_t depth = 0; depth < kDepth; ++depth) {
        multiply(w, depth);
      }
      w.emit(w.dialect().barrier());
    });
    store(w, row0, column0);
    w.emit("EXIT");
  }

 private:
  /// Threads stand 16 x 16 on the tile, each with 4 x 4 sums; a warp is two rows of threads.
  static void multiply(WarpBuilder& w, std::uint32_t depth) {
    LaneAddresses rows;
    LaneAddresses columns;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      rows[lane] = (depth * kTile + 4 * (2 * w.warp() + lane / 16)) * 4;
      columns[lane] = kSharedB + (depth * kTile + 4 * (lane % 16)) * 4;
    }
    w.emit(w.dialect().shared_load(16), kA, {8}, rows);
    w.emit(w.dialect().shared_load(16), kB, {9}, columns);
    for (unsigned i = 0; i < 4; ++i) {
      for (unsigned j = 0; j < 4; ++j) {
        const Reg sum = kSums + 4 * i + j;
        w.emit("FFMA", sum, {kA.number + i, kB.number + j, sum});
      }
    }
  }

  void store(WarpBuilder& w, std::uint64_t row0, std::uint64_t column0) const {
    element_address(w, 10, 0, 12);
    for (unsigned i = 0; i < 4; ++i) {
      Access c;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint64_t row = row0 + 4 * (2 * w.warp() + lane / 16) + i;
        const std::uint64_t column = column0 + 4 * (lane % 16);
        c.set(lane, row < p.m && column < p.n, p.c + (row * p.n + column) * 4);
      }
      w.emit(w.dialect().store(16), kNoDst, {10, kSums + 4 * i}, c.lanes, c.mask);
    }
  }
};

/// How one generation multiplies a 16 x 8 x 16 piece on its tensor cores.
struct TensorStep {
  explicit TensorStep(std::uint32_t sm) {
    if (sm >= 80) {
      mnemonics = kAmpere;
    } else if (sm >= 75) {
      mnemonics = kTuring;
    } else {
      mnemonics = kVolta;
    }
  }
  std::span<const std::string_view> mnemonics;
  [[nodiscard]] bool in_steps() const { return mnemonics.size() == kVolta.size(); }

 private:
  static constexpr std::array<std::string_view, 1> kAmpere{"HMMA.16816.F32"};
  static constexpr std::array<std::string_view, 2> kTuring{"HMMA.1688.F32", "HMMA.1688.F32"};
  // Two 884 instructions of 1,024 products, each in four steps that write two registers.
  static constexpr std::array<std::string_view, 8> kVolta{
      "HMMA.884.F32.F32.STEP0", "HMMA.884.F32.F32.STEP1", "HMMA.884.F32.F32.STEP2", "HMMA.884.F32.F32.STEP3",
      "HMMA.884.F32.F32.STEP0", "HMMA.884.F32.F32.STEP1", "HMMA.884.F32.F32.STEP2", "HMMA.884.F32.F32.STEP3"};
};

/// CTA tile 128 x 128 x 32 of halves, eight warps of 64 x 32 with float sums.
struct HalfGemm {
  Matrices p;
  bool async = false;  ///< LDGSTS into the other of two buffers, one tile ahead
  static constexpr std::uint32_t kTile = 128;
  static constexpr std::uint32_t kDepth = 32;
  static constexpr std::uint64_t kSharedB = kTile * kDepth * 2;
  static constexpr std::uint64_t kStage = 2 * kSharedB;
  static constexpr std::uint32_t kRegisters = 168;
  static constexpr unsigned kA = 60, kB = 76, kSums = 100;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t rounds = (p.k + kDepth - 1) / kDepth;
    w.emit(w.dialect().parameter(), 1);
    global_index(w, 0, 2);
    for (unsigned pointer = 0; pointer < 4; ++pointer) {
      element_address(w, 20 + 2 * pointer, 0, 12);
    }
    if (async) {
      fetch(w, 0, 1);
    }
    loop(w, kCounter, rounds, [&](std::uint64_t round) {
      fetch(w, async ? round + 1 : round, async && round + 1 >= rounds ? 0 : 1);
      if (async) {
        w.emit("DEPBAR.LE", kNoDst, {}, kAllLanes, 1);  // all groups but the newest
      }
      w.emit(w.dialect().barrier());
      const TensorStep step(w.dialect().sm());
      const std::uint64_t stage = async ? round % 2 * kStage : 0;
      multiply(w, step, stage, 0);
      multiply(w, step, stage, 1);
      w.emit(w.dialect().barrier());
    });
    store(w);
    w.emit("EXIT");
  }

 private:
  /// Loads the A and B tiles of `round` into shared memory; `active` 0 emits them predicated off.
  void fetch(WarpBuilder& w, std::uint64_t round, std::uint32_t active) const {
    const std::uint64_t k0 = round * kDepth;
    const std::uint32_t all = active != 0 ? kAllLanes : 0;
    std::array<Access, 4> tiles;
    for (std::uint32_t i = 0; i < 2; ++i) {
      tiles[i] = tile_access(w, i, std::uint64_t{w.cta().y} * kTile, k0, kDepth, p.a, p.m, p.k, 2);
      tiles[2 + i] = tile_access(w, i, k0, std::uint64_t{w.cta().x} * kTile, kTile, p.b, p.k, p.n, 2);
    }
    for (unsigned i = 0; i < 4; ++i) {
      if (async) {
        w.emit("LDGSTS.E.BYPASS.128", kNoDst, {8, 20 + 2 * i}, tiles[i].lanes, tiles[i].mask & all);
      } else {
        w.emit(w.dialect().load(16), 40 + 4 * i, {20 + 2 * i}, tiles[i].lanes, tiles[i].mask & all);
      }
    }
    if (async) {
      w.emit("LDGDEPBAR");
      return;
    }
    for (unsigned i = 0; i < 4; ++i) {
      w.emit("STS.128", kNoDst, {8, 40 + 4 * i}, Strided{i * 4096 + std::uint64_t{w.warp()} * 512, 16}, all);
    }
  }

  /// Half a tile's depth: 16 of k.
  static void multiply(WarpBuilder& w, const TensorStep& step, std::uint64_t stage, unsigned half) {
    const bool matrix_loads = w.dialect().sm() >= 75;
    const std::uint64_t warp_m = w.warp() & 1;
    const std::uint64_t warp_n = w.warp() >> 1;
    for (unsigned m = 0; m < 4; ++m) {
      w.emit(matrix_loads ? "LDSM.16.M88.4" : "LDS.U.128", kA + 4 * m, {9},
             Strided{stage + warp_m * 4096 + m * 1024 + half * 512, 16});
    }
    for (unsigned n = 0; n < 2; ++n) {
      w.emit(matrix_loads ? "LDSM.16.MT88.4" : "LDS.U.128", kB + 4 * n, {10},
             Strided{stage + kSharedB + warp_n * 2048 + n * 1024 + half * 512, 16});
    }
    for (unsigned m = 0; m < 4; ++m) {
      for (unsigned n = 0; n < 4; ++n) {
        multiply_piece(w, step, m, n);
      }
    }
  }

  static void multiply_piece(WarpBuilder& w, const TensorStep& step, unsigned m, unsigned n) {
    const unsigned sum = kSums + (m * 4 + n) * 4;
    for (unsigned i = 0; i < step.mnemonics.size(); ++i) {
      const unsigned part = step.in_steps() ? i / 4 : i;  // of the depth of 16
      const unsigned target = step.in_steps() ? sum + 2 * (i % 2) : sum;
      w.emit(step.mnemonics[i], target, {kA + 4 * m + 2 * part, kB + 2 * n + part, target});
    }
  }

  void store(WarpBuilder& w) const {
    const std::uint64_t row0 = std::uint64_t{w.cta().y} * kTile + (w.warp() & 1) * 64;
    const std::uint64_t column0 = std::uint64_t{w.cta().x} * kTile + (w.warp() >> 1) * 32;
    element_address(w, 30, 0, 12);
    for (unsigned m = 0; m < 4; ++m) {
      for (unsigned n = 0; n < 4; ++n) {
        for (unsigned rows = 0; rows < 2; ++rows) {  // a piece is two times eight rows
          Access c;
          for (std::uint32_t lane = 0; lane < 32; ++lane) {
            const std::uint64_t row = row0 + m * 16 + rows * 8 + lane / 4;
            const std::uint64_t column = column0 + n * 8 + lane % 4 * 2;
            c.set(lane, row < p.m && column < p.n, p.c + (row * p.n + column) * 4);
          }
          w.emit(w.dialect().store(8), kNoDst, {30, kSums + (m * 4 + n) * 4 + 2 * rows}, c.lanes, c.mask);
        }
      }
    }
  }
};

void check_multiple(const Arguments& arguments, std::string_view name, std::uint64_t of) {
  const std::uint64_t value = arguments.number(name);
  if (value % of != 0) {
    throw Error(Problem{std::string(name), fmt::format("a multiple of {}, for loads of 16 bytes", of),
                        std::to_string(value), fmt::format("use {}", (value + of - 1) / of * of)});
  }
}

Plan build(const Arguments& arguments, const Dialect& dialect) {
  const bool half = arguments.is("type", "f16");
  const bool async = arguments.is("copy", "async");
  if (half && !dialect.has_tensor()) {
    throw Error(Problem{"type=f16", "sm_70 or later, which have tensor cores",
                        fmt::format("sm_{}", dialect.sm()), "use type=f32"});
  }
  if (async && (!half || !dialect.has_async_copy())) {
    throw Error(Problem{"copy=async", "type=f16 on sm_80 or later",
                        fmt::format("type={} on sm_{}", arguments.word("type"), dialect.sm()),
                        "use copy=registers"});
  }
  check_multiple(arguments, "k", half ? 8 : 4);
  check_multiple(arguments, "n", half ? 8 : 4);
  Plan plan;
  Matrices p;
  p.m = arguments.number("m");
  p.n = arguments.number("n");
  p.k = arguments.number("k");
  const std::uint64_t element = half ? 2 : 4;
  p.a = plan.input("a", p.m * p.k * element);
  p.b = plan.input("b", p.k * p.n * element);
  p.c = plan.buffer("c", p.m * p.n * 4);
  const std::uint32_t tile = half ? HalfGemm::kTile : FloatGemm::kTile;
  const trace::Dim3 grid{static_cast<std::uint32_t>((p.n + tile - 1) / tile),
                         static_cast<std::uint32_t>((p.m + tile - 1) / tile), 1};
  if (half) {
    plan.kernels.push_back({launch("_Z5hgemmPK6__halfS1_Pfiii", grid, {kThreads, 1, 1}, HalfGemm::kRegisters,
                                   HalfGemm::kStage * (async ? 2 : 1)),
                            HalfGemm{p, async}});
  } else {
    plan.kernels.push_back(
        {launch("_Z5sgemmPKfS0_Pfiii", grid, {kThreads, 1, 1}, FloatGemm::kRegisters, FloatGemm::kShared),
         FloatGemm{p}});
  }
  return plan;
}

}  // namespace

Entry gemm_entry() {
  constexpr std::uint64_t kMost = 65'536;
  return {
      "gemm",
      Group::application,
      "C = A * B: FFMA on floats, or tensor cores on halves with float sums",
      {integer("m", 256, 1, kMost, "rows", "rows of A and C"),
       integer("n", 256, 1, kMost, "columns", "columns of B and C"),
       integer("k", 256, 1, kMost, "elements", "columns of A, rows of B"),
       choice("type", {"f32", "f16"}, "element type of A and B"),
       choice("copy", {"registers", "async"}, "how tiles reach shared memory; async = LDGSTS, two buffers")},
      20,
      std::nullopt,
      build};
}

}  // namespace wg::kernels
