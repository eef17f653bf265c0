// The dynamic half of a kernel written as code: appends the records of one warp after the other.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/dialect.hpp"
#include "kernels/program.hpp"
#include "trace/workload.hpp"

namespace wg::kernels {

inline constexpr std::uint32_t kAllLanes = 0xFFFF'FFFF;

/// Addresses base + lane * stride. Lanes that are not active are left out.
struct Strided {
  std::uint64_t base = 0;
  std::int64_t stride = 0;
};
/// One address for each of the 32 lanes; those of inactive lanes are ignored.
using LaneAddresses = std::array<std::uint64_t, 32>;

/// The lanes [first, first + count), clipped to the warp.
constexpr std::uint32_t lane_range(std::uint32_t first, std::uint32_t count) {
  if (first >= 32 || count == 0) {
    return 0;
  }
  const std::uint32_t low = count >= 32 ? kAllLanes : (std::uint32_t{1} << count) - 1;
  return low << first;
}
/// The first `count` lanes; any number of 32 and above means all.
constexpr std::uint32_t first_lanes(std::uint64_t count) {
  return count >= 32 ? kAllLanes : lane_range(0, static_cast<std::uint32_t>(count));
}

/// A place in the code that a loop comes back to.
struct Label {
  std::uint32_t slot = 0;
};

/// Hands a kernel's code the warp it emits for and takes the warp's instructions in program order.
///
/// A slot of the code gets its static instruction at its first emission; later warps and later rounds of a
/// loop only append a record. So the code must emit the same instruction whenever it passes a slot, and
/// reach a slot for the first time only from the slot before it: what a warp does not execute is emitted with
/// mask 0, as a predicated-off instruction is traced.
class WarpBuilder {
 public:
  /// `verify`: compare every emission with what its slot holds (slow, for tests); a difference throws
  /// std::logic_error.
  WarpBuilder(Program& program, const Dialect& dialect, const trace::KernelHeader& header, bool verify);

  // What the code may ask.
  [[nodiscard]] const trace::Dim3& cta() const { return out_->index; }
  [[nodiscard]] std::uint64_t cta_number() const { return cta_number_; }
  [[nodiscard]] std::uint32_t warp() const { return warp_; }  ///< inside the CTA
  [[nodiscard]] std::uint64_t global_warp() const { return cta_number_ * warps_ + warp_; }
  [[nodiscard]] std::uint32_t warps() const { return warps_; }  ///< of a CTA
  [[nodiscard]] std::uint32_t lanes() const { return lanes_; }  ///< threads that exist, as a mask
  [[nodiscard]] const Dialect& dialect() const { return *dialect_; }

  /// An instruction without addresses. The record's mask is `mask` restricted to existing threads.
  void emit(std::string_view mnemonic, Reg dst = kNoDst, Srcs srcs = {}, std::uint32_t mask = kAllLanes,
            std::int32_t imm = 0) {
    pass_slot({mnemonic, dst, srcs, false, imm});
    push({slot_++, mask & lanes_, trace::DynInst::kNoAddress});
  }
  /// A memory instruction with regular addresses.
  void emit(std::string_view mnemonic, Reg dst, Srcs srcs, const Strided& addresses,
            std::uint32_t mask = kAllLanes) {
    pass_slot({mnemonic, dst, srcs, true, 0});
    push_strided(mask & lanes_, addresses);
  }
  /// A memory instruction with one address per lane.
  void emit(std::string_view mnemonic, Reg dst, Srcs srcs, const LaneAddresses& addresses,
            std::uint32_t mask = kAllLanes) {
    pass_slot({mnemonic, dst, srcs, true, 0});
    push_list(mask & lanes_, addresses);
  }

  /// Loops: `const Label top = w.here(); for (...) { w.jump(top); ...body...; w.emit("BRA", ...); }`.
  [[nodiscard]] Label here() const { return {slot_}; }
  void jump(Label label) { slot_ = label.slot; }

  // For the decoder.
  void begin_cta(trace::CtaTrace& out, std::uint64_t number);
  void begin_warp(std::uint32_t warp);
  void end_warp();

 private:
  void pass_slot(const StaticForm& form) {
    if (slot_ >= known_slots_) [[unlikely]] {
      define_slot(form);
    }
  }
  void push(const trace::DynInst& inst) { out_->insts.push_back(inst); }
  void define_slot(const StaticForm& form);
  void push_strided(std::uint32_t mask, const Strided& addresses);
  void push_list(std::uint32_t mask, const LaneAddresses& addresses);

  Program* program_;
  const Dialect* dialect_;
  trace::Dim3 grid_;
  std::uint32_t threads_;
  std::uint32_t warps_;
  bool verify_;
  trace::CtaTrace* out_ = nullptr;
  std::uint64_t cta_number_ = 0;
  std::uint32_t warp_ = 0;
  std::uint32_t lanes_ = kAllLanes;
  std::uint32_t slot_ = 0;
  std::uint32_t known_slots_ = 0;  ///< slots that need no look at the static form; 0 while verifying
};

}  // namespace wg::kernels
