#include "kernels/warp_builder.hpp"

#include <stdexcept>
#include <string>

namespace wg::kernels {

WarpBuilder::WarpBuilder(Program& program, const Dialect& dialect, const trace::KernelHeader& header,
                         bool verify)
    : program_(&program),
      dialect_(&dialect),
      grid_(header.grid),
      threads_(header.threads_per_cta()),
      warps_(header.warps_per_cta()),
      verify_(verify),
      known_slots_(verify ? 0 : program.size()) {}

void WarpBuilder::begin_cta(trace::CtaTrace& out, std::uint64_t number) {
  out_ = &out;
  out.clear();
  cta_number_ = number;
  const std::uint64_t row = number / grid_.x;
  out.index = {static_cast<std::uint32_t>(number % grid_.x), static_cast<std::uint32_t>(row % grid_.y),
               static_cast<std::uint32_t>(row / grid_.y)};
}

void WarpBuilder::begin_warp(std::uint32_t warp) {
  warp_ = warp;
  lanes_ = first_lanes(threads_ - warp * 32);
  slot_ = 0;
  out_->warps.push_back({warp, static_cast<std::uint32_t>(out_->insts.size()), 0});
}

void WarpBuilder::end_warp() {
  trace::WarpTrace& warp = out_->warps.back();
  warp.count = static_cast<std::uint32_t>(out_->insts.size()) - warp.first;
}

void WarpBuilder::define_slot(const StaticForm& form) {
  if (slot_ > program_->size()) {
    throw std::logic_error("a builder kernel jumps over code that it never emitted");
  }
  if (slot_ == program_->size()) {
    program_->append(form);
  } else if (verify_ && !program_->matches(slot_, form)) {
    throw std::logic_error("slot " + std::to_string(slot_) + " of a builder kernel holds " +
                           std::string(program_->mnemonic(slot_)) + ", now emitted as another " +
                           std::string(form.mnemonic));
  }
  known_slots_ = verify_ ? 0 : program_->size();
}

void WarpBuilder::push_strided(std::uint32_t mask, const Strided& addresses) {
  trace::DynInst inst{slot_++, mask, 0};
  if (mask == kAllLanes) {
    out_->add_strided(inst, addresses.base, addresses.stride);
  } else if (mask == 0) {
    out_->add_strided(inst, 0, 0);  // as the tracer writes it
  } else {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint64_t base = addresses.base + static_cast<std::uint64_t>(addresses.stride) * first;
    const bool one_run = (mask >> first & ((mask >> first) + 1)) == 0;
    if (one_run) {
      out_->add_strided(inst, base, addresses.stride);
    } else {
      LaneAddresses list{};
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        list[lane] = addresses.base + static_cast<std::uint64_t>(addresses.stride) * lane;
      }
      --slot_;
      push_list(mask, list);
      return;
    }
  }
  push(inst);
}

void WarpBuilder::push_list(std::uint32_t mask, const LaneAddresses& addresses) {
  trace::DynInst inst{slot_++, mask, 0};
  if (mask == kAllLanes) {
    out_->add_list(inst, addresses);
  } else if (mask == 0) {
    out_->add_strided(inst, 0, 0);
  } else {
    LaneAddresses active{};
    std::size_t count = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      active[count++] = addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    }
    out_->add_list(inst, std::span(active).first(count));
  }
  push(inst);
}

}  // namespace wg::kernels
