// Microbenchmarks of global and constant memory: pointer chase, bandwidth, constant loads.
#include <algorithm>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "kernels/entries.hpp"
#include "kernels/idioms.hpp"
#include "kernels/micro.hpp"

namespace wg::kernels {
namespace {

constexpr Reg kCounter = 10;

/// A footprint that the first level holds, one that the second holds and the first cannot, one beyond both.
std::uint64_t footprint_of(std::string_view level, const Dialect& dialect) {
  if (level == "l1") {
    return std::uint64_t{12} << 10;
  }
  if (level == "l2") {
    return (dialect.sm() < 30 ? std::uint64_t{512} : std::uint64_t{1024}) << 10;
  }
  return std::uint64_t{1} << 30;
}

/// Where the chase goes; `random` visits elements with repetition, so it needs no table.
struct Walk {
  std::uint64_t base = 0;
  std::uint64_t elements = 1;
  std::uint64_t stride = 0;
  bool random = false;
  Rng rng{0};
  std::uint64_t place = 0;

  std::uint64_t next() {
    const std::uint64_t element = random ? rng.below(elements) : place++ % elements;
    return base + element * stride;
  }
};

/// Loads every element once with whole warps and waits for the last load.
void warm_up(WarpBuilder& w, const Walk& walk) {
  const std::uint64_t rounds = (walk.elements + 31) / 32;
  loop(w, kCounter, rounds, [&](std::uint64_t round) {
    const std::uint64_t first = round * 32;
    w.emit(w.dialect().load(4), 8, {4},
           Strided{walk.base + first * walk.stride, static_cast<std::int64_t>(walk.stride)},
           first_lanes(walk.elements - first));
  });
  w.emit(w.dialect().add(), 2, {2, 8});
}

Plan build_chase(const Arguments& arguments, const Dialect& dialect) {
  const std::string& level = arguments.word("level");
  const std::uint64_t given = arguments.number("footprint");
  const std::uint64_t footprint = given != 0 ? given : footprint_of(level, dialect);
  const std::uint64_t stride = arguments.number("stride");
  if (footprint < stride) {
    throw Error(Problem{"footprint", "at least one stride", std::to_string(footprint), ""});
  }
  const std::string& warm_word = arguments.word("warmup");
  const bool warm = warm_word == "yes" || (warm_word == "auto" && level != "dram");
  check_records(steps_of_warp(arguments) + (warm ? footprint / stride / 8 : 0));
  const CacheOp cache = level == "l2" ? CacheOp::l2 : CacheOp::all;
  const std::uint32_t unroll = arguments.number32("unroll");
  const std::uint64_t iterations = arguments.number("iterations");
  Plan plan;
  const Walk start{plan.buffer("list", footprint),
                   footprint / stride,
                   stride,
                   arguments.is("order", "random"),
                   Rng(arguments.number("seed")),
                   0};
  const auto code = [=](WarpBuilder& w) {
    w.emit(w.dialect().parameter(), 1);
    w.emit("MOV", 2);
    w.emit("MOV", 4);
    Walk walk = start;
    if (warm) {
      warm_up(w, walk);
    }
    loop(w, kCounter, iterations, [&](std::uint64_t) {
      for (std::uint32_t step = 0; step < unroll; ++step) {
        w.emit(w.dialect().load(8, cache), 2, {2}, Strided{walk.next(), 0}, 1);
      }
    });
    w.emit("EXIT");
  };
  plan.kernels.push_back({launch("chase", {}, {32, 1, 1}, 16), code});
  return plan;
}

/// Where the accesses of `bandwidth` go.
struct Stream {
  std::uint64_t base = 0;
  std::uint64_t footprint = 0;  ///< of the grid, or of a CTA when `per_cta`
  bool per_cta = false;
  std::uint32_t width = 4;

  /// First byte of access `number` of this warp: warps side by side, then around the footprint.
  [[nodiscard]] std::uint64_t address(const WarpBuilder& w, std::uint64_t number,
                                      std::uint64_t grid_warps) const {
    const std::uint64_t bytes = std::uint64_t{32} * width;
    if (per_cta) {
      return base + w.cta_number() * footprint + (w.warp() + number * w.warps()) * bytes % footprint;
    }
    return base + (w.global_warp() + number * grid_warps) * bytes % footprint;
  }
};

std::uint64_t bytes_of_grid(const Arguments& arguments) {
  return steps_of_warp(arguments) * arguments.number("ctas") * arguments.number("warps") * 32 *
         arguments.number("width");
}

Stream stream_of(const Arguments& arguments, const Dialect& dialect, Plan& plan, std::string_view name) {
  const std::string& level = arguments.word("level");
  Stream stream;
  stream.width = static_cast<std::uint32_t>(arguments.number("width"));
  stream.per_cta = level == "l1";
  const std::uint64_t warp_bytes = std::uint64_t{32} * stream.width;
  const std::uint64_t given = arguments.number("footprint");
  if (given != 0) {
    stream.footprint = given;
  } else {
    stream.footprint = level == "dram" ? bytes_of_grid(arguments) : footprint_of(level, dialect);
  }
  if (stream.footprint < warp_bytes || stream.footprint % warp_bytes != 0) {
    throw Error(Problem{"footprint",
                        "a multiple of " + std::to_string(warp_bytes) + " bytes, one warp's access",
                        std::to_string(stream.footprint), ""});
  }
  stream.base = plan.buffer(name, stream.footprint * (stream.per_cta ? arguments.number("ctas") : 1));
  return stream;
}

Plan build_bandwidth(const Arguments& arguments, const Dialect& dialect) {
  const std::uint32_t unroll = arguments.number32("unroll");
  const std::uint64_t iterations = arguments.number("iterations");
  const std::uint32_t ctas = arguments.number32("ctas");
  const std::uint32_t warps = arguments.number32("warps");
  const bool load = !arguments.is("op", "store");
  check_records(steps_of_warp(arguments) * warps);
  Plan plan;
  const Stream stream = stream_of(arguments, dialect, plan, "data");
  const std::uint64_t grid_warps = std::uint64_t{ctas} * warps;
  const CacheOp cache = arguments.is("level", "l2") ? CacheOp::l2 : CacheOp::all;
  const auto code = [=](WarpBuilder& w) {
    w.emit(w.dialect().parameter(), 1);
    global_index(w, 0, 2);
    element_address(w, 4, 0, 6);
    const std::string_view mnemonic =
        load ? w.dialect().load(stream.width, cache) : w.dialect().store(stream.width);
    std::uint64_t number = 0;
    loop(w, kCounter, iterations, [&](std::uint64_t) {
      for (std::uint32_t step = 0; step < unroll; ++step) {
        const Strided lanes{stream.address(w, number++, grid_warps), stream.width};
        const Reg data = 12 + 4 * (step % 8);
        if (load) {
          w.emit(mnemonic, data, {4}, lanes);
        } else {
          w.emit(mnemonic, kNoDst, {4, data}, lanes);
        }
      }
    });
    w.emit("EXIT");
  };
  plan.kernels.push_back({launch("bandwidth", {ctas, 1, 1}, {warps * 32, 1, 1}, 44), code});
  return plan;
}

Plan build_constant(const Arguments& arguments, const Dialect&) {
  const std::uint64_t stride = arguments.number("stride");
  check_records(steps_of_warp(arguments));
  const std::uint64_t elements = std::max<std::uint64_t>(1, arguments.number("footprint") / stride);
  const std::uint32_t unroll = arguments.number32("unroll");
  const std::uint64_t iterations = arguments.number("iterations");
  Plan plan;
  const auto code = [=](WarpBuilder& w) {
    w.emit(w.dialect().parameter(), 1);
    w.emit("MOV", 2);
    std::uint64_t number = 0;
    loop(w, kCounter, iterations, [&](std::uint64_t) {
      for (std::uint32_t step = 0; step < unroll; ++step) {
        w.emit("LDC", 2, {2}, Strided{number++ % elements * stride, 0});
      }
    });
    w.emit("EXIT");
  };
  plan.kernels.push_back({launch("constant", {}, {32, 1, 1}, 12), code});
  return plan;
}

Argument footprint() {
  return integer("footprint", 0, 0, std::uint64_t{1} << 36, "bytes",
                 "memory touched; 0 = what the level needs");
}

}  // namespace

Entry chase_entry() {
  return {"chase",
          Group::microbenchmark,
          "latency of dependent global loads by one thread",
          {choice("level", {"l2", "l1", "dram"}, "which level shall serve the loads"), footprint(),
           integer("stride", 128, 8, 1U << 20, "bytes", "distance of elements"),
           choice("order", {"random", "stride"}, "how the elements follow each other"),
           choice("warmup", {"auto", "yes", "no"}, "load every element first; auto = unless level is dram"),
           unroll_argument(64), iterations_argument(4),
           integer("seed", 1, 0, ~std::uint64_t{0}, "", "of the random order")},
          20,
          Measure{"iterations", 4, 20, "dependent load", false, steps_of_warp},
          build_chase};
}

Entry bandwidth_entry() {
  return {"bandwidth",
          Group::microbenchmark,
          "bytes per cycle of streaming accesses by the whole grid",
          {choice("level", {"dram", "l2", "l1"}, "which level shall serve the accesses"), footprint(),
           choice("width", {"16", "8", "4"}, "bytes per lane and access"),
           choice("op", {"load", "store"}, "direction"),
           integer("ctas", 528, 1, 65'536, "CTAs", "grid size; 1 with level=l1 gives the figure of one SM"),
           integer("warps", 8, 1, 32, "warps", "warps of a CTA"), unroll_argument(8), iterations_argument(2)},
          20,
          Measure{"iterations", 2, 6, "byte", true, bytes_of_grid},
          build_bandwidth};
}

Entry constant_entry() {
  return {"constant",
          Group::microbenchmark,
          "latency of dependent constant loads",
          {integer("footprint", 1024, 4, 65'536, "bytes", "constants touched"),
           integer("stride", 64, 4, 65'536, "bytes", "distance of loads"), unroll_argument(64),
           iterations_argument(4)},
          20,
          Measure{"iterations", 4, 20, "dependent load", false, steps_of_warp},
          build_constant};
}

}  // namespace wg::kernels
