// Sum of a vector: each CTA adds 512 elements, in a tree in shared memory or with warp shuffles.
#include "base/error.hpp"
#include "kernels/entries.hpp"
#include "kernels/idioms.hpp"

namespace wg::kernels {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint64_t kPerCta = 2 * kBlock;

struct Reduce {
  std::uint64_t n = 0;
  std::uint64_t in = 0;
  std::uint64_t sum = 0;
  bool shuffle = false;

  void operator()(WarpBuilder& w) const {
    const std::uint64_t first = w.cta_number() * kPerCta + std::uint64_t{w.warp()} * 32;
    const std::string_view load = w.dialect().load(4);
    w.emit(w.dialect().parameter(), 1);
    global_index(w, 0, 2);
    element_address(w, 4, 0, 12);
    w.emit(load, 8, {4}, Strided{in + first * 4, 4}, inside(first));
    w.emit(load, 9, {4}, Strided{in + (first + kBlock) * 4, 4}, inside(first + kBlock));
    w.emit("FADD", 8, {8, 9});
    if (shuffle) {
      shuffle_tree(w);
    } else {
      shared_tree(w);
    }
    w.emit(w.dialect().float_reduction(), kNoDst, {6, 8}, Strided{sum, 0}, w.warp() == 0 ? 1 : 0);
    w.emit("EXIT");
  }

 private:
  [[nodiscard]] std::uint32_t inside(std::uint64_t first) const {
    return first_lanes(n > first ? n - first : 0);
  }

  /// Halves the number of adding threads until one is left; a barrier before each step.
  static void shared_tree(WarpBuilder& w) {
    const Strided own{std::uint64_t{w.warp()} * 128, 4};
    w.emit(w.dialect().shared_store(4), kNoDst, {10, 8}, own);
    for (std::uint32_t step = kBlock / 2; step >= 1; step /= 2) {
      const std::uint32_t first = w.warp() * 32;
      const std::uint32_t mask = first_lanes(step > first ? step - first : 0);
      w.emit(w.dialect().barrier());
      w.emit("ISETP.GE.AND", kNoDst, {3});
      w.emit(w.dialect().shared_load(4), 9, {10}, Strided{own.base + std::uint64_t{step} * 4, 4}, mask);
      w.emit(w.dialect().shared_load(4), 8, {10}, own, mask);
      w.emit("FADD", 8, {9, 8}, mask);
      w.emit(w.dialect().shared_store(4), kNoDst, {10, 8}, own, mask);
    }
  }

  /// Sums a warp by shuffles, then the eight sums in warp 0.
  static void shuffle_tree(WarpBuilder& w) {
    const std::uint32_t first_warp = w.warp() == 0 ? kAllLanes : 0;
    for (std::uint32_t step = 16; step >= 1; step /= 2) {
      w.emit(w.dialect().shuffle_down(), 9, {8});
      w.emit("FADD", 8, {8, 9});
    }
    w.emit(w.dialect().shared_store(4), kNoDst, {10, 8}, Strided{std::uint64_t{w.warp()} * 4, 0}, 1);
    w.emit(w.dialect().barrier());
    w.emit(w.dialect().shared_load(4), 8, {10}, Strided{0, 4}, first_warp & lane_range(0, kBlock / 32));
    for (std::uint32_t step = 4; step >= 1; step /= 2) {
      w.emit(w.dialect().shuffle_down(), 9, {8}, first_warp);
      w.emit("FADD", 8, {8, 9}, first_warp);
    }
  }
};

Plan build(const Arguments& arguments, const Dialect& dialect) {
  Plan plan;
  Reduce code;
  code.n = arguments.number("n");
  code.in = plan.input("in", code.n * 4);
  code.sum = plan.buffer("sum", 4);
  code.shuffle = arguments.is("variant", "shuffle");
  if (code.shuffle && !dialect.has_shuffle()) {
    throw Error(Problem{"variant=shuffle", "sm_30 or later", "sm_" + std::to_string(dialect.sm()),
                        "use variant=shared"});
  }
  const auto ctas = static_cast<std::uint32_t>((code.n + kPerCta - 1) / kPerCta);
  plan.kernels.push_back({launch("_Z6reducePKfPfi", {ctas, 1, 1}, {kBlock, 1, 1}, 16, kBlock * 4), code});
  return plan;
}

}  // namespace

Entry reduce_entry() {
  return {"reduce",
          Group::application,
          "sum of a vector of floats",
          {integer("n", 1U << 18, 1, 1U << 30, "elements", "length of the vector"),
           choice("variant", {"shared", "shuffle"}, "a tree in shared memory, or warp shuffles first")},
          20,
          std::nullopt,
          build};
}

}  // namespace wg::kernels
