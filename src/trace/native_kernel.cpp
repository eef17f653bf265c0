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
#include "trace/native_block.hpp"
#include "trace/native_decode.hpp"
#include "trace/native_file.hpp"

namespace wg::trace {
namespace native {
namespace {

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
    return recent_[next_++ % recent_.size()] = read_block(*file_, block_of(cta), table(), header());
  }

 private:
  void load() const {
    std::call_once(loaded_, [this] {
      Unpacked storage;
      ByteReader in(file_->unpack(entry_.table, "kernel table", storage),
                    {file_->name(), entry_.table.offset, "kernel table"});
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
    const Dim3& grid = kernel_->header().grid;
    if (blob.number >= grid.count()) {
      throw Error(Problem{kernel_->file().name(), fmt::format("a CTA from 0 to {}", grid.count() - 1),
                          fmt::format("CTA {}", blob.number), ""});
    }
    if (!block_ || !block_->holds(blob.number)) {
      block_ = kernel_->block_with(blob.number);
    }
    const std::size_t place = blob.number - block_->info->first_cta;
    columns_.decode(*block_, place, out);
    const std::uint64_t index = block_->ctas[place].index;
    out.index = {static_cast<std::uint32_t>(index % grid.x),
                 static_cast<std::uint32_t>(index / grid.x % grid.y),
                 static_cast<std::uint32_t>(index / grid.x / grid.y)};
  }
  [[nodiscard]] std::span<const isa::StaticInst> instructions() const override {
    return kernel_->code().insts;
  }
  [[nodiscard]] std::string_view mnemonic(std::uint32_t index) const override {
    return table_.names[table_.statics[index].name];
  }
  [[nodiscard]] isa::RawInst spelling(std::uint32_t index) const override {
    return table_.raw(index, kernel_->header().tracer_version >= 6);
  }

 private:
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
