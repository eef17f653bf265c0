#include "trace/accumulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "trace/block_header.hpp"

namespace wg::trace {
namespace {

std::vector<UnknownOpcode> sorted(const std::map<std::string, std::uint64_t, std::less<>>& counts) {
  std::vector<UnknownOpcode> out;
  for (const auto& [mnemonic, count] : counts) {
    out.push_back({mnemonic, count});
  }
  std::sort(out.begin(), out.end(), [](const UnknownOpcode& a, const UnknownOpcode& b) {
    return a.count != b.count ? a.count > b.count : a.mnemonic < b.mnemonic;
  });
  return out;
}

std::string place_of(const CtaTrace& cta, const isa::StaticInst& info) {
  return fmt::format("block {} PC {:04x}", text_of(cta.index), info.pc);
}

}  // namespace

void Footprint::touch(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t last = (address + std::max<std::uint64_t>(bytes, 1) - 1) / kLineBytes;
  for (std::uint64_t line = address / kLineBytes; line <= last; ++line) {
    if (line == last_) {
      continue;
    }
    last_ = line;
    if (lines_.size() < cap_) {
      lines_.insert(line);
    } else if (exact_ && !lines_.contains(line)) {
      exact_ = false;
    }
  }
}

Accumulator::Accumulator(const KernelHeader& header, const CtaDecoder& decoder, std::uint64_t footprint_cap)
    : header_(header), decoder_(decoder), footprint_(footprint_cap), want_footprint_(footprint_cap > 0) {}

void Accumulator::add(const CtaBlob& blob, const CtaTrace& cta) {
  ++counts_.ctas;
  counts_.text_bytes += blob.text.size();
  by_inst_.resize(decoder_.instructions().size());
  for (const WarpTrace& warp : cta.warps) {
    add_warp(cta, warp);
  }
}

void Accumulator::add_warp(const CtaTrace& cta, const WarpTrace& warp) {
  const std::uint32_t threads = std::min(32U, header_.threads_per_cta() - 32 * warp.warp);
  const std::uint32_t no_thread = threads == 32 ? 0 : ~std::uint32_t{0} << threads;
  ++counts_.warps;
  counts_.empty_warps += warp.count == 0 ? 1U : 0U;
  const bool ends =
      warp.count == 0 ||
      decoder_.instructions()[cta.insts[warp.first + warp.count - 1].inst].cls == isa::InstClass::exit;
  counts_.unfinished_warps += ends ? 0U : 1U;
  counts_.min_warp_instructions = std::min<std::uint64_t>(counts_.min_warp_instructions, warp.count);
  counts_.max_warp_instructions = std::max<std::uint64_t>(counts_.max_warp_instructions, warp.count);
  counts_.warp_instructions += warp.count;
  for (const DynInst& inst : std::span(cta.insts).subspan(warp.first, warp.count)) {
    ++by_inst_[inst.inst];
    counts_.thread_instructions += static_cast<std::uint64_t>(std::popcount(inst.mask));
    counts_.predicated_off += inst.mask == 0 ? 1U : 0U;
    if ((inst.mask & no_thread) != 0) {
      if (stray_lanes_++ == 0) {
        first_stray_ = place_of(cta, decoder_.instructions()[inst.inst]);
      }
    }
    if (inst.address != DynInst::kNoAddress) {
      ++counts_.memory_instructions;
      add_accesses(cta, inst, decoder_.instructions()[inst.inst]);
    }
  }
}

void Accumulator::add_accesses(const CtaTrace& cta, const DynInst& inst, const isa::StaticInst& info) {
  const bool global = info.space == isa::Space::global || info.space == isa::Space::generic;
  const AddressForm form = cta.form(inst);
  const auto lanes = static_cast<std::uint32_t>(std::popcount(inst.mask));
  const bool checks_alignment = std::has_single_bit(std::uint32_t{info.width});
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t address = form.at(lane);
    if (checks_alignment && address % info.width != 0) {
      if (misaligned_++ == 0) {
        first_misaligned_ = place_of(cta, info);
      }
    }
    if (want_footprint_ && global && !(info.space == isa::Space::generic && in_window(address))) {
      footprint_.touch(address, info.width);
    }
  }
}

bool Accumulator::in_window(std::uint64_t address) const {
  const auto inside = [address](std::uint64_t base) {
    return base != 0 && address - base < KernelHeader::kWindowBytes;
  };
  return inside(header_.shared_base) || inside(header_.local_base);
}

KernelSummary Accumulator::result() const {
  KernelSummary out = counts_;
  std::map<std::string, std::uint64_t, std::less<>> unknown;
  for (std::size_t i = 0; i < by_inst_.size(); ++i) {
    const isa::StaticInst& info = decoder_.instructions()[i];
    out.by_class[static_cast<std::size_t>(info.cls)] += by_inst_[i];
    if (!info.known && by_inst_[i] > 0) {
      unknown[std::string(decoder_.mnemonic(static_cast<std::uint32_t>(i)))] += by_inst_[i];
    }
  }
  out.static_instructions = by_inst_.size();
  out.min_warp_instructions = out.warps == 0 ? 0 : out.min_warp_instructions;
  out.footprint_lines = footprint_.lines();
  out.footprint_exact = want_footprint_ && footprint_.exact();
  out.unknown = sorted(unknown);
  return out;
}

std::vector<UnknownOpcode> unknown_opcodes(const CtaDecoder& decoder) {
  std::map<std::string, std::uint64_t, std::less<>> unknown;
  const std::span<const isa::StaticInst> insts = decoder.instructions();
  for (std::size_t i = 0; i < insts.size(); ++i) {
    if (!insts[i].known) {
      ++unknown[std::string(decoder.mnemonic(static_cast<std::uint32_t>(i)))];
    }
  }
  return sorted(unknown);
}

}  // namespace wg::trace
