// Kernels of a native trace: the CTAs of a block are unpacked once and shared by the threads that need them.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "trace/byte_stream.hpp"
#include "trace/native.hpp"
#include "trace/native_decode.hpp"
#include "trace/native_file.hpp"

namespace wg::trace {
namespace native {
namespace {

constexpr std::size_t kSmallestCta = 5;  // of the directory

/// Where one CTA lies inside a block.
struct CtaPlace {
  std::uint64_t index = 0;  ///< in the grid, x fastest
  std::uint64_t insts = 0;
  std::size_t runs = 0;  ///< first byte in `control`; its end is the begin of the next CTA's
  std::size_t accesses = 0;
  std::size_t lists = 0;  ///< first byte in `lists`
};

/// An unpacked block.
struct Block {
  const BlockInfo* info = nullptr;
  std::string control_storage;
  std::string lists_storage;
  std::string_view control;
  std::string_view lists;
  std::vector<CtaPlace> ctas;  ///< and one behind the last, which says where it ends

  [[nodiscard]] bool holds(std::uint64_t cta) const {
    return cta >= info->first_cta && cta - info->first_cta < info->ctas;
  }
};

/// The directory tells sizes; places are their sums, and everything has to fit exactly.
void read_directory(const FileBytes& file, std::uint64_t grid, Block& block) {
  ByteReader in(block.control, {file.name(), block.info->control.offset, "block", 0});
  const std::uint64_t count = block.info->ctas;
  if (count > block.control.size() / kSmallestCta) {
    in.fail(fmt::format("{} CTAs", count), fmt::format("{} bytes", block.control.size()));
  }
  block.ctas.resize(count + 1);
  CtaPlace at;
  std::uint64_t expected = 0;
  std::uint64_t insts = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    CtaPlace& cta = block.ctas[i];
    cta = at;
    cta.index = expected + in.difference("a CTA's index");
    cta.insts = in.number("a CTA's instructions", 0, file.limits().most_insts);
    if (cta.index >= grid) {
      in.fail(fmt::format("a CTA of the grid of {}", grid), fmt::format("number {}", cta.index));
    }
    expected = cta.index + 1;
    insts += cta.insts;
    at.runs += in.number("bytes of runs", 0, block.control.size());
    at.accesses += in.number("bytes of accesses", 0, block.control.size());
    at.lists += in.number("bytes of lists", 0, block.lists.size());
  }
  block.ctas[count] = at;
  if (in.left() < at.runs || in.left() - at.runs != at.accesses || at.lists != block.lists.size() ||
      insts != block.info->insts) {
    in.fail(fmt::format("{} instructions in {} bytes and {} of lists", block.info->insts, in.left(),
                        block.lists.size()),
            fmt::format("{} in {} and {}", insts, at.runs + at.accesses, at.lists));
  }
  const std::size_t runs = block.control.size() - in.left();
  for (CtaPlace& cta : block.ctas) {
    cta.runs += runs;
    cta.accesses += runs + at.runs;
  }
}

/// What all users of one kernel share.
class SharedKernel {
 public:
  SharedKernel(std::shared_ptr<const FileBytes> file, KernelEntry entry)
      : file_(std::move(file)), entry_(std::move(entry)) {}

  [[nodiscard]] const KernelHeader& header() const { return entry_.header; }
  [[nodiscard]] const FileBytes& file() const { return *file_; }
  [[nodiscard]] const KernelTable& table() const {
    load();
    return table_;
  }
  [[nodiscard]] const StaticCode& code() const {
    load();
    return code_;
  }

  [[nodiscard]] const BlockInfo& block_of(std::uint64_t cta) const {
    const auto behind = std::ranges::upper_bound(table().blocks, cta, {}, &BlockInfo::first_cta);
    return *std::prev(behind);
  }

  /// The block with `cta`, which the kernel has. Neighbours run at the same time, so the few blocks that
  /// were asked for last serve all threads.
  [[nodiscard]] std::shared_ptr<const Block> block_with(std::uint64_t cta) const {
    const std::lock_guard lock(blocks_mutex_);
    for (const std::shared_ptr<const Block>& block : recent_) {
      if (block && block->holds(cta)) {
        return block;
      }
    }
    auto block = std::make_shared<Block>();
    block->info = &block_of(cta);
    block->control = file_->unpack(block->info->control, "block", block->control_storage);
    block->lists = file_->unpack(block->info->lists, "block of lists", block->lists_storage);
    read_directory(*file_, header().grid.count(), *block);
    return recent_[next_++ % recent_.size()] = std::move(block);
  }

 private:
  void load() const {
    std::call_once(loaded_, [this] {
      std::string storage;
      ByteReader in(file_->unpack(entry_.table, "kernel table", storage),
                    {file_->name(), entry_.table.offset, "kernel table", 0});
      table_ = read_table(in, header().grid.count(), entry_.table.offset);
      code_ = make_static_code(table_, header());
    });
  }

  std::shared_ptr<const FileBytes> file_;
  KernelEntry entry_;
  mutable std::once_flag loaded_;
  mutable KernelTable table_;
  mutable StaticCode code_;
  mutable std::mutex blocks_mutex_;
  mutable std::array<std::shared_ptr<const Block>, 4> recent_;
  mutable std::size_t next_ = 0;
};

class NativeSource final : public CtaSource {
 public:
  explicit NativeSource(std::shared_ptr<const SharedKernel> kernel) : kernel_(std::move(kernel)) {}
  bool next(CtaBlob& out) override {
    const std::vector<BlockInfo>& blocks = kernel_->table().blocks;
    if (block_ < blocks.size() && next_ - blocks[block_].first_cta == blocks[block_].ctas) {
      ++block_;
    }
    if (block_ == blocks.size()) {
      return false;
    }
    out.number = next_++;
    out.offset = blocks[block_].control.offset;
    out.line = 0;
    out.text.clear();
    return true;
  }

 private:
  std::shared_ptr<const SharedKernel> kernel_;
  std::size_t block_ = 0;
  std::uint64_t next_ = 0;
};

class NativeDecoder final : public CtaDecoder {
 public:
  explicit NativeDecoder(std::shared_ptr<const SharedKernel> kernel)
      : kernel_(std::move(kernel)),
        table_(kernel_->table()),
        columns_(kernel_->code(), table_, kernel_->header().warps_per_cta()) {}

  void decode(const CtaBlob& blob, CtaTrace& out) override {
    out.clear();
    const Dim3& grid = kernel_->header().grid;
    if (blob.number >= grid.count()) {
      throw Error(Problem{kernel_->file().name(), fmt::format("a CTA from 0 to {}", grid.count() - 1),
                          fmt::format("CTA {}", blob.number), ""});
    }
    if (!block_ || !block_->holds(blob.number)) {
      block_ = kernel_->block_with(blob.number);
    }
    const CtaPlace* const cta = &block_->ctas[blob.number - block_->info->first_cta];
    ByteReader runs = reader(block_->control, cta[0].runs, cta[1].runs, block_->info->control, "block");
    ByteReader accesses =
        reader(block_->control, cta[0].accesses, cta[1].accesses, block_->info->control, "block");
    ByteReader lists = reader(block_->lists, cta[0].lists, cta[1].lists, block_->info->lists, "lists");
    columns_.decode(runs, accesses, lists, cta->insts, out);
    out.index = {static_cast<std::uint32_t>(cta->index % grid.x),
                 static_cast<std::uint32_t>(cta->index / grid.x % grid.y),
                 static_cast<std::uint32_t>(cta->index / grid.x / grid.y)};
  }
  [[nodiscard]] std::span<const isa::StaticInst> instructions() const override {
    return kernel_->code().insts;
  }
  [[nodiscard]] std::string_view mnemonic(std::uint32_t index) const override {
    return table_.statics[index].spelling.mnemonic;
  }
  [[nodiscard]] isa::RawInst spelling(std::uint32_t index) const override {
    return table_.statics[index].spelling.raw(kernel_->header().tracer_version >= 6);
  }

 private:
  [[nodiscard]] ByteReader reader(std::string_view bytes, std::size_t begin, std::size_t end,
                                  const Section& section, std::string_view part) const {
    return {bytes.substr(begin, end - begin), {kernel_->file().name(), section.offset, part, begin}};
  }

  std::shared_ptr<const SharedKernel> kernel_;
  const KernelTable& table_;
  ColumnDecoder columns_;
  std::shared_ptr<const Block> block_;
};

class NativeKernel final : public Kernel {
 public:
  NativeKernel(std::shared_ptr<const FileBytes> file, KernelEntry entry)
      : kernel_(std::make_shared<const SharedKernel>(std::move(file), std::move(entry))) {}
  [[nodiscard]] const KernelHeader& header() const override { return kernel_->header(); }
  [[nodiscard]] std::unique_ptr<CtaSource> open() const override {
    return std::make_unique<NativeSource>(kernel_);
  }
  [[nodiscard]] std::unique_ptr<CtaDecoder> decoder() const override {
    return std::make_unique<NativeDecoder>(kernel_);
  }

 private:
  std::shared_ptr<const SharedKernel> kernel_;
};

}  // namespace
}  // namespace native

Workload native_workload(const std::shared_ptr<const native::FileBytes>& file) {
  Workload workload;
  workload.name = file->name();
  for (native::FooterCommand& command : native::read_commands(*file)) {
    if (const Copy* copy = std::get_if<Copy>(&command)) {
      workload.commands.emplace_back(*copy);
    } else {
      workload.commands.emplace_back(
          std::make_shared<native::NativeKernel>(file, std::move(std::get<native::KernelEntry>(command))));
    }
  }
  // Checksums of everything hang together: the tail's covers the footer's, that the tables', those the
  // blocks'.
  const std::string_view tail = file->all().substr(file->all().size() - native::kTailBytes);
  workload.hash = XXH3_64bits(tail.data(), tail.size());
  return workload;
}

bool is_native(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_regular_file(path)) {
    return false;
  }
  std::array<char, native::kMagic.size()> head{};
  const std::size_t got = open_plain_file(path)->read(head);
  return path.ends_with(".wgt") || std::string_view(head.data(), got) == native::kMagic;
}

Workload open_native(const std::string& path) { return native_workload(native::FileBytes::map(path)); }

}  // namespace wg::trace
