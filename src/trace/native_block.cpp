#include "trace/native_block.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace wg::trace::native {
namespace {

constexpr std::size_t kSmallestCta = 7;  // of the directory
constexpr std::uint64_t kMostOfColumn = std::uint64_t{1} << 32;
/// Entries of CtaTrace::addresses are numbered in 31 bits.
constexpr std::uint64_t kMostAddresses = (std::uint64_t{1} << 31) - 64;

/// The directory tells sizes; places are their sums.
void read_directory(ByteReader& in, std::uint64_t grid, Block& block) {
  const std::size_t count = block.info->ctas;
  if (count > in.left() / kSmallestCta) {
    in.fail(fmt::format("{} CTAs", count), fmt::format("{} bytes", in.left()));
  }
  const Column index = in.column("indices of CTAs", count);
  const Column insts = in.column("instructions of CTAs", count);
  const Column runs = in.column("runs of CTAs", count);
  const Column accesses = in.column("accesses of CTAs", count);
  const Column values = in.column("bytes of values", count);
  const Column lists = in.column("bytes of lists", count);
  const Column addresses = in.column("addresses of CTAs", count);
  for (const Column& column : {runs, accesses, values, lists}) {
    if (column.greatest(count) >= kMostOfColumn) {
      in.fail("less than 2^32 of everything in a CTA", "more");
    }
  }
  if (insts.greatest(count) > block.file->limits().most_insts || addresses.greatest(count) > kMostAddresses) {
    in.fail("fewer instructions and addresses in a CTA", "more");
  }
  block.ctas.resize(count + 1);
  CtaPlace at;
  std::uint64_t expected = 0;
  std::uint64_t all_insts = 0;
  for (std::size_t i = 0; i < count; ++i) {
    CtaPlace& cta = block.ctas[i];
    cta = at;
    cta.index = expected + unzigzag(index[i]);
    cta.insts = insts[i];
    if (cta.index >= grid) {
      in.fail(fmt::format("a CTA of the grid of {}", grid), fmt::format("number {}", cta.index));
    }
    expected = cta.index + 1;
    all_insts += cta.insts;
    at.runs += runs[i];
    at.accesses += accesses[i];
    at.values += values[i];
    at.lists += lists[i];
    at.addresses += addresses[i];
    // Nothing is made room for that the columns could not fill.
    if (addresses[i] > accesses[i] * 32) {
      in.fail(fmt::format("addresses of {} accesses", accesses[i]), fmt::format("{}", addresses[i]));
    }
  }
  block.ctas[count] = at;
  if (all_insts != block.info->insts) {
    in.fail(fmt::format("{} instructions", block.info->insts), fmt::format("{}", all_insts));
  }
}

/// Every run is one that the decoder can look up.
void check_runs(ByteReader& in, const KernelTable& table, const Block& block) {
  const std::size_t runs = block.ctas.back().runs;
  if (runs > 0 && (block.stretches.greatest(runs) >= table.stretches.size() ||
                   block.mask_of.greatest(runs) >= block.masks.size())) {
    in.fail(fmt::format("runs of {} stretches and {} masks", table.stretches.size(), block.masks.size()),
            "a number of none");
  }
  std::uint64_t longest = 0;
  for (const Stretch& stretch : table.stretches) {
    longest = std::max<std::uint64_t>(longest, stretch.length);
  }
  for (std::size_t i = 0; i + 1 < block.ctas.size(); ++i) {
    const std::size_t own = block.ctas[i + 1].runs - block.ctas[i].runs;
    if (block.ctas[i].insts > own * longest) {
      in.fail(fmt::format("instructions of {} runs", own), fmt::format("{}", block.ctas[i].insts));
    }
  }
}

void check_codes(ByteReader& in, const Block& block) {
  const std::size_t count = block.ctas.back().accesses;
  unsigned wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned code = block.codes[i];
    wrong |= static_cast<unsigned>((code & 0xFU) > 8U) |
             static_cast<unsigned>(code > static_cast<unsigned>(AccessForm::none) << 4U);
  }
  if (wrong != 0) {
    in.fail("accesses of known forms", "others");
  }
}

const unsigned char* bytes_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

void Block::fail(std::string_view part, std::string_view expected, std::string_view found) const {
  throw Error(Problem{fmt::format("{}@{}", file->name(), info->control.offset),
                      fmt::format("{} for {}", expected, part), std::string(found),
                      "the file is damaged or was not written by `warpgauge trace convert`"});
}

std::shared_ptr<const Block> read_block(const FileBytes& file, const BlockInfo& info,
                                        const KernelTable& table, const KernelHeader& header) {
  auto block = std::make_shared<Block>();
  block->info = &info;
  block->file = &file;
  ByteReader in(file.unpack(info.control, "block", block->control_storage),
                {file.name(), info.control.offset, "block"});
  const std::string_view lists = file.unpack(info.lists, "block of lists", block->lists_storage);
  block->masks.resize(in.count("a number of masks", sizeof(std::uint32_t)));
  for (std::uint32_t& mask : block->masks) {
    mask = in.word<std::uint32_t>("a mask");
  }
  read_directory(in, header.grid.count(), *block);
  const CtaPlace& all = block->ctas.back();
  block->warp_runs = in.column("runs of warps", info.ctas * header.warps_per_cta());
  block->stretches = in.column("stretches of runs", all.runs);
  block->mask_of = in.column("masks of runs", all.runs);
  block->codes = in.take(all.accesses, "codes of accesses");
  block->values = in.take(all.values, "values of accesses");
  block->lists = bytes_of(lists);
  in.finish("the block");
  if (all.lists != lists.size()) {
    in.fail(fmt::format("{} bytes of lists", lists.size()), fmt::format("{}", all.lists));
  }
  check_runs(in, table, *block);
  check_codes(in, *block);
  return block;
}

}  // namespace wg::trace::native
