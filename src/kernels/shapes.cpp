// The seven kernel shapes by which simulators are compared: same instructions, PCs, masks and addresses as
// the reference generator of synthetic traces at the same scale (random addresses come from another
// generator).
#include <algorithm>
#include <cmath>

#include "base/rng.hpp"
#include "kernels/entries.hpp"

namespace wg::kernels {
namespace {

// Buffers of the shapes are 512 MiB apart, whatever their size.
constexpr std::uint64_t kA = 0x7f1a'2000'0000;
constexpr std::uint64_t kB = 0x7f1a'4000'0000;
constexpr std::uint64_t kC = 0x7f1a'6000'0000;

std::uint32_t scaled(double scale, double full) { return static_cast<std::uint32_t>(full * scale); }

void place(Plan& plan, std::string_view name, std::uint64_t address, std::uint64_t bytes, bool copied) {
  plan.buffers.push_back({name, address, bytes});
  if (copied) {
    plan.inputs.push_back({trace::CopyKind::host_to_device, address, Bytes{bytes}});
  }
}

void prologue(WarpBuilder& w) {
  w.emit("IMAD.MOV.U32", 1, {255, 255});
  w.emit("S2R", 6);
  w.emit("S2R", 3);
  w.emit("IMAD", 6, {6, 255, 3});
  w.emit("ISETP.GE.AND", kNoDst, {6});
  w.emit("EXIT", kNoDst, {}, 0);
}

Plan one_kernel(std::string_view name, trace::Dim3 grid, trace::Dim3 block, std::uint32_t registers,
                std::uint64_t shared, std::function<void(WarpBuilder&)> code) {
  Plan plan;
  plan.kernels.push_back({launch(name, grid, block, registers, shared), std::move(code)});
  return plan;
}

Plan build_vecadd(const Arguments& arguments, const Dialect&) {
  const std::uint32_t ctas = std::max(1U, scaled(arguments.fraction("scale"), 2048));
  const auto code = [](WarpBuilder& w) {
    const std::uint64_t offset = (w.cta_number() * 256 + w.warp() * 32) * 4;
    prologue(w);
    w.emit("IMAD.MOV.U32", 7, {255, 255}, kAllLanes, 4);
    w.emit("IMAD.WIDE", 4, {6, 7});
    w.emit("IMAD.WIDE", 2, {6, 7});
    w.emit("LDG.E", 4, {4}, Strided{kA + offset, 4});
    w.emit("LDG.E", 3, {2}, Strided{kB + offset, 4});
    w.emit("IMAD.WIDE", 6, {6, 7});
    w.emit("FADD", 9, {4, 3});
    w.emit("STG.E", kNoDst, {6, 9}, Strided{kC + offset, 4});
    w.emit("EXIT");
  };
  Plan plan = one_kernel("_Z6vecaddPKfS0_Pfi", {ctas, 1, 1}, {256, 1, 1}, 16, 0, code);
  place(plan, "a", kA, std::uint64_t{ctas} * 1024, true);
  place(plan, "b", kB, std::uint64_t{ctas} * 1024, true);
  place(plan, "c", kC, std::uint64_t{ctas} * 1024, false);
  return plan;
}

Plan build_chase(const Arguments& arguments, const Dialect&) {
  constexpr std::uint64_t kSpan = std::uint64_t{64} << 20;
  const std::uint32_t steps = std::max(1U, scaled(arguments.fraction("scale"), 2000));
  const std::uint64_t seed = arguments.number("seed");
  const auto code = [=](WarpBuilder& w) {
    Rng rng(seed);
    prologue(w);
    const Label top = w.here();
    for (std::uint32_t step = 0; step < steps; ++step) {
      w.jump(top);
      w.emit("LDG.E.64", 2, {2}, Strided{kA + rng.below(kSpan / 128) * 128, 0}, 1);
      w.emit("IADD3", 11, {11, 255}, 1);
      w.emit("ISETP.NE.AND", kNoDst, {11}, 1);
      w.emit("BRA", kNoDst, {}, step + 1 < steps ? 1 : 0);
    }
    w.emit("STG.E.64", kNoDst, {4, 2}, Strided{kC, 0}, 1);
    w.emit("EXIT");
  };
  Plan plan = one_kernel("_Z5chasePPvi", {}, {32, 1, 1}, 16, 0, code);
  place(plan, "list", kA, kSpan, false);
  place(plan, "result", kC, 8, false);
  return plan;
}

Plan build_gather(const Arguments& arguments, const Dialect&) {
  constexpr std::uint64_t kSpan = std::uint64_t{32} << 20;
  const std::uint32_t ctas = std::max(1U, scaled(arguments.fraction("scale"), 480));
  const std::uint64_t seed = arguments.number("seed");
  const auto code = [=](WarpBuilder& w) {
    const std::uint64_t first = w.cta_number() * 256 + w.warp() * 32;
    Rng rng(seed + w.global_warp() * 0x9E37'79B9);
    prologue(w);
    w.emit("IMAD.WIDE", 4, {6, 7});
    for (std::uint32_t g = 0; g < 4; ++g) {
      LaneAddresses lanes;
      std::ranges::generate(lanes, [&] { return kA + rng.below(kSpan / 4) * 4; });
      w.emit("LDG.E", 8, {4}, Strided{kB + (first + std::uint64_t{g} * ctas * 256) * 4, 4});
      w.emit("IMAD.WIDE", 10 + 2 * g, {8, 7});
      w.emit("LDG.E", 20 + g, {10 + 2 * g}, lanes);
      w.emit("FADD", 19, {19, 20 + g});
    }
    w.emit("STG.E", kNoDst, {6, 19}, Strided{kC + first * 4, 4});
    w.emit("EXIT");
  };
  Plan plan = one_kernel("_Z6gatherPKfPKiPf", {ctas, 1, 1}, {256, 1, 1}, 24, 0, code);
  place(plan, "table", kA, kSpan, false);
  place(plan, "index", kB, std::uint64_t{ctas} * 4096, true);
  place(plan, "result", kC, std::uint64_t{ctas} * 1024, false);
  return plan;
}

void emit_reduce(WarpBuilder& w) {
  const std::uint64_t offset = (w.cta_number() * 512 + w.warp() * 32) * 4;
  const std::uint32_t warp = w.warp();
  const Strided own{std::uint64_t{warp} * 128, 4};
  prologue(w);
  w.emit("IMAD.WIDE", 4, {6, 7});
  w.emit("LDG.E", 2, {4}, Strided{kA + offset, 4});
  w.emit("LDG.E", 3, {4}, Strided{kA + offset + 1024, 4});
  w.emit("FADD", 2, {2, 3});
  w.emit("STS", kNoDst, {8, 2}, own);
  for (std::uint32_t step = 128; step >= 1; step /= 2) {
    const std::uint32_t mask = first_lanes(step > warp * 32 ? step - warp * 32 : 0);
    w.emit("BAR.SYNC");
    w.emit("ISETP.GE.AND", kNoDst, {6});
    w.emit("BSSY");
    w.emit("LDS.U", 9, {8}, Strided{own.base + std::uint64_t{step} * 4, 4}, mask);
    w.emit("LDS.U", 10, {8}, own, mask);
    w.emit("FADD", 10, {9, 10}, mask);
    w.emit("STS", kNoDst, {8, 10}, own, mask);
    w.emit("BSYNC");
  }
  w.emit("BAR.SYNC");
  const std::uint32_t first = warp == 0 ? 1 : 0;
  w.emit("LDS.U", 9, {255}, Strided{0, 0}, first);
  w.emit("RED.E.ADD.F32.FTZ.RN.STRONG.GPU", kNoDst, {4, 9}, Strided{kC, 0}, first);
  w.emit("EXIT");
}

Plan build_reduce(const Arguments& arguments, const Dialect&) {
  const std::uint32_t ctas = std::max(1U, scaled(arguments.fraction("scale"), 1024));
  Plan plan = one_kernel("_Z6reducePKfPf", {ctas, 1, 1}, {256, 1, 1}, 20, 1024, emit_reduce);
  place(plan, "data", kA, std::uint64_t{ctas} * 2048, true);
  place(plan, "sum", kC, 4, false);
  return plan;
}

Plan build_stencil(const Arguments& arguments, const Dialect& dialect) {
  constexpr std::uint32_t kColumns = 64;  // CTAs in x
  constexpr std::int64_t kPitch = kColumns * 32 * 4;
  const std::uint32_t rows = std::max(1U, scaled(arguments.fraction("scale"), 24));
  const std::string_view load = dialect.sm() >= 75 ? "LDG.E.CONSTANT" : "LDG.E.CONSTANT.SYS";
  const auto code = [=](WarpBuilder& w) {
    const std::uint64_t row = std::uint64_t{w.cta().y} * 8 + w.warp() + 1;
    const std::uint64_t offset = row * kPitch + std::uint64_t{w.cta().x} * 128;
    prologue(w);
    w.emit("S2R", 5);
    w.emit("S2R", 7);
    w.emit("IMAD", 5, {5, 255, 7});
    w.emit("ISETP.LT.AND", kNoDst, {5});
    w.emit("IMAD.WIDE", 4, {6, 7});
    unsigned reg = 10;
    for (const std::int64_t neighbour :
         {std::int64_t{0}, std::int64_t{-4}, std::int64_t{4}, -kPitch, kPitch}) {
      w.emit(load, reg++, {4}, Strided{kA + offset + static_cast<std::uint64_t>(neighbour), 4});
    }
    w.emit("FMUL", 9, {10});
    for (unsigned n = 1; n < 5; ++n) {
      w.emit("FFMA", 9, {10 + n, 255, 9});
    }
    w.emit("LEA", 2, {6, 3});
    w.emit("LEA.HI.X", 3, {6, 3});
    w.emit("STG.E", kNoDst, {2, 9}, Strided{kC + offset, 4});
    w.emit("EXIT");
  };
  Plan plan = one_kernel("_Z7stencilPKfPfi", {kColumns, rows, 1}, {32, 8, 1}, 24, 0, code);
  // One row more at each side, as the neighbours above and below need.
  const std::uint64_t bytes = (std::uint64_t{rows} * 8 + 2) * kPitch;
  place(plan, "in", kA, bytes, true);
  place(plan, "out", kC, bytes, false);
  return plan;
}

Plan build_ffma(const Arguments& arguments, const Dialect&) {
  constexpr std::uint32_t kRounds = 3;
  const std::uint32_t ctas = std::max(1U, scaled(arguments.fraction("scale"), 480));
  const auto code = [](WarpBuilder& w) {
    const std::uint64_t offset = (w.cta_number() * 256 + w.warp() * 32) * 4;
    prologue(w);
    const Label top = w.here();
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      w.jump(top);
      for (std::uint32_t j = 0; j < 64; ++j) {
        const std::uint32_t reg = 10 + j % 8;
        w.emit("FFMA", reg, {reg, 4, 5});
      }
      w.emit("IADD3", 11, {3, 255});
      w.emit("ISETP.NE.AND", kNoDst, {3});
      w.emit("BRA", kNoDst, {}, round + 1 < kRounds ? kAllLanes : 0);
    }
    w.emit("STG.E", kNoDst, {6, 10}, Strided{kC + offset, 4});
    w.emit("EXIT");
  };
  Plan plan = one_kernel("_Z4ffmaPff", {ctas, 1, 1}, {256, 1, 1}, 32, 0, code);
  place(plan, "out", kC, std::uint64_t{ctas} * 1024, false);
  return plan;
}

/// C = A * B, fp16 in, fp32 accumulate; CTA tile 128 x 128 x 32, eight warps of 64 x 32.
struct GemmShape {
  std::uint32_t k_tiles = 1;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  bool volta = false;

  void operator()(WarpBuilder& w) const {
    prologue(w);
    for (unsigned r = 0; r < 4; ++r) {
      w.emit("IMAD.WIDE", 20 + 2 * r, {6, 7, 2});
    }
    const Label top = w.here();
    for (std::uint32_t tile = 0; tile < k_tiles; ++tile) {
      w.jump(top);
      fetch(w, tile);
      w.emit("BAR.SYNC");
      for (unsigned half = 0; half < 2; ++half) {
        multiply(w, half);
      }
      w.emit("IADD3", 11, {11, 255});
      w.emit("ISETP.GE.AND", kNoDst, {11});
      w.emit("BAR.SYNC");
      w.emit("BRA", kNoDst, {}, tile + 1 < k_tiles ? kAllLanes : 0);
    }
    store(w);
    w.emit("EXIT");
  }

 private:
  void fetch(WarpBuilder& w, std::uint32_t tile) const {
    const std::uint64_t row0 = std::uint64_t{w.cta().y} * 128;
    const std::uint64_t column0 = std::uint64_t{w.cta().x} * 128;
    LaneAddresses lanes;
    for (unsigned r = 0; r < 2; ++r) {  // A: 128 rows of 64 bytes, four lanes a row
      for (std::uint64_t lane = 0; lane < 32; ++lane) {
        const std::uint64_t row = row0 + r * 64 + w.warp() * 8 + lane / 4;
        lanes[lane] = kA + (row * k + std::uint64_t{tile} * 32) * 2 + lane % 4 * 16;
      }
      w.emit("LDG.E.128", 40 + 4 * r, {20 + 2 * r}, lanes);
    }
    for (unsigned r = 0; r < 2; ++r) {  // B: 32 rows of 256 bytes, sixteen lanes a row
      for (std::uint64_t lane = 0; lane < 32; ++lane) {
        const std::uint64_t row = std::uint64_t{tile} * 32 + r * 16 + w.warp() * 2 + lane / 16;
        lanes[lane] = kB + (row * n + column0) * 2 + lane % 16 * 16;
      }
      w.emit("LDG.E.128", 48 + 4 * r, {24 + 2 * r}, lanes);
    }
    for (unsigned r = 0; r < 4; ++r) {
      w.emit("STS.128", kNoDst, {8, 40 + 4 * r}, Strided{r * 4096 + w.warp() * 512, 16});
    }
  }

  void multiply(WarpBuilder& w, unsigned half) const {
    const std::uint64_t warp_m = w.warp() & 1;
    const std::uint64_t warp_n = w.warp() >> 1;
    for (unsigned m = 0; m < 4; ++m) {
      w.emit(volta ? "LDS.U.128" : "LDSM.16.M88.4", 60 + 4 * m, {9},
             Strided{warp_m * 4096 + m * 1024 + half * 512, 16});
    }
    for (unsigned column = 0; column < 2; ++column) {
      w.emit(volta ? "LDS.U.128" : "LDSM.16.MT88.4", 76 + 4 * column, {10},
             Strided{8192 + warp_n * 2048 + column * 1024 + half * 512, 16});
    }
    for (unsigned m = 0; m < 4; ++m) {
      for (unsigned column = 0; column < 4; ++column) {
        const unsigned sum = 100 + (m * 4 + column) * 4;
        if (volta) {
          w.emit("HMMA.884.F32.F32.STEP0", sum, {60 + 4 * m, 76 + 2 * column, sum});
          w.emit("HMMA.884.F32.F32.STEP1", sum + 2, {60 + 4 * m, 76 + 2 * column, sum + 2});
        } else {
          w.emit("HMMA.16816.F32", sum, {60 + 4 * m, 76 + 2 * column, sum});
        }
      }
    }
  }

  void store(WarpBuilder& w) const {
    const std::uint64_t row0 = std::uint64_t{w.cta().y} * 128 + (w.warp() & 1) * 64;
    const std::uint64_t column0 = std::uint64_t{w.cta().x} * 128 + (w.warp() >> 1) * 32;
    LaneAddresses lanes;
    for (unsigned m = 0; m < 4; ++m) {
      for (unsigned column = 0; column < 4; ++column) {
        for (std::uint64_t lane = 0; lane < 32; ++lane) {
          const std::uint64_t row = row0 + m * 16 + lane / 4;
          lanes[lane] = kC + (row * n + column0 + column * 8 + lane % 4 * 2) * 4;
        }
        w.emit("STG.E.64", kNoDst, {30, 100 + (m * 4 + column) * 4}, lanes);
      }
    }
  }
};

Plan build_gemm(const Arguments& arguments, const Dialect& dialect) {
  constexpr std::uint32_t kRows = 12;
  const double scale = arguments.fraction("scale");
  const std::uint32_t columns = std::max(1U, scaled(std::min(1.0, 2 * scale), 8));
  // Halves round to even, as the reference does.
  const auto tiles = static_cast<std::uint32_t>(std::max(1.0, std::nearbyint(12 * scale)));
  const GemmShape code{tiles, std::uint64_t{columns} * 128, std::uint64_t{tiles} * 32, dialect.sm() < 80};
  Plan plan = one_kernel("_Z4gemmPK6__halfS1_Pf", {columns, kRows, 1}, {256, 1, 1}, 168, 32'768, code);
  place(plan, "a", kA, kRows * 128 * code.k * 2, true);
  place(plan, "b", kB, code.k * code.n * 2, true);
  place(plan, "c", kC, kRows * 128 * code.n * 4, false);
  return plan;
}

Entry shape(std::string_view name, std::string_view summary, bool random,
            Plan (*build)(const Arguments&, const Dialect&)) {
  Entry entry{name, Group::shape, summary, {real("scale", "1", 16, "size; the published speeds use 0.5")},
              70,   std::nullopt, build};
  if (random) {
    entry.arguments.push_back(integer("seed", 1, 0, ~std::uint64_t{0}, "", "of the random addresses"));
  }
  return entry;
}

}  // namespace

Entry shape_vecadd_entry() { return shape("shape-vecadd", "streams: c = a + b", false, build_vecadd); }
Entry shape_gemm_entry() {
  return shape("shape-gemm", "tensor cores and shared memory: C = A * B in fp16", false, build_gemm);
}
Entry shape_chase_entry() {
  return shape("shape-chase", "one thread, random dependent loads over 64 MiB (published at scale 0.05)",
               true, build_chase);
}
Entry shape_gather_entry() { return shape("shape-gather", "random loads over 32 MiB", true, build_gather); }
Entry shape_reduce_entry() {
  return shape("shape-reduce", "barriers: a tree in shared memory", false, build_reduce);
}
Entry shape_stencil_entry() {
  return shape("shape-stencil", "reuse: five points of a plane", false, build_stencil);
}
Entry shape_ffma_entry() { return shape("shape-ffma", "compute: eight chains of FFMA", false, build_ffma); }

}  // namespace wg::kernels
