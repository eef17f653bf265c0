// Short instruction sequences that every kernel contains: index arithmetic, the bounds check, the loop's end.
#pragma once

#include "kernels/warp_builder.hpp"

namespace wg::kernels {

/// index = block index * block size + thread index. Overwrites `scratch` and `scratch + 1`.
void global_index(WarpBuilder& w, Reg index, Reg scratch);

/// 64-bit address of element `index` into the pair `dst`: one IMAD.WIDE from Volta on, a shift and two adds
/// with carry before.
void element_address(WarpBuilder& w, Reg dst, Reg index, Reg base);

/// Compares `index` with the bound and lets the lanes outside `inside` leave the kernel.
void exit_outside(WarpBuilder& w, Reg index, std::uint32_t inside);

/// Counts and compares at the top of a loop body, where compilers put it: the result is ready at the branch.
void loop_count(WarpBuilder& w, Reg counter);
/// Branches back when `again`.
void loop_branch(WarpBuilder& w, bool again);

/// Runs `body(round)` `rounds` times (at least once) over the same code.
template <class Body>
void loop(WarpBuilder& w, Reg counter, std::uint64_t rounds, const Body& body) {
  const Label top = w.here();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    w.jump(top);
    loop_count(w, counter);
    body(round);
    loop_branch(w, round + 1 < rounds);
  }
}

/// Parameter, global index into R0 and the bounds check that all elementwise kernels begin with.
void elementwise_prologue(WarpBuilder& w, std::uint32_t inside);

}  // namespace wg::kernels
