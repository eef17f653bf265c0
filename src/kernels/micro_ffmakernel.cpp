// The FFMA kernels that were recorded and timed on an H100 PCIe: the same static code, registers and launch.
// On SM versions before Hopper the few instructions that they lack take the spelling of that time.
#include "kernels/entries.hpp"
#include "kernels/idioms.hpp"
#include "kernels/micro.hpp"

namespace wg::kernels {
namespace {

constexpr std::uint32_t kRegisters = 24;
constexpr std::uint32_t kLoopFfmas = 128;  // in one round of the loop
constexpr std::uint64_t kLoopInstructions = kLoopFfmas + 4;
constexpr std::uint32_t kStraightFfmas = 19;  // after the first, in the kernel without a loop
constexpr std::int32_t kFactor = 1'073'742'663;
constexpr std::int32_t kStraightFactor = 1'077'937'386;

/// Spellings that are not the same everywhere.
struct Spelling {
  explicit Spelling(const Dialect& dialect)
      : parameter(dialect.parameter()),
        zero(dialect.has_uniform() ? "HFMA2.MMA" : "MOV"),
        uniform_move(dialect.has_uniform() ? "UMOV" : "MOV"),
        uniform_add(dialect.has_uniform() ? "UIADD3" : dialect.add()) {}
  std::string_view parameter;
  std::string_view zero;
  std::string_view uniform_move;
  std::string_view uniform_add;
};

void emit_loop_kernel(WarpBuilder& w, std::uint64_t iterations) {
  const Spelling spelling(w.dialect());
  w.emit(spelling.parameter, 1);
  w.emit(spelling.parameter, 2);
  w.emit("ISETP.GE.AND", kNoDst, {2}, kAllLanes, 1);
  w.emit("EXIT", kNoDst, {}, 0);
  w.emit(spelling.zero, 3, {kRZ, kRZ});
  w.emit(spelling.uniform_move);
  const Label top = w.here();
  for (std::uint64_t round = 0; round < iterations; ++round) {
    w.jump(top);
    w.emit("MOV", 0, {}, kAllLanes, kFactor);
    w.emit(spelling.uniform_add, kNoDst, {}, kAllLanes, 1);
    w.emit("FFMA", 3, {3, 0});
    w.emit("ISETP.LE.AND", kNoDst, {2});
    for (std::uint32_t i = 1; i < kLoopFfmas; ++i) {
      w.emit("FFMA", 3, {3, 0});
    }
    w.emit("BRA", kNoDst, {}, round + 1 < iterations ? kAllLanes : 0, 96);
  }
  w.emit("FSETP.NEU.AND", kNoDst, {3, kRZ});
  w.emit("EXIT");
}

void emit_straight_kernel(WarpBuilder& w) {
  const Spelling spelling(w.dialect());
  w.emit(spelling.parameter, 1);
  w.emit(spelling.zero, 3, {kRZ, kRZ}, kAllLanes, 2);
  w.emit("MOV", 0, {}, kAllLanes, kStraightFactor);
  w.emit("FFMA", 0, {3, 0});
  for (std::uint32_t i = 0; i < kStraightFfmas; ++i) {
    w.emit("FFMA", 0, {0, 3});
  }
  w.emit("FSETP.NEU.AND", kNoDst, {0, kRZ});
  w.emit("EXIT");
}

Plan build(const Arguments& arguments, const Dialect&) {
  const bool straight = arguments.is("variant", "straight");
  const std::uint64_t iterations = arguments.number("iterations");
  check_records(iterations * kLoopInstructions * ((arguments.number("block") + 31) / 32));
  Plan plan;
  const auto code = [=](WarpBuilder& w) {
    if (straight) {
      emit_straight_kernel(w);
    } else {
      emit_loop_kernel(w, iterations);
    }
  };
  plan.kernels.push_back(
      {launch(straight ? "_Z10ffmaKernelv" : "_Z10ffmaKerneli", {arguments.number32("grid"), 1, 1},
              {arguments.number32("block"), 1, 1}, kRegisters),
       code});
  return plan;
}

}  // namespace

Entry ffmakernel_entry() {
  return {"ffmakernel",
          Group::microbenchmark,
          "the FFMA kernels recorded on an H100: dependent FFMA, in a loop or straight",
          {choice("variant", {"loop", "straight"}, "loop: 128 FFMA a round; straight: 20 FFMA, no loop"),
           integer("iterations", 10, 1, 1'000'000, "rounds", "rounds of the loop"),
           integer("grid", 1, 1, 1U << 22, "CTAs", "grid size"),
           integer("block", 32, 1, 1024, "threads", "threads of a CTA")},
          20,
          Measure{"iterations", 10, 30, "instruction", false,
                  [](const Arguments& arguments) {
                    return arguments.is("variant", "loop")
                               ? arguments.number("iterations") * kLoopInstructions
                               : 0;
                  }},
          build};
}

}  // namespace wg::kernels
