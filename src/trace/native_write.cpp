// Writes native traces (.wgt).
#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <cstdio>
#include <filesystem>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "trace/block_header.hpp"
#include "trace/cta_set.hpp"
#include "trace/native.hpp"
#include "trace/native_encode.hpp"
#include "trace/output_file.hpp"

namespace wg::trace {
namespace native {
namespace {

constexpr int kLevel = 9;
constexpr std::size_t kBlockBytes = std::size_t{128} << 10;  // unpacked; a CTA larger than that is a block
constexpr std::size_t kBlockCtas = 4096;
constexpr std::size_t kMostSection = std::size_t{1} << 31;

class SectionWriter {
 public:
  SectionWriter(const std::string& path, unsigned pack_from) : file_(path), pack_from_(pack_from) {}

  void raw(std::string_view bytes) { file_.write(bytes); }
  [[nodiscard]] std::uint64_t size() const { return file_.size(); }
  void finish() { file_.finish(); }

  Section section(std::string_view bytes) {
    if (bytes.size() > kMostSection) {
      throw Error(Problem{file_.path(), "at most 2 GiB of columns in one CTA",
                          fmt::format("{} bytes", bytes.size()), ""});
    }
    std::string_view stored = bytes;
    if (pack_from_ != 0 && !bytes.empty()) {
      packed_.resize(ZSTD_compressBound(bytes.size()));
      const std::size_t got =
          ZSTD_compressCCtx(state_.get(), packed_.data(), packed_.size(), bytes.data(), bytes.size(), kLevel);
      if (ZSTD_isError(got) == 0 && got <= bytes.size() / pack_from_ && got < bytes.size()) {
        stored = {packed_.data(), got};
      }
    }
    const Section section{file_.size(), static_cast<std::uint32_t>(stored.size()),
                          static_cast<std::uint32_t>(bytes.size()),
                          XXH3_64bits(stored.data(), stored.size())};
    file_.write(stored);
    return section;
  }

 private:
  OutputFile file_;
  unsigned pack_from_;
  std::string packed_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> state_{ZSTD_createCCtx(), &ZSTD_freeCCtx};
};

/// Collects CTAs into a block.
class BlockWriter {
 public:
  BlockWriter(SectionWriter& out, KernelTable& table) : out_(out), table_(table) {}

  void add(std::uint64_t index, std::uint64_t insts, const CtaColumns& cta) {
    index_.push_back(zigzag(index - expected_));
    expected_ = index + 1;
    insts_.push_back(insts);
    runs_.push_back(cta.stretches.size());
    accesses_.push_back(cta.codes.size());
    value_bytes_.push_back(cta.values.size());
    list_bytes_.push_back(cta.lists.size());
    addresses_.push_back(cta.addresses);
    warp_runs_.insert(warp_runs_.end(), cta.warp_runs.begin(), cta.warp_runs.end());
    stretches_.insert(stretches_.end(), cta.stretches.begin(), cta.stretches.end());
    for (const std::uint32_t mask : cta.masks) {
      const auto [found, added] = mask_numbers_.try_emplace(mask, masks_.size());
      if (added) {
        masks_.push_back(mask);
      }
      mask_of_.push_back(found->second);
    }
    codes_.raw(cta.codes.view());
    values_.raw(cta.values.view());
    lists_.raw(cta.lists.view());
    block_.insts += insts;
    ++block_.ctas;
    const std::size_t bytes = 12 * index_.size() + warp_runs_.size() + 2 * stretches_.size() +
                              4 * masks_.size() + codes_.size() + values_.size() + lists_.size();
    if (bytes >= kBlockBytes || block_.ctas == kBlockCtas) {
      flush();
    }
  }

  void flush() {
    if (block_.ctas == 0) {
      return;
    }
    ByteWriter control;
    control.number(masks_.size());
    for (const std::uint32_t mask : masks_) {
      control.word(mask);
    }
    for (std::vector<std::uint64_t>* column :
         {&index_, &insts_, &runs_, &accesses_, &value_bytes_, &list_bytes_, &addresses_, &warp_runs_,
          &stretches_, &mask_of_}) {
      control.column(*column);
      column->clear();
    }
    control.raw(codes_.view());
    control.raw(values_.view());
    block_.control = out_.section(control.view());
    block_.lists = out_.section(lists_.view());
    table_.blocks.push_back(block_);
    for (ByteWriter* column : {&codes_, &values_, &lists_}) {
      column->clear();
    }
    masks_.clear();
    mask_numbers_.clear();
    block_ = {};
    expected_ = 0;
  }

 private:
  using Numbers = std::vector<std::uint64_t>;

  SectionWriter& out_;
  KernelTable& table_;
  BlockInfo block_;
  std::uint64_t expected_ = 0;
  // Of each CTA.
  Numbers index_;
  Numbers insts_;
  Numbers runs_;
  Numbers accesses_;
  Numbers value_bytes_;
  Numbers list_bytes_;
  Numbers addresses_;
  // Of each warp, of each run.
  Numbers warp_runs_;
  Numbers stretches_;
  Numbers mask_of_;
  std::vector<std::uint32_t> masks_;
  std::unordered_map<std::uint32_t, std::uint64_t> mask_numbers_;
  ByteWriter codes_;
  ByteWriter values_;
  ByteWriter lists_;
};

KernelEntry write_kernel(const Kernel& kernel, SectionWriter& out) {
  const KernelHeader& header = kernel.header();
  const auto source = kernel.open();
  const auto decoder = kernel.decoder();
  KernelTable table;
  CtaEncoder encoder(header, *decoder, table);
  BlockWriter blocks(out, table);
  CtaSet seen;
  CtaBlob blob;
  CtaTrace cta;
  CtaColumns columns;
  std::uint64_t count = 0;
  for (; source->next(blob); ++count) {
    decoder->decode(blob, cta);
    encoder.encode(cta, columns);
    const std::uint64_t index = linear_index(cta.index, header.grid);
    if (!seen.insert(index)) {
      throw Error(Problem{header.name, "each CTA once", "a second CTA " + text_of(cta.index), ""});
    }
    blocks.add(index, cta.insts.size(), columns);
  }
  if (count != header.grid.count()) {
    throw Error(Problem{header.name, fmt::format("{} CTAs for the grid", header.grid.count()),
                        fmt::format("{}", count), ""});
  }
  blocks.flush();
  ByteWriter bytes;
  write_table(table, bytes);
  return {header, out.section(bytes.view())};
}

void write_tail(const Section& footer, SectionWriter& out) {
  ByteWriter tail;
  tail.word(footer.offset);
  tail.word(footer.stored);
  tail.word(footer.raw);
  tail.word(footer.checksum);
  tail.word(out.size() + kTailBytes);
  tail.word(XXH3_64bits(tail.view().data(), tail.size()));
  tail.raw(kEndMagic);
  out.raw(tail.view());
}

}  // namespace
}  // namespace native

void write_native(const Workload& workload, const std::string& path, const NativeWriteOptions& options) {
  native::SectionWriter out(path, options.pack_from);
  ByteWriter bytes;
  bytes.raw(native::kMagic);
  bytes.word(native::kVersion);
  bytes.word(std::uint32_t{0});
  out.raw(bytes.view());
  std::vector<native::FooterCommand> commands;
  for (const Command& command : workload.commands) {
    if (const Copy* copy = std::get_if<Copy>(&command)) {
      commands.emplace_back(*copy);
    } else {
      commands.emplace_back(native::write_kernel(*std::get<std::shared_ptr<const Kernel>>(command), out));
    }
  }
  bytes.clear();
  native::write_footer(commands, bytes);
  native::write_tail(out.section(bytes.view()), out);
  out.finish();
}

}  // namespace wg::trace
