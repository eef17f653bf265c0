#include "kernels/idioms.hpp"

namespace wg::kernels {

void global_index(WarpBuilder& w, Reg index, Reg scratch) {
  const Reg thread = scratch.number + 1;
  w.emit("S2R", index);  // block
  w.emit("S2R", thread);
  const std::uint32_t sm = w.dialect().sm();
  if (sm >= 50 && sm < 70) {  // a 32-bit product from three 16-bit ones
    w.emit("XMAD", scratch, {index, kRZ, thread});
    w.emit("XMAD.MRG", index, {index, kRZ});
    w.emit("XMAD.PSL.CBCC", index, {index, index, scratch});
  } else {
    w.emit("IMAD", index, {index, kRZ, thread});
  }
}

void element_address(WarpBuilder& w, Reg dst, Reg index, Reg base) {
  if (w.dialect().volta_or_later()) {
    w.emit("IMAD.WIDE", dst, {index, base});
    return;
  }
  const Reg high = dst.number + 1;
  w.emit("SHL", dst, {index});
  w.emit("SHR", high, {index});
  w.emit("IADD", dst, {dst, base});
  w.emit("IADD.X", high, {high, base});
}

void exit_outside(WarpBuilder& w, Reg index, std::uint32_t inside) {
  w.emit("ISETP.GE.AND", kNoDst, {index});
  w.emit("EXIT", kNoDst, {}, ~inside);
}

void loop_count(WarpBuilder& w, Reg counter) {
  w.emit(w.dialect().add(), counter, {counter, kRZ});
  w.emit("ISETP.NE.AND", kNoDst, {counter});
}

void loop_branch(WarpBuilder& w, bool again) { w.emit("BRA", kNoDst, {}, again ? kAllLanes : 0); }

void elementwise_prologue(WarpBuilder& w, std::uint32_t inside) {
  w.emit(w.dialect().parameter(), 1);
  global_index(w, 0, 2);
  exit_outside(w, 0, inside);
}

}  // namespace wg::kernels
