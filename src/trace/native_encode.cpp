#include "trace/native_encode.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace wg::trace::native {
namespace {

constexpr std::uint32_t kMostShift = 15;

/// First address and stride of an access; of a list its smallest address.
AddressForm lowest(const AddressForm& form) {
  if (form.strided || form.list.empty()) {
    return {true, form.base, form.stride, {}};
  }
  return {false, *std::ranges::min_element(form.list), 0, form.list};
}

}  // namespace

void CtaEncoder::encode(const CtaTrace& cta, CtaColumns& out) {
  out_ = &out;
  out.runs.clear();
  out.accesses.clear();
  out.lists.clear();
  recent_ = {};
  recent_next_ = 0;
  predictor_.begin_cta();
  if (cta.warps.size() != header_.warps_per_cta()) {
    throw std::logic_error("a CTA without all of its warps");
  }
  for (const WarpTrace& warp : cta.warps) {
    encode_warp(cta, {cta.insts.data() + warp.first, warp.count});
  }
}

void CtaEncoder::encode_warp(const CtaTrace& cta, std::span<const DynInst> insts) {
  predictor_.begin_warp();
  runs_.clear();
  mask_ = kFullMask;
  expected_ = 0;
  std::uint64_t runs = 0;
  for (std::size_t i = 0; i < insts.size();) {
    const std::uint32_t start = number_of(cta, insts[i]);
    const std::uint32_t mask = insts[i].mask;
    std::uint32_t length = 0;
    do {
      if (slots_[start + length] != 0) {
        write_access(cta, insts[i], slots_[start + length] - 1);
      } else if (insts[i].address != DynInst::kNoAddress) {
        throw std::logic_error("addresses on an instruction that has none");
      }
      ++length;
      ++i;
    } while (i < insts.size() && insts[i].mask == mask && number_of(cta, insts[i]) == start + length);
    write_run(start, length, mask, runs_);
    ++runs;
  }
  out_->runs.number(runs);
  out_->runs.raw(runs_.view());
}

std::uint32_t CtaEncoder::number_of(const CtaTrace& cta, const DynInst& inst) {
  if (inst.inst >= numbers_.size()) {
    numbers_.resize(decoder_.instructions().size(), 0);
  }
  std::uint32_t& number = numbers_.at(inst.inst);
  if (number == 0) {
    StaticEntry& entry = statics_.emplace_back();
    const isa::RawInst raw = decoder_.spelling(inst.inst);
    entry.spelling = {raw.pc,
                      std::string(raw.mnemonic),
                      {raw.dst.begin(), raw.dst.end()},
                      {raw.src.begin(), raw.src.end()},
                      raw.has_address,
                      raw.traced_width,
                      raw.imm,
                      raw.line};
    if (raw.has_address) {
      if (inst.address != DynInst::kNoAddress) {
        const AddressForm form = lowest(cta.form(inst));
        entry.base = form.base;
        entry.stride = form.stride;
      }
      predictor_.add(entry.base, entry.stride);
    }
    slots_.push_back(raw.has_address ? ++slot_count_ : 0);
    number = static_cast<std::uint32_t>(statics_.size());
  }
  return number - 1;
}

void CtaEncoder::write_run(std::uint32_t start, std::uint32_t length, std::uint32_t mask, ByteWriter& out) {
  MaskForm form = MaskForm::given;
  const auto known = std::ranges::find(recent_, mask);
  if (mask == mask_) {
    form = MaskForm::same;
  } else if (mask == kFullMask) {
    form = MaskForm::full;
  } else if (known != recent_.end()) {
    form = MaskForm::recent;
  }
  const std::uint64_t jump = zigzag(std::uint64_t{start} - expected_);
  out.number(jump << 2 | static_cast<std::uint64_t>(form));
  out.number(length);
  if (form == MaskForm::recent) {
    out.byte(static_cast<std::uint8_t>(known - recent_.begin()));
  } else if (form == MaskForm::given) {
    out.word(mask);
    recent_[recent_next_++ % kRecentMasks] = mask;
  }
  mask_ = mask;
  expected_ = start + length;
}

void CtaEncoder::write_access(const CtaTrace& cta, const DynInst& inst, std::uint32_t slot_number) {
  ByteWriter& out = out_->accesses;
  if (inst.address == DynInst::kNoAddress) {
    out.byte(static_cast<std::uint8_t>(AccessForm::none));
    return;
  }
  const AddressForm raw = cta.form(inst);
  const AddressForm form = lowest(raw);
  AddressPredictor::Slot& slot = predictor_.at(slot_number);
  const std::uint64_t difference = form.base - predictor_.predict(slot);
  predictor_.update(slot, form.base);
  if (!raw.strided) {
    out.byte(static_cast<std::uint8_t>(AccessForm::listed));
    out.difference(difference);
    write_list(raw.list, form.base);
  } else if (form.stride != slot.stride) {
    out.byte(static_cast<std::uint8_t>(AccessForm::strided));
    out.difference(difference);
    out.difference(static_cast<std::uint64_t>(form.stride));
    slot.stride = form.stride;
  } else if (difference != 0) {
    out.byte(static_cast<std::uint8_t>(AccessForm::based));
    out.difference(difference);
  } else {
    out.byte(static_cast<std::uint8_t>(AccessForm::predicted));
  }
}

void CtaEncoder::write_list(std::span<const std::uint64_t> list, std::uint64_t least) {
  std::uint64_t any = 0;
  for (const std::uint64_t address : list) {
    any |= address - least;
  }
  const std::uint32_t shift =
      any == 0 ? 0 : std::min(kMostShift, static_cast<std::uint32_t>(std::countr_zero(any)));
  const std::uint32_t width = static_cast<std::uint32_t>(std::bit_width(any >> shift) + 7) / 8;
  out_->accesses.byte(static_cast<std::uint8_t>(shift << 4 | width));
  for (const std::uint64_t address : list) {
    const std::uint64_t offset = (address - least) >> shift;
    for (std::uint32_t byte = 0; byte < width; ++byte) {
      out_->lists.byte(static_cast<std::uint8_t>(offset >> (8 * byte)));
    }
  }
}

}  // namespace wg::trace::native
