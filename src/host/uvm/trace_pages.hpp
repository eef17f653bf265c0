// The pages that warp instructions of a trace touch. Private to this room.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "host/uvm/page_mask.hpp"
#include "trace/workload.hpp"

namespace wg::host::uvm {

/// Calls `touch(page, write)` for the pages of one instruction on global memory, each once. `pages` is
/// scratch.
template <class Touch>
void pages_of(const trace::KernelHeader& kernel, const trace::CtaTrace& cta, const trace::DynInst& inst,
              const isa::StaticInst& what, std::vector<std::uint64_t>& pages, Touch&& touch) {
  constexpr std::uint64_t kWindow = trace::KernelHeader::kWindowBytes;
  const bool memory = what.cls == isa::InstClass::load || what.cls == isa::InstClass::store ||
                      what.cls == isa::InstClass::atomic || what.cls == isa::InstClass::reduction ||
                      what.cls == isa::InstClass::ldgsts;
  const bool global = what.space == isa::Space::global || what.space == isa::Space::generic;
  if (!memory || !global || inst.mask == 0 || inst.address == trace::DynInst::kNoAddress) {
    return;
  }
  const trace::AddressForm form = cta.form(inst);
  const std::uint64_t address = form.at(0);
  if (what.space == isa::Space::generic &&
      (address - kernel.shared_base < kWindow || address - kernel.local_base < kWindow)) {
    return;
  }
  const auto lanes = static_cast<std::uint32_t>(std::popcount(inst.mask));
  pages.clear();
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    pages.push_back(form.at(lane) / kPageBytes);
  }
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  const bool write = what.cls != isa::InstClass::load && what.cls != isa::InstClass::ldgsts;
  for (const std::uint64_t page : pages) {
    touch(page, write);
  }
}

}  // namespace wg::host::uvm
