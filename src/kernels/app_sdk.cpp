// Kernels in the shapes of NVIDIA's CUDA samples: scalarprod, walsh, histogram, tiles.
#include <algorithm>

#include "kernels/entries.hpp"
#include "kernels/idioms.hpp"

namespace wg::kernels {
namespace {

constexpr std::uint32_t kThreads = 256;

/// Dot products: a CTA takes vectors in turn, adds up 1,024 partial sums and then these in a tree.
struct ScalarProduct {
  static constexpr std::uint64_t kSums = 1024;
  static constexpr std::uint32_t kCtas = 128;
  std::uint64_t vectors = 0;
  std::uint64_t elements = 0;
  std::uint64_t a = 0, b = 0, c = 0;

  void operator()(WarpBuilder& w) const {
    w.emit(w.dialect().parameter(), 1);
    w.emit("S2R", 0);
    w.emit("S2R", 2);
    w.emit("ISETP.GE.AND", kNoDst, {0});
    const std::uint64_t first = w.cta_number();
    w.emit("EXIT", kNoDst, {}, first < vectors ? 0 : kAllLanes);
    if (first >= vectors) {
      return;
    }
    loop(w, 3, (vectors - first + kCtas - 1) / kCtas, [&](std::uint64_t round) {
      const std::uint64_t vector = first + round * kCtas;
      loop(w, 14, kSums / kThreads, [&](std::uint64_t part) { partial_sum(w, vector, part * kThreads); });
      tree(w);
      w.emit(w.dialect().barrier());
      const std::uint32_t one = w.warp() == 0 ? 1 : 0;
      w.emit(w.dialect().shared_load(4), 8, {10}, Strided{0, 0}, one);
      w.emit(w.dialect().store(4), kNoDst, {12, 8}, Strided{c + vector * 4, 0}, one);
    });
    w.emit("EXIT");
  }

 private:
  void partial_sum(WarpBuilder& w, std::uint64_t vector, std::uint64_t from) const {
    const std::uint64_t steps = elements / kSums;
    const std::uint64_t start = (vector * elements + from + std::uint64_t{w.warp()} * 32) * 4;
    w.emit("MOV", 8);
    const auto load = [&](std::uint32_t reg, std::uint64_t step) {
      w.emit(w.dialect().load(4), 16 + reg, {4}, Strided{a + start + step * kSums * 4, 4});
      w.emit(w.dialect().load(4), 20 + reg, {6}, Strided{b + start + step * kSums * 4, 4});
    };
    if (steps >= 4) {  // unrolled by the compiler
      loop(w, 15, steps / 4, [&](std::uint64_t round) {
        element_address(w, 4, 2, 12);
        element_address(w, 6, 2, 12);
        for (std::uint32_t i = 0; i < 4; ++i) {
          load(i, round * 4 + i);
        }
        for (std::uint32_t i = 0; i < 4; ++i) {
          w.emit("FFMA", 8, {16 + i, 20 + i, 8});
        }
      });
    }
    if (steps % 4 != 0) {
      loop(w, 15, steps % 4, [&](std::uint64_t round) {
        element_address(w, 4, 2, 12);
        element_address(w, 6, 2, 12);
        load(0, steps / 4 * 4 + round);
        w.emit("FFMA", 8, {16, 20, 8});
      });
    }
    w.emit(w.dialect().shared_store(4), kNoDst, {10, 8},
           Strided{(from + std::uint64_t{w.warp()} * 32) * 4, 4});
  }

  static void tree(WarpBuilder& w) {
    const std::uint64_t first = std::uint64_t{w.warp()} * 32;
    const Label top = w.here();
    for (std::uint64_t step = kSums / 2; step >= 1; step /= 2) {
      w.jump(top);
      w.emit(w.dialect().barrier());
      w.emit("ISETP.GE.AND", kNoDst, {2});
      loop(w, 15, std::max<std::uint64_t>(1, step / kThreads), [&](std::uint64_t round) {
        const std::uint64_t place = first + round * kThreads;
        const std::uint32_t mask = first_lanes(step > place ? step - place : 0);
        w.emit(w.dialect().shared_load(4), 16, {10}, Strided{(place + step) * 4, 4}, mask);
        w.emit(w.dialect().shared_load(4), 8, {10}, Strided{place * 4, 4}, mask);
        w.emit("FADD", 8, {8, 16}, mask);
        w.emit(w.dialect().shared_store(4), kNoDst, {10, 8}, Strided{place * 4, 4}, mask);
      });
      w.emit(w.dialect().volta_or_later() ? "SHF.R.U32.HI" : "SHR", 17, {17});
      w.emit("ISETP.NE.AND", kNoDst, {17});
      loop_branch(w, step > 1);
    }
  }
};

Plan build_scalarprod(const Arguments& arguments, const Dialect&) {
  Plan plan;
  ScalarProduct code;
  code.vectors = arguments.number("vectors");
  code.elements = arguments.number("elements") / ScalarProduct::kSums * ScalarProduct::kSums;
  const std::uint64_t bytes = code.vectors * code.elements * 4;
  code.a = plan.input("a", bytes);
  code.b = plan.input("b", bytes);
  code.c = plan.buffer("c", code.vectors * 4);
  plan.kernels.push_back({launch("_Z13scalarProdGPUPfS_S_ii", {ScalarProduct::kCtas, 1, 1}, {kThreads, 1, 1},
                                 32, ScalarProduct::kSums * 4),
                          code});
  return plan;
}

/// Four elements of a thread, `stride` elements apart, in place: one radix-4 step of a Walsh transform.
struct WalshStep {
  std::uint64_t data = 0;
  std::uint64_t stride = 0;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t thread = w.cta_number() * kThreads + std::uint64_t{w.warp()} * 32;
    w.emit(w.dialect().parameter(), 1);
    global_index(w, 0, 2);
    w.emit(w.dialect().logic(), 14, {0});
    w.emit(w.dialect().add(), 15, {0, 14});
    LaneAddresses lanes{};
    for (std::uint32_t i = 0; i < 4; ++i) {
      element_address(w, 4 + 2 * i, 15, 12);
      addresses(thread, i, lanes);
      w.emit(w.dialect().load(4), 16 + i, {4 + 2 * i}, lanes);
    }
    for (std::uint32_t i = 0; i < 8; ++i) {
      w.emit("FADD", 20 + i % 4, {16 + i % 4, 16 + (i + 2) % 4});
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
      addresses(thread, i, lanes);
      w.emit(w.dialect().store(4), kNoDst, {4 + 2 * i, 20 + i}, lanes);
    }
    w.emit("EXIT");
  }

 private:
  void addresses(std::uint64_t thread, std::uint64_t part, LaneAddresses& lanes) const {
    for (std::uint64_t lane = 0; lane < lanes.size(); ++lane) {
      const std::uint64_t low = (thread + lane) % stride;
      const std::uint64_t base = ((thread + lane) - low) * 4 + low;
      lanes[lane] = data + (base + part * stride) * 4;
    }
  }
};

/// The rest of the transform, a CTA for 2^log2 elements in shared memory.
struct WalshShared {
  std::uint64_t data = 0;
  std::uint32_t log2 = 0;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t size = std::uint64_t{1} << log2;
    const std::uint64_t threads = size / 4;
    const std::uint64_t first = std::uint64_t{w.warp()} * 32;
    const Strided own{data + (w.cta_number() * size + first) * 4, 4};
    w.emit(w.dialect().parameter(), 1);
    global_index(w, 0, 2);
    element_address(w, 4, 0, 12);
    loop(w, 14, 4, [&](std::uint64_t round) {
      w.emit(w.dialect().load(4), 16, {4}, Strided{own.base + round * threads * 4, 4});
      w.emit(w.dialect().shared_store(4), kNoDst, {10, 16}, Strided{(first + round * threads) * 4, 4});
    });
    const Label top = w.here();
    for (std::uint64_t stride = threads; stride >= 1; stride /= 4) {
      w.jump(top);
      butterfly(w, first, stride);
      loop_branch(w, stride >= 4);
    }
    w.emit(w.dialect().barrier());
    loop(w, 14, 4, [&](std::uint64_t round) {
      w.emit(w.dialect().shared_load(4), 16, {10}, Strided{(first + round * threads) * 4, 4});
      w.emit(w.dialect().store(4), kNoDst, {4, 16}, Strided{own.base + round * threads * 4, 4});
    });
    w.emit("EXIT");
  }

 private:
  static void butterfly(WarpBuilder& w, std::uint64_t first, std::uint64_t stride) {
    w.emit(w.dialect().barrier());
    w.emit(w.dialect().logic(), 15, {0});
    w.emit(w.dialect().add(), 15, {0, 15});
    LaneAddresses lanes{};
    const auto place = [&](std::uint64_t part) {
      for (std::uint64_t lane = 0; lane < lanes.size(); ++lane) {
        const std::uint64_t low = (first + lane) % stride;
        lanes[lane] = (((first + lane) - low) * 4 + low + part * stride) * 4;
      }
    };
    for (std::uint32_t i = 0; i < 4; ++i) {
      place(i);
      w.emit(w.dialect().shared_load(4), 16 + i, {15}, lanes);
    }
    for (std::uint32_t i = 0; i < 8; ++i) {
      w.emit("FADD", 20 + i % 4, {16 + i % 4, 16 + (i + 2) % 4});
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
      place(i);
      w.emit(w.dialect().shared_store(4), kNoDst, {15, 20 + i}, lanes);
    }
  }
};

Plan build_walsh(const Arguments& arguments, const Dialect&) {
  constexpr std::uint32_t kShared = 11;  // at most 2^11 elements in shared memory
  const std::uint32_t log2 = arguments.number32("log2n");
  Plan plan;
  const std::uint64_t size = std::uint64_t{1} << log2;
  const std::uint64_t data = plan.input("data", size * 4);
  std::uint32_t left = log2;
  for (; left > kShared; left -= 2) {
    plan.kernels.push_back(
        {launch("_Z15fwtBatch2KernelPfS_i", {static_cast<std::uint32_t>(size / 4 / kThreads), 1, 1},
                {kThreads, 1, 1}, 32),
         WalshStep{data, (std::uint64_t{1} << left) / 4}});
  }
  const std::uint32_t ctas = std::uint32_t{1} << (log2 - left);
  plan.kernels.push_back({launch("_Z15fwtBatch1KernelPfS_i", {ctas, 1, 1},
                                 {std::uint32_t{1} << (left - 2), 1, 1}, 32, std::uint64_t{4} << left),
                          WalshShared{data, left}});
  return plan;
}

/// 64 bins: each thread counts its bytes in counters of its own in shared memory; then a thread a bin adds
/// up.
struct Histogram {
  static constexpr std::uint32_t kBins = 64;    // threads as well
  static constexpr std::uint64_t kRounds = 15;  // loads of 16 bytes before a byte counter could overflow
  static constexpr std::uint64_t kPerCta = kBins * kRounds * 16;
  std::uint64_t bytes = 0;
  std::uint64_t in = 0;
  std::uint64_t out = 0;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t thread = std::uint64_t{w.warp()} * 32;
    w.emit(w.dialect().parameter(), 1);
    global_index(w, 0, 2);
    loop(w, 14, kRounds, [&](std::uint64_t) {
      w.emit(w.dialect().shared_store(4), kNoDst, {10, kRZ}, Strided{thread * 4, 4});
    });
    w.emit(w.dialect().barrier());
    loop(w, 14, kRounds, [&](std::uint64_t round) {
      const std::uint64_t place = w.cta_number() * kPerCta + (round * kBins + thread) * 16;
      const std::uint32_t inside = first_lanes(bytes > place ? (bytes - place) / 16 : 0);
      element_address(w, 4, 0, 12);
      w.emit(w.dialect().load(16), 16, {4}, Strided{in + place, 16}, inside);
      for (std::uint32_t byte = 0; byte < 16; ++byte) {
        w.emit(w.dialect().logic(), 15, {16 + byte / 4}, inside);
        w.emit(w.dialect().shared_load(4), 20, {15}, Strided{thread * 4, 4}, inside);
        w.emit(w.dialect().add(), 20, {20, kRZ}, inside);
        w.emit(w.dialect().shared_store(4), kNoDst, {15, 20}, Strided{thread * 4, 4}, inside);
      }
    });
    w.emit(w.dialect().barrier());
    loop(w, 14, kBins / 4, [&](std::uint64_t word) {
      w.emit(w.dialect().shared_load(4), 20, {15}, Strided{((thread + word) % kBins) * 4, 4});
      w.emit(w.dialect().add(), 8, {8, 20});
    });
    w.emit(w.dialect().store(4), kNoDst, {12, 8}, Strided{out + (w.cta_number() * kBins + thread) * 4, 4});
    w.emit("EXIT");
  }
};

Plan build_histogram(const Arguments& arguments, const Dialect&) {
  Plan plan;
  Histogram code;
  code.bytes = arguments.number("bytes") / 16 * 16;
  const auto ctas = static_cast<std::uint32_t>((code.bytes + Histogram::kPerCta - 1) / Histogram::kPerCta);
  code.in = plan.input("in", code.bytes);
  code.out = plan.buffer("out", std::uint64_t{ctas} * Histogram::kBins * 4);
  plan.kernels.push_back({launch("_Z17histogram64KernelPjP5uint4j", {ctas, 1, 1}, {Histogram::kBins, 1, 1},
                                 32, std::uint64_t{Histogram::kBins} * Histogram::kBins),
                          code});
  return plan;
}

}  // namespace

Entry scalarprod_entry() {
  return {"scalarprod",
          Group::application,
          "dot products of many pairs of vectors, as NVIDIA's sample",
          {integer("vectors", 256, 1, 1U << 20, "vectors", "pairs"),
           integer("elements", 4096, 1024, 1U << 24, "elements", "of a vector; rounded down to 1,024")},
          20,
          std::nullopt,
          build_scalarprod};
}

Entry walsh_entry() {
  return {"walsh",
          Group::application,
          "fast Walsh transform in place, as NVIDIA's sample: radix-4 steps, then shared memory",
          {integer("log2n", 18, 9, 28, "", "binary logarithm of the length")},
          20,
          std::nullopt,
          build_walsh};
}

Entry histogram_entry() {
  return {"histogram",
          Group::application,
          "64 bins of bytes, as NVIDIA's sample",
          {integer("bytes", 1U << 24, 16, std::uint64_t{1} << 32, "bytes", "data; rounded down to 16")},
          20,
          std::nullopt,
          build_histogram};
}

}  // namespace wg::kernels
