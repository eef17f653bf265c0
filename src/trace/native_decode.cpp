#include "trace/native_decode.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace wg::trace::native {
namespace {

/// Entries of CtaTrace::addresses are numbered in 31 bits, and one instruction adds at most 32.
constexpr std::size_t kMostAddresses = (std::size_t{1} << 31) - 64;

/// `count` numbers of `Width` bytes each; the last are read where reading eight bytes would go too far.
template <unsigned Width>
void unpack(const unsigned char* from, std::size_t count, std::uint64_t least, unsigned shift,
            std::uint64_t* to) {
  constexpr std::uint64_t kMask = Width == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (Width % 8 * 8)) - 1;
  const auto at = [&](std::size_t i) {
    std::uint64_t value = 0;
    std::memcpy(&value, from + i * Width, Width <= 4 ? 4 : 8);
    return least + ((value & kMask) << shift);
  };
  const std::size_t whole = count > 8 ? count - 8 : 0;  // eight more follow, so any read stays inside
  for (std::size_t i = 0; i < whole; ++i) {
    to[i] = at(i);
  }
  for (std::size_t i = whole; i < count; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, from + i * Width, Width);
    to[i] = least + (value << shift);
  }
}

void unpack_any(unsigned width, const unsigned char* from, std::size_t count, std::uint64_t least,
                unsigned shift, std::uint64_t* to) {
  switch (width) {
    case 1:
      return unpack<1>(from, count, least, shift, to);
    case 2:
      return unpack<2>(from, count, least, shift, to);
    case 3:
      return unpack<3>(from, count, least, shift, to);
    case 4:
      return unpack<4>(from, count, least, shift, to);
    case 5:
      return unpack<5>(from, count, least, shift, to);
    case 6:
      return unpack<6>(from, count, least, shift, to);
    case 7:
      return unpack<7>(from, count, least, shift, to);
    case 8:
      return unpack<8>(from, count, least, shift, to);
    default:
      for (std::size_t i = 0; i < count; ++i) {
        to[i] = least;
      }
  }
}

}  // namespace

StaticCode make_static_code(const KernelTable& table, const KernelHeader& header) {
  StaticCode code;
  isa::Generation generation{};
  isa::generation_of(header.binary_version, generation);
  const isa::OpcodeTable& opcodes = isa::table_of(generation);
  const std::size_t count = table.statics.size();
  code.insts.reserve(count);
  code.slots.reserve(count);
  std::uint32_t slot = 0;
  for (const StaticEntry& entry : table.statics) {
    code.insts.push_back(isa::decode(opcodes, entry.spelling.raw(header.tracer_version >= 6)));
    code.slots.push_back(slot);
    slot += entry.spelling.has_address ? 1U : 0U;
  }
  code.next_memory.assign(count + 1, static_cast<std::uint32_t>(count));
  for (std::size_t i = count; i-- > 0;) {
    code.next_memory[i] =
        table.statics[i].spelling.has_address ? static_cast<std::uint32_t>(i) : code.next_memory[i + 1];
  }
  return code;
}

ColumnDecoder::ColumnDecoder(const StaticCode& code, const KernelTable& table, std::uint32_t warps)
    : code_(code), warps_(warps) {
  for (const StaticEntry& entry : table.statics) {
    if (entry.spelling.has_address) {
      predictor_.add(entry.base, entry.stride);
    }
  }
}

void ColumnDecoder::decode(ByteReader& runs, ByteReader& accesses, ByteReader& lists, std::uint64_t insts,
                           CtaTrace& out) {
  out_ = &out;
  accesses_ = &accesses;
  lists_ = &lists;
  recent_ = {};
  recent_next_ = 0;
  predictor_.begin_cta();
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    predictor_.begin_warp();
    mask_ = kFullMask;
    expected_ = 0;
    const std::size_t first = out.insts.size();
    for (std::uint64_t left = runs.number("a number of runs"); left > 0; --left) {
      decode_run(runs, insts - out.insts.size());
    }
    out.warps.push_back(
        {warp, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(out.insts.size() - first)});
  }
  if (out.insts.size() != insts) {
    runs.fail(fmt::format("{} instructions of the CTA", insts), fmt::format("{}", out.insts.size()));
  }
  runs.finish("the CTA's runs");
  accesses.finish("the CTA's accesses");
  lists.finish("the CTA's lists");
}

void ColumnDecoder::decode_run(ByteReader& runs, std::uint64_t most) {
  const std::uint64_t head = runs.number("a run");
  const std::uint64_t length = runs.number("a run's length");
  const std::uint64_t start = expected_ + unzigzag(head >> 2);
  const std::uint64_t count = code_.insts.size();
  if (start >= count || length > count - start || length == 0 || length > most) {
    runs.fail(fmt::format("a run of 1 to {} of {} static instructions", most, count),
              fmt::format("{} from number {}", length, start));
  }
  const std::uint32_t mask = read_mask(runs, static_cast<MaskForm>(head & 3));
  expected_ = start + length;
  CtaTrace& out = *out_;
  const std::size_t first = out.insts.size();
  out.insts.resize(first + length);
  DynInst* const insts = out.insts.data() + first;
  for (std::uint32_t i = 0; i < length; ++i) {
    insts[i] = {static_cast<std::uint32_t>(start) + i, mask, DynInst::kNoAddress};
  }
  const std::uint32_t* const next = code_.next_memory.data();
  for (std::uint64_t at = next[start]; at < expected_; at = next[at + 1]) {
    decode_access(insts[at - start], code_.slots[at]);
  }
}

std::uint32_t ColumnDecoder::read_mask(ByteReader& runs, MaskForm form) {
  switch (form) {
    case MaskForm::same:
      break;
    case MaskForm::full:
      mask_ = kFullMask;
      break;
    case MaskForm::recent:
      mask_ = recent_[runs.number("a recent mask", 0, kRecentMasks - 1)];
      break;
    case MaskForm::given:
      mask_ = runs.word<std::uint32_t>("a mask");
      recent_[recent_next_++ % kRecentMasks] = mask_;
      break;
  }
  return mask_;
}

void ColumnDecoder::decode_access(DynInst& inst, std::uint32_t slot_number) {
  ByteReader& in = *accesses_;
  const std::uint8_t code = in.byte("an access");
  if (code > static_cast<std::uint8_t>(AccessForm::none)) {
    in.fail("an access of form 0 to 4", fmt::format("{}", code));
  }
  const auto form = static_cast<AccessForm>(code);
  if (form == AccessForm::none) {
    return;
  }
  AddressPredictor::Slot& slot = predictor_.at(slot_number);
  std::uint64_t base = predictor_.predict(slot);
  if (form != AccessForm::predicted) {
    base += in.difference("an address");
  }
  predictor_.update(slot, base);
  if (out_->addresses.size() > kMostAddresses) {
    in.fail("at most 2^31 addresses in one CTA", "more");
  }
  if (form == AccessForm::listed) {
    decode_list(inst, base);
    return;
  }
  if (form == AccessForm::strided) {
    slot.stride = static_cast<std::int64_t>(in.difference("a stride"));
  }
  out_->add_strided(inst, base, slot.stride);
}

void ColumnDecoder::decode_list(DynInst& inst, std::uint64_t least) {
  const std::uint8_t packing = accesses_->byte("the packing of a list");
  const unsigned width = packing & 0xFU;
  if (width > 8) {
    accesses_->fail("offsets of 0 to 8 bytes", fmt::format("{}", width));
  }
  const auto count = static_cast<std::size_t>(std::popcount(inst.mask));
  const unsigned char* const from = lists_->take(count * width, "the offsets of a list");
  std::array<std::uint64_t, 32> lanes{};
  unpack_any(width, from, count, least, packing >> 4, lanes.data());
  out_->add_list(inst, {lanes.data(), count});
}

}  // namespace wg::trace::native
