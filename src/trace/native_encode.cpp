#include "trace/native_encode.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "trace/native_offsets.hpp"

namespace wg::trace::native {
namespace {

/// First address and stride of an access; of a list its smallest address.
AddressForm lowest(const AddressForm& form) {
  if (form.strided || form.list.empty()) {
    return {true, form.base, form.stride, {}};
  }
  return {false, *std::ranges::min_element(form.list), 0, form.list};
}

unsigned bytes_for(std::uint64_t value) { return static_cast<unsigned>(std::bit_width(value) + 7) / 8; }

}  // namespace

void CtaColumns::clear() {
  warp_runs.clear();
  stretches.clear();
  masks.clear();
  codes.clear();
  values.clear();
  lists.clear();
  addresses = 0;
}

void CtaEncoder::encode(const CtaTrace& cta, CtaColumns& out) {
  out_ = &out;
  out.clear();
  if (cta.warps.size() != header_.warps_per_cta()) {
    throw std::logic_error("a CTA without all of its warps");
  }
  predictor_.begin_cta(header_.warps_per_cta());
  for (const WarpTrace& warp : cta.warps) {
    encode_warp(cta, warp);
  }
}

void CtaEncoder::encode_warp(const CtaTrace& cta, const WarpTrace& warp) {
  const std::span<const DynInst> insts(cta.insts.data() + warp.first, warp.count);
  const std::size_t before = out_->stretches.size();
  for (std::size_t i = 0; i < insts.size();) {
    const std::uint32_t start = number_of(cta, insts[i]);
    const std::uint32_t mask = insts[i].mask;
    std::uint32_t length = 0;
    do {
      if (slots_[start + length] != 0) {
        write_access(cta, insts[i], slots_[start + length] - 1, warp.warp);
      } else if (insts[i].address != DynInst::kNoAddress) {
        throw std::logic_error("addresses on an instruction that has none");
      }
      ++length;
      ++i;
    } while (i < insts.size() && insts[i].mask == mask && number_of(cta, insts[i]) == start + length);
    out_->stretches.push_back(stretch_number(start, length));
    out_->masks.push_back(mask);
  }
  out_->warp_runs.push_back(out_->stretches.size() - before);
}

std::uint32_t CtaEncoder::number_of(const CtaTrace& cta, const DynInst& inst) {
  if (inst.inst >= numbers_.size()) {
    numbers_.resize(decoder_.instructions().size(), 0);
  }
  std::uint32_t& number = numbers_.at(inst.inst);
  if (number == 0) {
    add_static(cta, inst);
    number = static_cast<std::uint32_t>(table_.statics.size());
  }
  return number - 1;
}

void CtaEncoder::add_static(const CtaTrace& cta, const DynInst& inst) {
  const isa::RawInst raw = decoder_.spelling(inst.inst);
  StaticEntry entry{.pc = raw.pc,
                    .first_register = static_cast<std::uint32_t>(table_.registers.size()),
                    .destinations = static_cast<std::uint32_t>(raw.dst.size()),
                    .sources = static_cast<std::uint32_t>(raw.src.size()),
                    .imm = raw.imm,
                    .line = raw.line,
                    .has_address = raw.has_address,
                    .traced_width = raw.traced_width};
  table_.registers.insert(table_.registers.end(), raw.dst.begin(), raw.dst.end());
  table_.registers.insert(table_.registers.end(), raw.src.begin(), raw.src.end());
  const auto [name, added] =
      names_.try_emplace(std::string(raw.mnemonic), static_cast<std::uint32_t>(table_.names.size()));
  if (added) {
    table_.names.push_back(name->first);
  }
  entry.name = name->second;
  if (raw.has_address) {
    if (inst.address != DynInst::kNoAddress) {
      const AddressForm form = lowest(cta.form(inst));
      entry.base = form.base;
      entry.stride = form.stride;
    }
    predictor_.add(entry.base, entry.stride);
  }
  slots_.push_back(raw.has_address ? ++slot_count_ : 0);
  table_.statics.push_back(entry);
}

std::uint32_t CtaEncoder::stretch_number(std::uint32_t start, std::uint32_t length) {
  const auto [found, added] = stretches_.try_emplace(std::uint64_t{start} << 32 | length,
                                                     static_cast<std::uint32_t>(table_.stretches.size()));
  if (added) {
    table_.stretches.push_back({start, length});
  }
  return found->second;
}

void CtaEncoder::write_access(const CtaTrace& cta, const DynInst& inst, std::uint32_t slot_number,
                              std::uint32_t warp) {
  const auto code = [this](unsigned high, unsigned low) {
    out_->codes.byte(static_cast<std::uint8_t>(high << 4 | low));
  };
  if (inst.address == DynInst::kNoAddress) {
    return code(static_cast<unsigned>(AccessForm::none), 0);
  }
  const AddressForm raw = cta.form(inst);
  const AddressForm form = lowest(raw);
  const AddressPredictor::Cta predictor = predictor_.cta();
  AddressPredictor::Slot& slot = predictor.at(slot_number);
  const std::uint64_t missed = form.base - predictor.predict(slot, warp);
  const std::uint64_t difference = zigzag(missed);
  const unsigned width = bytes_for(difference);
  predictor.next(slot, warp, missed);
  ByteWriter& values = out_->values;
  values.bytes(difference, width);
  out_->addresses += raw.strided ? 2 : raw.list.size();
  if (!raw.strided) {
    std::uint64_t any = 0;
    for (const std::uint64_t address : raw.list) {
      any |= address - form.base;
    }
    const OffsetPacking packing = packing_for(any);
    code(static_cast<unsigned>(AccessForm::listed), width);
    values.byte(static_cast<std::uint8_t>(packing.shift << 4 | packing.width));
    write_offsets(raw.list, form.base, packing, out_->lists);
  } else if (form.stride != slot.stride) {
    const std::uint64_t stride = zigzag(static_cast<std::uint64_t>(form.stride));
    const unsigned stride_width = std::max(bytes_for(stride), 1U);
    code(stride_width, width);
    values.bytes(stride, stride_width);
    slot.stride = form.stride;
  } else {
    code(0, width);
  }
}

}  // namespace wg::trace::native
