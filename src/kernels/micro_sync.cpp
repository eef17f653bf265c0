// Microbenchmarks of shared memory, atomics, barriers and CTA launch.
#include <algorithm>

#include "base/error.hpp"
#include "kernels/entries.hpp"
#include "kernels/idioms.hpp"
#include "kernels/micro.hpp"

namespace wg::kernels {
namespace {

constexpr Reg kCounter = 10;

Argument width() { return choice("width", {"4", "8", "16"}, "bytes per lane and access"); }

std::uint32_t width_of(const Arguments& arguments) {
  return static_cast<std::uint32_t>(arguments.number("width"));
}

/// `step(i)` emits instruction i of the body.
template <class Step>
std::function<void(WarpBuilder&)> repeated(const Arguments& arguments, Step step) {
  check_records(steps_of_warp(arguments) * arguments.number("warps"));
  return
      [step, unroll = arguments.number32("unroll"), rounds = arguments.number("iterations")](WarpBuilder& w) {
        w.emit(w.dialect().parameter(), 1);
        w.emit("S2R", 2);
        w.emit("SHL", 4, {2});
        loop(w, kCounter, rounds, [&](std::uint64_t) {
          for (std::uint32_t i = 0; i < unroll; ++i) {
            step(w, i);
          }
        });
        w.emit("EXIT");
      };
}

/// Dependent loads with `stride` bytes between lanes.
Plan shared_chain(const Arguments& arguments, std::string_view name, std::uint32_t stride) {
  Plan plan;
  const std::uint32_t width = width_of(arguments);
  const auto step = [=](WarpBuilder& w, std::uint32_t) {
    w.emit(w.dialect().shared_load(width), 4, {4}, Strided{0, stride});
  };
  plan.kernels.push_back(
      {launch(name, {}, {arguments.number32("warps") * 32, 1, 1}, 16, std::uint64_t{31} * stride + width),
       repeated(arguments, step)});
  return plan;
}

Plan build_shared_latency(const Arguments& arguments, const Dialect&) {
  return shared_chain(arguments, "shared_latency", width_of(arguments));
}

Plan build_shared_conflict(const Arguments& arguments, const Dialect&) {
  return shared_chain(arguments, "shared_conflict", arguments.number32("stride") * width_of(arguments));
}

Plan build_shared_bandwidth(const Arguments& arguments, const Dialect&) {
  Plan plan;
  const std::uint32_t width = width_of(arguments);
  const std::uint32_t warps = arguments.number32("warps");
  const bool load = arguments.is("op", "load");
  const auto step = [=](WarpBuilder& w, std::uint32_t i) {
    const Strided lanes{std::uint64_t{w.warp()} * 32 * width, width};
    const Reg data = 12 + 4 * (i % 4);
    if (load) {
      w.emit(w.dialect().shared_load(width), data, {4}, lanes);
    } else {
      w.emit(w.dialect().shared_store(width), kNoDst, {4, data}, lanes);
    }
  };
  plan.kernels.push_back(
      {launch("shared_bandwidth", {}, {warps * 32, 1, 1}, 28, std::uint64_t{warps} * 32 * width),
       repeated(arguments, step)});
  return plan;
}

std::uint64_t shared_bytes_moved(const Arguments& arguments) {
  return steps_of_warp(arguments) * arguments.number("warps") * 32 * arguments.number("width");
}

std::string_view atomic_mnemonic(const Arguments& arguments, const Dialect& dialect) {
  if (arguments.is("space", "global")) {
    return arguments.is("op", "red") ? dialect.global_reduction() : dialect.global_atomic();
  }
  if (arguments.is("op", "red")) {
    throw Error(Problem{"op", "atom with space=shared", "red", "shared memory has no RED instruction"});
  }
  if (!dialect.has_shared_atomics()) {
    throw Error(Problem{"space=shared", "sm_50 or later", "sm_" + std::to_string(dialect.sm()),
                        "earlier GPUs lock shared memory in a loop"});
  }
  return "ATOMS.ADD";
}

Plan build_atomic(const Arguments& arguments, const Dialect& dialect) {
  Plan plan;
  const std::string_view mnemonic = atomic_mnemonic(arguments, dialect);
  const bool spread = arguments.is("pattern", "spread");
  const bool shared = arguments.is("space", "shared");
  const bool result = arguments.is("op", "atom");
  const std::uint32_t lanes = lane_range(0, arguments.number32("lanes"));
  const std::uint32_t warps = arguments.number32("warps");
  const std::uint32_t ctas = arguments.number32("ctas");
  const std::uint64_t bytes = std::uint64_t{128} * warps * (shared ? 1 : ctas);
  const std::uint64_t base = shared ? 0 : plan.buffer("counters", bytes);
  const auto step = [=](WarpBuilder& w, std::uint32_t) {
    const std::uint64_t line = (shared ? w.warp() : w.global_warp()) * 128;
    const Strided place = spread ? Strided{base + line, 4} : Strided{base, 0};
    w.emit(mnemonic, result ? Reg{6} : kNoDst, {4, 6}, place, lanes);
  };
  plan.kernels.push_back({launch("atomic", {ctas, 1, 1}, {warps * 32, 1, 1}, 16, shared ? bytes : 0),
                          repeated(arguments, step)});
  return plan;
}

Plan build_barrier(const Arguments& arguments, const Dialect&) {
  Plan plan;
  const auto step = [](WarpBuilder& w, std::uint32_t) { w.emit(w.dialect().barrier()); };
  plan.kernels.push_back(
      {launch("barrier", {arguments.number32("ctas"), 1, 1}, {arguments.number32("warps") * 32, 1, 1}, 16),
       repeated(arguments, step)});
  return plan;
}

Plan build_empty(const Arguments& arguments, const Dialect&) {
  Plan plan;
  const auto code = [](WarpBuilder& w) {
    w.emit(w.dialect().parameter(), 1);
    w.emit("EXIT");
  };
  plan.kernels.push_back(
      {launch("empty", {arguments.number32("grid"), 1, 1}, {arguments.number32("block"), 1, 1}, 8), code});
  return plan;
}

}  // namespace

Entry shared_latency_entry() {
  return {"shared-latency",
          Group::microbenchmark,
          "latency of dependent shared loads without bank conflicts",
          {width(), warps_argument(1), unroll_argument(256), iterations_argument(4)},
          20,
          Measure{"iterations", 4, 12, "dependent load", false, steps_of_warp},
          build_shared_latency};
}

Entry shared_conflict_entry() {
  return {
      "shared-conflict",
      Group::microbenchmark,
      "latency of dependent shared loads whose lanes are a stride apart",
      {integer("stride", 2, 0, 32, "accesses", "distance of lanes in units of width; 2 = two-way at width 4"),
       width(), warps_argument(1), unroll_argument(256), iterations_argument(4)},
      20,
      Measure{"iterations", 4, 12, "dependent load", false, steps_of_warp},
      build_shared_conflict};
}

Entry shared_bandwidth_entry() {
  return {"shared-bandwidth",
          Group::microbenchmark,
          "bytes per cycle of conflict-free shared accesses of one SM",
          {width(), choice("op", {"load", "store"}, "direction"), warps_argument(32), unroll_argument(256),
           iterations_argument(1)},
          20,
          Measure{"iterations", 1, 3, "byte", true, shared_bytes_moved},
          build_shared_bandwidth};
}

Entry atomic_entry() {
  return {"atomic",
          Group::microbenchmark,
          "integer atomic additions, on one address or spread",
          {choice("op", {"atom", "red"}, "with or without a result; results are chained"),
           choice("space", {"global", "shared"}, "where the counters are"),
           choice("pattern", {"same", "spread"}, "one address for the grid, or one for each lane"),
           integer("lanes", 1, 1, 32, "lanes", "active lanes of a warp"), warps_argument(1), ctas_argument(),
           unroll_argument(64), iterations_argument(4)},
          20,
          Measure{"iterations", 4, 12, "atomic instruction of a warp", false, steps_of_warp},
          build_atomic};
}

Entry barrier_entry() {
  return {"barrier",
          Group::microbenchmark,
          "barriers of a whole CTA with nothing between them",
          {warps_argument(8), ctas_argument(), unroll_argument(64), iterations_argument(2)},
          20,
          Measure{"iterations", 2, 6, "barrier", false, steps_of_warp},
          build_barrier};
}

Entry empty_entry() {
  return {"empty",
          Group::microbenchmark,
          "CTAs that end at once: cost of CTA launch",
          {integer("grid", 4096, 1, 1U << 22, "CTAs", "grid size"),
           integer("block", 256, 1, 1024, "threads", "threads of a CTA")},
          20,
          Measure{"grid", 4096, 16'384, "CTA", false,
                  [](const Arguments& arguments) { return arguments.number("grid"); }},
          build_empty};
}

}  // namespace wg::kernels
