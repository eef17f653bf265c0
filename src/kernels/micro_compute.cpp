// Microbenchmarks of the execution pipes: latency of dependent and rate of independent instructions.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "kernels/entries.hpp"
#include "kernels/idioms.hpp"
#include "kernels/micro.hpp"
#include "kernels/operations.hpp"

namespace wg::kernels {
namespace {

constexpr Reg kCounter = 2;

std::uint64_t steps_of_grid(const Arguments& arguments) {
  return steps_of_warp(arguments) * arguments.number("warps") * arguments.number("ctas");
}

std::uint32_t registers_for(const Operation& operation, std::uint32_t accumulators) {
  return kAccumulators + std::max<std::uint32_t>(1, operation.result) * accumulators;
}

std::uint32_t register_limit(const Dialect& dialect) { return dialect.sm() < 35 ? 63 : 255; }

void set_inputs(WarpBuilder& w) {
  w.emit(w.dialect().parameter(), 1);
  for (unsigned reg = kCounter.number; reg < 8; ++reg) {
    w.emit("MOV", reg);
  }
}

Plan build_chain(const Arguments& arguments, const Dialect& dialect) {
  const Operation& operation = find_operation(arguments.word("op"), dialect);
  const std::uint32_t chains = arguments.number32("chains") * operation.steps;
  const std::uint32_t unroll = arguments.number32("unroll");
  const std::uint64_t iterations = arguments.number("iterations");
  check_records(unroll * iterations * chains * arguments.number("warps"));
  const std::uint32_t registers = registers_for(operation, chains);
  if (registers > register_limit(dialect)) {
    throw Error(Problem{"chains", "accumulators that fit the registers of a thread",
                        std::to_string(arguments.number("chains")), "use fewer chains"});
  }
  Plan plan;
  const auto code = [operation, chains, unroll, iterations](WarpBuilder& w) {
    set_inputs(w);
    loop(w, kCounter, iterations, [&](std::uint64_t) {
      for (std::uint32_t step = 0; step < unroll; ++step) {
        for (std::uint32_t chain = 0; chain < chains; ++chain) {
          emit_operation(w, operation, chain, chain);
        }
      }
    });
    w.emit("EXIT");
  };
  plan.kernels.push_back({launch("chain", {arguments.number32("ctas"), 1, 1},
                                 {arguments.number32("warps") * 32, 1, 1}, registers),
                          code});
  return plan;
}

Plan build_throughput(const Arguments& arguments, const Dialect& dialect) {
  const Operation& operation = find_operation(arguments.word("op"), dialect);
  const std::uint32_t warps = arguments.number32("warps");
  check_records(steps_of_warp(arguments) * warps);
  const bool group = operation.form == OperandForm::wgmma;
  if (group && warps % 4 != 0) {
    throw Error(Problem{"warps", "a multiple of 4, whole warpgroups", std::to_string(warps), ""});
  }
  const std::uint32_t width = std::max<std::uint32_t>(1, operation.result);
  const std::uint32_t per_warp = std::min(register_limit(dialect), 65'536 / (warps * 32)) - kAccumulators;
  const std::uint32_t fit = per_warp / width;
  const std::uint32_t wanted = arguments.number32("independent");
  const std::uint32_t independent = wanted != 0 ? wanted : std::min(8U, fit);
  if (independent == 0 || independent > fit) {
    throw Error(Problem{"independent", fmt::format("at most {} accumulators of {} registers", fit, width),
                        std::to_string(independent), "use fewer, or fewer warps"});
  }
  const std::uint32_t unroll = arguments.number32("unroll");
  const std::uint64_t iterations = arguments.number("iterations");
  Plan plan;
  const auto code = [=](WarpBuilder& w) {
    set_inputs(w);
    loop(w, kCounter, iterations, [&](std::uint64_t) {
      if (group) {
        w.emit("WARPGROUP.ARRIVE");
      }
      for (std::uint32_t step = 0; step < unroll; ++step) {
        emit_operation(w, operation, step, step % independent);
      }
      if (group) {
        w.emit("WARPGROUP.DEPBAR.LE");
      }
    });
    w.emit("EXIT");
  };
  plan.kernels.push_back({launch("throughput", {arguments.number32("ctas"), 1, 1}, {warps * 32, 1, 1},
                                 registers_for(operation, independent)),
                          code});
  return plan;
}

/// Sources that change every instruction, so that no operand-reuse cache can hide the register file.
void emit_banked(WarpBuilder& w, std::string_view mnemonic, std::uint32_t place, bool conflict) {
  const std::uint32_t quad = 16 + 4 * (place % 4);
  const std::uint32_t odd = conflict ? 0 : 1;
  w.emit(mnemonic, 64 + place % 8, {quad, quad + 16 + odd, quad + 32 + 2 * odd});
}

Plan build_register_banks(const Arguments& arguments, const Dialect&) {
  const std::string mnemonic = arguments.word("op");
  check_records(steps_of_warp(arguments) * arguments.number("warps"));
  const bool conflict = arguments.is("conflict", "yes");
  const std::uint32_t unroll = arguments.number32("unroll");
  const std::uint64_t iterations = arguments.number("iterations");
  Plan plan;
  const auto code = [=](WarpBuilder& w) {
    set_inputs(w);
    loop(w, kCounter, iterations, [&](std::uint64_t) {
      for (std::uint32_t step = 0; step < unroll; ++step) {
        emit_banked(w, mnemonic, step, conflict);
      }
    });
    w.emit("EXIT");
  };
  plan.kernels.push_back({launch("register_banks", {}, {arguments.number32("warps") * 32, 1, 1}, 72), code});
  return plan;
}

Plan build_icache(const Arguments& arguments, const Dialect&) {
  const std::uint32_t instructions = arguments.number32("instructions");
  const std::uint64_t iterations = arguments.number("iterations");
  check_records(instructions * iterations * arguments.number("warps"));
  Plan plan;
  const auto code = [=](WarpBuilder& w) {
    set_inputs(w);
    loop(w, kCounter, iterations, [&](std::uint64_t) {
      for (std::uint32_t place = 0; place < instructions; ++place) {
        const std::uint32_t reg = kAccumulators + place % 8;
        w.emit("FFMA", reg, {reg, 4, 5});
      }
    });
    w.emit("EXIT");
  };
  plan.kernels.push_back({launch("icache", {}, {arguments.number32("warps") * 32, 1, 1}, 24), code});
  return plan;
}

}  // namespace

Entry chain_entry() {
  return {"chain",
          Group::microbenchmark,
          "latency: each instruction needs the result of the one before",
          {choice("op", operation_names(true), "the instruction"), unroll_argument(256),
           iterations_argument(4), integer("chains", 1, 1, 16, "chains", "independent chains, interleaved"),
           warps_argument(1), ctas_argument()},
          20,
          Measure{"iterations", 4, 12, "dependent instruction", false, steps_of_warp},
          build_chain};
}

Entry throughput_entry() {
  return {
      "throughput",
      Group::microbenchmark,
      "rate: independent instructions from many warps",
      {choice("op", operation_names(false), "the instruction"), warps_argument(32), ctas_argument(),
       integer("independent", 0, 0, 64, "accumulators", "results in flight in a warp; 0 = 8 or what fits"),
       unroll_argument(256), iterations_argument(2)},
      20,
      Measure{"iterations", 2, 6, "warp instruction", true, steps_of_grid},
      build_throughput};
}

Entry register_banks_entry() {
  return {"register-banks",
          Group::microbenchmark,
          "three-source instructions with all sources in one register bank, or spread over banks",
          {choice("op", {"FFMA", "IADD3"}, "the instruction"),
           choice("conflict", {"no", "yes"}, "all three sources from one bank"), warps_argument(4),
           unroll_argument(256), iterations_argument(2)},
          50,
          Measure{"iterations", 2, 6, "instruction of a warp", false, steps_of_warp},
          build_register_banks};
}

Entry icache_entry() {
  return {"icache",
          Group::microbenchmark,
          "straight-line code of a chosen length in a loop: instruction fetch",
          {integer("instructions", 1024, 1, 1U << 18, "instructions", "length of the body"),
           iterations_argument(4), warps_argument(1)},
          20,
          Measure{"iterations", 4, 12, "instruction of a warp", false,
                  [](const Arguments& arguments) {
                    return arguments.number("instructions") * arguments.number("iterations");
                  }},
          build_icache};
}

}  // namespace wg::kernels
