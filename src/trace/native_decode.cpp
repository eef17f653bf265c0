#include "trace/native_decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace wg::trace::native {
namespace {

/// Entries of CtaTrace::addresses are numbered in 31 bits, and one instruction adds at most 32.
constexpr std::size_t kMostAddresses = (std::size_t{1} << 31) - 64;

/// Adds `least` to `count` numbers of `Width` bytes times `scale` (a factor costs less than a shift by a
/// variable amount). A whole word is loaded that ends where the number ends, which stays inside for all but
/// the first few.
template <unsigned Width>
void unpack(const unsigned char* from, std::size_t count, std::uint64_t least, std::uint64_t scale,
            std::uint64_t* to) {
  using Word = std::conditional_t<Width <= 4, std::uint32_t, std::uint64_t>;
  constexpr std::size_t kFew = (sizeof(Word) + Width - 1) / Width - 1;
  const std::size_t few = std::min(count, kFew);
  for (std::size_t i = 0; i < few; ++i) {
    std::uint64_t value = 0;
    for (unsigned byte = 0; byte < Width; ++byte) {
      value |= std::uint64_t{from[i * Width + byte]} << (8 * byte);
    }
    to[i] = least + value * scale;
  }
  for (std::size_t i = few; i < count; ++i) {
    Word word = 0;
    std::memcpy(&word, from + (i + 1) * Width - sizeof(Word), sizeof(Word));
    to[i] = least + std::uint64_t{word >> (8 * (sizeof(Word) - Width))} * scale;
  }
}

void unpack_any(unsigned width, const unsigned char* from, std::size_t count, std::uint64_t least,
                std::uint64_t scale, std::uint64_t* to) {
  switch (width) {
    case 1:
      return unpack<1>(from, count, least, scale, to);
    case 2:
      return unpack<2>(from, count, least, scale, to);
    case 3:
      return unpack<3>(from, count, least, scale, to);
    case 4:
      return unpack<4>(from, count, least, scale, to);
    case 5:
      return unpack<5>(from, count, least, scale, to);
    case 6:
      return unpack<6>(from, count, least, scale, to);
    case 7:
      return unpack<7>(from, count, least, scale, to);
    case 8:
      return unpack<8>(from, count, least, scale, to);
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
  // A run takes two bytes or more, and no run is longer than the code.
  if (insts > runs.left() / 2 * code_.insts.size()) {
    runs.fail(fmt::format("runs of {} instructions", insts), fmt::format("{} bytes", runs.left()));
  }
  out.insts.resize(insts);
  done_ = 0;
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    predictor_.begin_warp();
    mask_ = kFullMask;
    expected_ = 0;
    const std::size_t first = done_;
    for (std::uint64_t left = runs.number("a number of runs"); left > 0; --left) {
      decode_run(runs);
    }
    out.warps.push_back({warp, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(done_ - first)});
  }
  if (done_ != insts) {
    runs.fail(fmt::format("{} instructions of the CTA", insts), fmt::format("{}", done_));
  }
  runs.finish("the CTA's runs");
  accesses.finish("the CTA's accesses");
  lists.finish("the CTA's lists");
}

void ColumnDecoder::decode_run(ByteReader& runs) {
  const std::uint64_t head = runs.number("a run");
  const std::uint64_t length = runs.number("a run's length");
  const std::uint64_t start = expected_ + unzigzag(head >> 2);
  const std::uint64_t count = code_.insts.size();
  const std::uint64_t most = out_->insts.size() - done_;
  if (start >= count || length > count - start || length == 0 || length > most) {
    runs.fail(fmt::format("a run of 1 to {} of {} static instructions", most, count),
              fmt::format("{} from number {}", length, start));
  }
  const std::uint32_t mask = read_mask(runs, static_cast<MaskForm>(head & 3));
  expected_ = start + length;
  DynInst* const insts = out_->insts.data() + done_;
  done_ += length;
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
  std::vector<std::uint64_t>& addresses = out_->addresses;
  const std::size_t first = addresses.size();
  inst.address = static_cast<std::uint32_t>(first) * 2 + 1;
  addresses.resize(first + count);
  unpack_any(width, from, count, least, std::uint64_t{1} << (packing >> 4), addresses.data() + first);
}

}  // namespace wg::trace::native
