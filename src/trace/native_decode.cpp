#include "trace/native_decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "trace/native_offsets.hpp"

namespace wg::trace::native {
namespace {

/// Records of a run and accesses of a stretch are written in groups of so many, the last with records that
/// the next run overwrites: one branch fewer to guess wrong for most runs.
constexpr std::uint32_t kRecordGroup = 4;

/// Four words that are moved and added as one.
using Words = std::uint32_t __attribute__((vector_size(16)));
static_assert(sizeof(DynInst) == 12 && sizeof(AccessPlace) == 8);

void store(void* to, const Words& words) { std::memcpy(to, &words, sizeof words); }

/// Each store covers a record and the first word of the next, which is written after it.
void write_records(DynInst* to, std::uint32_t start, std::uint32_t length, std::uint32_t mask) {
  Words record{start, mask, DynInst::kNoAddress, 0};
  const DynInst* const end = to + length;
  for (; to < end; to += kRecordGroup) {
    for (std::uint32_t i = 0; i < kRecordGroup; ++i) {
      store(to + i, record);
      record += Words{1, 0, 0, 0};
    }
  }
}

/// Copies accesses of a stretch; `shift` leads from static instructions to records.
void write_accesses(AccessPlace* to, const AccessPlace* from, std::uint32_t count, std::uint32_t shift) {
  const Words shifts{shift, 0, shift, 0};
  const AccessPlace* const end = from + count;
  for (; from < end; from += kRecordGroup, to += kRecordGroup) {
    Words low;
    Words high;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&high, from + 2, sizeof high);
    low += shifts;
    high += shifts;
    store(to, low);
    store(to + 2, high);
  }
}

/// The offsets of a CTA's lists that are left.
struct ListBytes {
  const unsigned char* begin;
  const unsigned char* end;

  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end - begin); }
  [[nodiscard]] bool has(std::size_t count, const OffsetPacking& packing) const {
    return packing.width <= 8 && count * packing.width <= left();
  }
  const unsigned char* take(std::size_t count, const OffsetPacking& packing) {
    begin += count * packing.width;
    return begin - count * packing.width;
  }
};

}  // namespace

StaticCode make_static_code(const KernelTable& table, const KernelHeader& header) {
  StaticCode code;
  isa::Generation generation{};
  isa::generation_of(header.binary_version, generation);
  const isa::OpcodeTable& opcodes = isa::table_of(generation);
  const std::size_t count = table.statics.size();
  code.insts.reserve(count);
  std::vector<std::uint32_t> before;  // of each instruction: accesses before it
  before.reserve(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    code.insts.push_back(isa::decode(opcodes, table.raw(i, header.tracer_version >= 6)));
    const auto slot = static_cast<std::uint32_t>(code.accesses.size());
    before.push_back(slot);
    if (table.statics[i].has_address) {
      code.accesses.push_back({i, slot});
    }
  }
  before.push_back(static_cast<std::uint32_t>(code.accesses.size()));
  code.accesses.resize(code.accesses.size() + kRecordGroup);
  code.stretches.reserve(table.stretches.size());
  for (const Stretch& stretch : table.stretches) {
    const std::uint32_t first = before[stretch.start];
    code.stretches.push_back(
        {stretch.start, stretch.length, first, before[stretch.start + stretch.length] - first});
  }
  return code;
}

ColumnDecoder::ColumnDecoder(const StaticCode& code, const KernelTable& table, std::uint32_t warps)
    : code_(code), warps_(warps), warp_accesses_(warps) {
  for (const StaticEntry& entry : table.statics) {
    if (entry.has_address) {
      predictor_.add(entry.base, entry.stride);
    }
  }
}

void ColumnDecoder::decode(const Block& block, std::size_t cta, CtaTrace& out) {
  predictor_.begin_cta(warps_);
  decode_runs(block, cta, out);
  decode_accesses(block, cta, out);
}

// Both loops work on copies of what they need: what they write may, for all the compiler knows, be part of
// the block.
void ColumnDecoder::decode_runs(const Block& block, std::size_t cta, CtaTrace& out) {
  const CtaPlace& place = block.ctas[cta];
  const CtaPlace& end = block.ctas[cta + 1];
  const std::uint64_t insts = place.insts;
  const std::size_t accesses = end.accesses - place.accesses;
  out.insts.resize(insts + kRecordGroup);
  out.warps.resize(warps_);
  accesses_.resize(accesses + kRecordGroup);
  const StretchCode* const stretches = code_.stretches.data();
  const AccessPlace* const from = code_.accesses.data();
  const std::uint32_t* const masks = block.masks.data();
  const Column stretch_of = block.stretches;
  const Column mask_of = block.mask_of;
  DynInst* const records = out.insts.data();
  AccessPlace* const met = accesses_.data();
  const std::size_t runs_end = end.runs;
  std::size_t run = place.runs;
  std::size_t done = 0;
  std::size_t met_count = 0;
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    const std::size_t first = done;
    const std::uint64_t runs = block.warp_runs[cta * warps_ + warp];
    if (runs > runs_end - run) {
      block.fail("a CTA's warps", fmt::format("{} runs left", runs_end - run), fmt::format("{}", runs));
    }
    for (const std::size_t behind = run + runs; run < behind; ++run) {
      const StretchCode stretch = stretches[stretch_of[run]];
      if (stretch.length > insts - done || stretch.accesses > accesses - met_count) {
        block.fail("a CTA's runs", fmt::format("{} instructions and {} accesses", insts, accesses), "more");
      }
      write_records(records + done, stretch.start, stretch.length, masks[mask_of[run]]);
      write_accesses(met + met_count, from + stretch.first_access, stretch.accesses,
                     static_cast<std::uint32_t>(done) - stretch.start);
      done += stretch.length;
      met_count += stretch.accesses;
    }
    out.warps[warp] = {warp, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(done - first)};
    warp_accesses_[warp] = static_cast<std::uint32_t>(met_count);
  }
  if (done != insts || met_count != accesses || run != runs_end) {
    block.fail("a CTA's runs",
               fmt::format("{} instructions, {} accesses, {} runs", insts, accesses, runs_end - place.runs),
               fmt::format("{}, {} and {}", done, met_count, run - place.runs));
  }
  out.insts.resize(done);
}

void ColumnDecoder::decode_accesses(const Block& block, std::size_t cta, CtaTrace& out) {
  const CtaPlace& place = block.ctas[cta];
  const CtaPlace& end = block.ctas[cta + 1];
  const std::size_t total = end.addresses - place.addresses;
  const unsigned char* const codes = block.codes + place.accesses;
  const unsigned char* value = block.values + place.values;
  const unsigned char* const values_end = block.values + end.values;
  ListBytes lists{block.lists + place.lists, block.lists + end.lists};
  out.addresses.resize(total + kOffsetGroup);
  std::uint64_t* const addresses = out.addresses.data();
  DynInst* const insts = out.insts.data();
  const AccessPlace* const met = accesses_.data();
  const AddressPredictor::Cta predictor = predictor_.cta();
  std::size_t at = 0;
  std::size_t i = 0;
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    for (const std::size_t behind = warp_accesses_[warp]; i < behind; ++i) {
      const unsigned width = codes[i] & 0xFU;
      const unsigned form = codes[i] >> 4U;
      if (form == static_cast<unsigned>(AccessForm::none)) {
        continue;
      }
      DynInst& inst = insts[met[i].record];
      AddressPredictor::Slot& slot = predictor.at(met[i].slot);
      const std::uint64_t base = predictor.next(slot, warp, unzigzag(load_bytes(value, width)));
      value += width;
      if (form == static_cast<unsigned>(AccessForm::listed)) {
        const OffsetPacking packing{*value & 0xFU, static_cast<unsigned>(*value) >> 4U};
        const auto entries = static_cast<std::size_t>(std::popcount(inst.mask));
        if (++value > values_end || !lists.has(entries, packing) || entries > total - at) {
          block.fail("a CTA's lists", fmt::format("{} addresses in {} bytes", total - at, lists.left()),
                     fmt::format("{} of {} bytes each", entries, packing.width));
        }
        inst.address = static_cast<std::uint32_t>(at) * 2 + 1;
        read_offsets(lists.take(entries, packing), entries, base, packing, addresses + at);
        at += entries;
      } else {
        if (form != static_cast<unsigned>(AccessForm::strided)) {
          slot.stride = static_cast<std::int64_t>(unzigzag(load_bytes(value, form)));
          value += form;
        }
        if (total - at < 2 || value > values_end) {
          block.fail("a CTA's accesses",
                     fmt::format("{} addresses from {} bytes", total, end.values - place.values), "more");
        }
        inst.address = static_cast<std::uint32_t>(at) * 2;
        addresses[at] = base;
        addresses[at + 1] = static_cast<std::uint64_t>(slot.stride);
        at += 2;
      }
    }
  }
  if (value != values_end || lists.left() != 0 || at != total) {
    block.fail("a CTA's accesses", fmt::format("{} addresses, and all values and lists used", total),
               fmt::format("{} addresses, {} bytes and {} left", at, values_end - value, lists.left()));
  }
  out.addresses.resize(total);
}

}  // namespace wg::trace::native
