// Writes native traces (.wgt).
#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <cstdio>
#include <filesystem>
#include <utility>

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
  SectionWriter(const std::string& path, bool compress) : file_(path), compress_(compress) {}

  void raw(std::string_view bytes) { file_.write(bytes); }
  [[nodiscard]] std::uint64_t size() const { return file_.size(); }
  void finish() { file_.finish(); }

  /// Packs where that saves an eighth or more: what does not shrink is faster to read as it is.
  Section section(std::string_view bytes) {
    if (bytes.size() > kMostSection) {
      throw Error(Problem{file_.path(), "at most 2 GiB of columns in one CTA",
                          fmt::format("{} bytes", bytes.size()), ""});
    }
    std::string_view stored = bytes;
    if (compress_ && !bytes.empty()) {
      packed_.resize(ZSTD_compressBound(bytes.size()));
      const std::size_t got =
          ZSTD_compressCCtx(state_.get(), packed_.data(), packed_.size(), bytes.data(), bytes.size(), kLevel);
      if (ZSTD_isError(got) == 0 && got <= bytes.size() - (bytes.size() + 7) / 8) {
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
  bool compress_;
  std::string packed_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> state_{ZSTD_createCCtx(), &ZSTD_freeCCtx};
};

/// Collects CTAs into a block.
class BlockWriter {
 public:
  BlockWriter(SectionWriter& out, KernelTable& table) : out_(out), table_(table) {}

  void add(std::uint64_t index, std::uint64_t insts, const CtaColumns& columns) {
    directory_.difference(index - expected_);
    directory_.number(insts);
    directory_.number(columns.runs.size());
    directory_.number(columns.accesses.size());
    directory_.number(columns.lists.size());
    runs_.raw(columns.runs.view());
    accesses_.raw(columns.accesses.view());
    lists_.raw(columns.lists.view());
    expected_ = index + 1;
    block_.insts += insts;
    ++block_.ctas;
    if (directory_.size() + runs_.size() + accesses_.size() + lists_.size() >= kBlockBytes ||
        block_.ctas == kBlockCtas) {
      flush();
    }
  }

  void flush() {
    if (block_.ctas == 0) {
      return;
    }
    directory_.raw(runs_.view());
    directory_.raw(accesses_.view());
    block_.control = out_.section(directory_.view());
    block_.lists = out_.section(lists_.view());
    table_.blocks.push_back(block_);
    for (ByteWriter* column : {&directory_, &runs_, &accesses_, &lists_}) {
      column->clear();
    }
    block_ = {};
    expected_ = 0;
  }

 private:
  SectionWriter& out_;
  KernelTable& table_;
  BlockInfo block_;
  std::uint64_t expected_ = 0;
  ByteWriter directory_;
  ByteWriter runs_;
  ByteWriter accesses_;
  ByteWriter lists_;
};

KernelEntry write_kernel(const Kernel& kernel, SectionWriter& out) {
  const KernelHeader& header = kernel.header();
  const auto source = kernel.open();
  const auto decoder = kernel.decoder();
  KernelTable table;
  CtaEncoder encoder(header, *decoder);
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
  table.statics = encoder.statics();
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
  native::SectionWriter out(path, options.compress);
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
