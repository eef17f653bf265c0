// Reads .tracez: the lines of a grouped text trace in zstd chunks, with an index. Each CTA is put together as
// the text it would be in a .traceg file.
#include "trace/tracez.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "trace/block_header.hpp"
#include "trace/cta_set.hpp"
#include "trace/kernel_file.hpp"
#include "trace/native_bytes.hpp"
#include "trace/native_file.hpp"

namespace wg::trace {
namespace {

constexpr std::size_t kMostDictionary = std::size_t{64} << 10;
constexpr std::size_t kMostChunkText = std::size_t{256} << 20;
constexpr std::size_t kIndexedCta = 44;  // bytes of the index for a CTA without warps
constexpr const char* kDamaged = "the file is damaged or was cut off";

using native::FileBytes;

/// What the fixed parts of a file say.
struct Container {
  std::shared_ptr<const FileBytes> bytes;
  std::size_t body = 0;   ///< first byte of the first warp
  std::size_t index = 0;  ///< of the number of CTAs
  std::string_view dictionary;
};

[[noreturn]] void fail(const FileBytes& file, std::size_t offset, std::string expected, std::string found) {
  throw Error(
      Problem{fmt::format("{}@{}", file.name(), offset), std::move(expected), std::move(found), kDamaged});
}

ByteReader reader_at(const FileBytes& file, std::size_t begin, std::size_t end, std::string_view part) {
  return {file.all().substr(begin, end - begin), {file.name(), begin, part}};
}

/// Reads everything in front of the first warp but the header's text.
Container read_container(std::shared_ptr<const FileBytes> file, std::size_t header_size) {
  const std::string_view all = file->all();
  if (all.size() < header_size + 1 + 8 + 8) {
    fail(*file, all.size(), "sizes of dictionary and chunks, and an index", "the end of the file");
  }
  ByteReader in = reader_at(*file, header_size + 1, all.size() - 8, "container");
  Container out;
  const auto size = in.word<std::uint32_t>("the size of a dictionary");
  in.word<std::uint32_t>("the instructions of a chunk");
  if (size > kMostDictionary) {
    fail(*file, header_size + 1, "a dictionary of at most 64 KiB", fmt::format("{} bytes", size));
  }
  const auto* const dictionary = in.take(size, "a dictionary");
  out.dictionary = {reinterpret_cast<const char*>(dictionary), size};
  out.body = header_size + 1 + 8 + size;
  ByteReader tail = reader_at(*file, all.size() - 8, all.size(), "container");
  const auto index = tail.word<std::uint64_t>("the offset of the index");
  if (index < out.body || index > all.size() - 12) {
    fail(*file, all.size() - 8, fmt::format("the offset of an index, {} to {}", out.body, all.size() - 12),
         fmt::format("{}", index));
  }
  out.index = static_cast<std::size_t>(index);
  out.bytes = std::move(file);
  return out;
}

class ChunkSource final : public CtaSource {
 public:
  ChunkSource(const std::shared_ptr<const Container>& container, const KernelHeader& header)
      : container_(container),
        file_(*container->bytes),
        header_(header),
        index_(reader_at(file_, container->index, file_.all().size() - 8, "index")),
        ctas_(index_.word<std::uint32_t>("a number of CTAs")),
        state_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {
    if (ctas_ != header.grid.count()) {
      fail(file_, container->index, fmt::format("{} CTAs for the grid", header.grid.count()),
           fmt::format("{}", ctas_));
    }
    if (ctas_ > index_.left() / kIndexedCta) {
      fail(file_, container->index, "an index of all CTAs", fmt::format("{} bytes", index_.left()));
    }
    if (!container->dictionary.empty()) {
      ZSTD_DCtx_loadDictionary(state_.get(), container->dictionary.data(), container->dictionary.size());
    }
  }

  /// After an error there is nothing more.
  bool next(CtaBlob& out) override {
    if (ended_) {
      return false;
    }
    ended_ = true;  // unless this call gets to its end
    if (number_ == ctas_) {
      index_.finish("the index");
      return false;
    }
    std::array<std::uint32_t, 11> fields{};
    for (std::uint32_t& field : fields) {
      field = index_.word<std::uint32_t>("a CTA of the index");
    }
    out.text = fmt::format("#BEGIN_TB\nthread block = {},{},{}\n", fields[0], fields[1], fields[2]);
    out.line = line_;
    out.offset = container_->index;
    check_index(fields);
    for (std::uint32_t warp = 0; warp < fields[10]; ++warp) {
      add_warp(warp, out);
    }
    line_ += static_cast<std::uint64_t>(std::count(out.text.begin(), out.text.end(), '\n')) + 1;
    out.number = number_++;
    ended_ = false;
    return true;
  }

 private:
  void check_index(const std::array<std::uint32_t, 11>& fields) {
    const Dim3& grid = header_.grid;
    if (fields[0] >= grid.x || fields[1] >= grid.y || fields[2] >= grid.z) {
      fail(file_, container_->index, "a CTA inside the grid " + text_of(grid),
           text_of({fields[0], fields[1], fields[2]}));
    }
    if (!seen_.insert(linear_index({fields[0], fields[1], fields[2]}, grid))) {
      fail(file_, container_->index, "each CTA once",
           "a second CTA " + text_of({fields[0], fields[1], fields[2]}));
    }
    if (fields[10] != header_.warps_per_cta()) {
      fail(file_, container_->index, fmt::format("{} warps in a CTA", header_.warps_per_cta()),
           fmt::format("{}", fields[10]));
    }
  }

  void add_warp(std::uint32_t warp, CtaBlob& out) {
    const auto insts = index_.word<std::uint32_t>("instructions of a warp");
    const auto chunks = index_.word<std::uint32_t>("chunks of a warp");
    const auto offset = index_.word<std::uint64_t>("the offset of a warp");
    index_.take(std::size_t{4} * chunks, "instructions of chunks");
    if (offset < container_->body || offset > container_->index) {
      fail(file_, container_->index, "a warp in front of the index", fmt::format("offset {}", offset));
    }
    ByteReader in = reader_at(file_, offset, container_->index, "warp");
    if (in.word<std::uint32_t>("instructions of a warp") != insts ||
        in.word<std::uint32_t>("chunks of a warp") != chunks) {
      in.fail(fmt::format("{} instructions in {} chunks as in the index", insts, chunks), "other numbers");
    }
    if (warp == 0) {
      out.offset = offset;
    }
    out.text += fmt::format("warp = {}\ninsts = {}\n", warp, insts);
    for (std::uint32_t i = 0; i < chunks; ++i) {
      add_chunk(in, offset, out.text);
    }
  }

  void add_chunk(ByteReader& in, std::uint64_t offset, std::string& text) {
    const auto size = in.word<std::uint32_t>("the size of a chunk");
    const unsigned char* const packed = in.take(size, "a chunk");
    const unsigned long long content = ZSTD_getFrameContentSize(packed, size);
    if (content > kMostChunkText) {
      fail(file_, offset, "a zstd frame that says its size, at most 256 MiB",
           content >= ZSTD_CONTENTSIZE_ERROR ? "none" : fmt::format("{} bytes", content));
    }
    const std::size_t before = text.size();
    text.resize(before + content);
    const std::size_t got = ZSTD_decompressDCtx(state_.get(), text.data() + before, content, packed, size);
    if (ZSTD_isError(got) != 0 || got != content) {
      fail(file_, offset, fmt::format("a zstd frame of {} bytes", content),
           ZSTD_isError(got) != 0 ? ZSTD_getErrorName(got) : fmt::format("{} bytes", got));
    }
    if (!text.ends_with('\n')) {
      text += '\n';
    }
  }

  std::shared_ptr<const Container> container_;
  const FileBytes& file_;
  KernelHeader header_;
  ByteReader index_;
  std::uint64_t ctas_;
  CtaSet seen_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> state_;
  std::uint64_t number_ = 0;
  bool ended_ = false;
  std::uint64_t line_ = 1;  ///< as if the file were unpacked, its header left out
};

class ChunkKernel final : public Kernel {
 public:
  ChunkKernel(std::shared_ptr<const KernelFile> file, std::shared_ptr<const Container> container)
      : file_(std::move(file)), container_(std::move(container)) {}
  [[nodiscard]] const KernelHeader& header() const override { return file_->parsed.header; }
  [[nodiscard]] std::unique_ptr<CtaSource> open() const override {
    return std::make_unique<ChunkSource>(container_, header());
  }
  [[nodiscard]] std::unique_ptr<CtaDecoder> decoder() const override { return make_decoder(file_); }

 private:
  std::shared_ptr<const KernelFile> file_;
  std::shared_ptr<const Container> container_;
};

}  // namespace

std::shared_ptr<const Kernel> tracez_kernel(std::shared_ptr<const FileBytes> file) {
  const std::string_view all = file->all();
  const std::size_t end = all.find('\0');
  if (end == std::string_view::npos) {
    fail(*file, all.size(), "a zero byte behind the header", "the end of the file");
  }
  BlockReader reader(open_memory(file->name(), all.substr(0, end)), file->name());
  auto parsed = std::make_shared<KernelFile>(KernelFile{file->name(), {}, parse_header(reader)});
  parsed->parsed.layout = Layout::grouped;
  auto container = std::make_shared<const Container>(read_container(std::move(file), end));
  return std::make_shared<ChunkKernel>(std::move(parsed), std::move(container));
}

std::shared_ptr<const Kernel> open_tracez(const std::string& path) {
  return tracez_kernel(FileBytes::map(path));
}

}  // namespace wg::trace
