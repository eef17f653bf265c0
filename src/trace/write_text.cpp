// Traces in the forms of Accel-Sim: a folder with kernelslist.g and a file for each kernel.
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "trace/convert.hpp"
#include "trace/header.hpp"
#include "trace/native.hpp"
#include "trace/native_bytes.hpp"
#include "trace/output_file.hpp"
#include "trace/text_lines.hpp"

namespace wg::trace {
namespace {

namespace fs = std::filesystem;

using KernelWriter = std::function<void(const Kernel&, const KernelHeader&, OutputFile&)>;

constexpr std::size_t kChunkInsts = 2048;  // of a .tracez file
constexpr int kChunkLevel = 3;

std::string triple(const Dim3& dim) { return fmt::format("{},{},{}", dim.x, dim.y, dim.z); }

std::span<const DynInst> insts_of(const CtaTrace& cta, const WarpTrace& warp) {
  return {cta.insts.data() + warp.first, warp.count};
}

void write_grouped_text(const Kernel& kernel, const KernelHeader& header, OutputFile& out) {
  out.write(header_text(header));
  const auto source = kernel.open();
  const auto decoder = kernel.decoder();
  TextLines lines(header, *decoder);
  CtaBlob blob;
  CtaTrace cta;
  std::string text;
  while (source->next(blob)) {
    decoder->decode(blob, cta);
    text = fmt::format("#BEGIN_TB\n\nthread block = {}\n", triple(cta.index));
    for (const WarpTrace& warp : cta.warps) {
      text += fmt::format("\nwarp = {}\ninsts = {}\n", warp.warp, warp.count);
      lines.append(cta, insts_of(cta, warp), text);
    }
    text += "\n#END_TB\n\n";
    out.write(text);
  }
}

/// Writes a .tracez file and its index.
class ChunkWriter {
 public:
  ChunkWriter(OutputFile& out, const KernelHeader& header, const CtaDecoder& decoder)
      : out_(out), lines_(header, decoder) {}

  void add(const CtaTrace& cta) {
    ++ctas_;
    for (const std::uint32_t n : {cta.index.x, cta.index.y, cta.index.z}) {
      index_.word(n);
    }
    for (int i = 0; i < 7; ++i) {  // clusters: not known
      index_.word(std::uint32_t{0});
    }
    index_.word(static_cast<std::uint32_t>(cta.warps.size()));
    for (const WarpTrace& warp : cta.warps) {
      add_warp(cta, insts_of(cta, warp));
    }
  }

  void finish() {
    ByteWriter end;
    end.word(ctas_);
    const std::uint64_t at = out_.size();
    out_.write(end.view());
    out_.write(index_.view());
    end.clear();
    end.word(at);
    out_.write(end.view());
  }

 private:
  void add_warp(const CtaTrace& cta, std::span<const DynInst> insts) {
    const auto chunks = static_cast<std::uint32_t>((insts.size() + kChunkInsts - 1) / kChunkInsts);
    ByteWriter head;
    head.word(static_cast<std::uint32_t>(insts.size()));
    head.word(chunks);
    index_.raw(head.view());
    index_.word(out_.size());
    out_.write(head.view());
    for (; !insts.empty(); insts = insts.subspan(std::min(kChunkInsts, insts.size()))) {
      const std::span<const DynInst> chunk = insts.first(std::min(kChunkInsts, insts.size()));
      text_.clear();
      lines_.append(cta, chunk, text_);
      text_.pop_back();  // no '\n' behind the last
      packed_.resize(ZSTD_compressBound(text_.size()));
      const std::size_t size = ZSTD_compressCCtx(state_.get(), packed_.data(), packed_.size(), text_.data(),
                                                 text_.size(), kChunkLevel);
      if (ZSTD_isError(size) != 0) {
        throw std::runtime_error(ZSTD_getErrorName(size));
      }
      head.clear();
      head.word(static_cast<std::uint32_t>(size));
      out_.write(head.view());
      out_.write({packed_.data(), size});
      index_.word(static_cast<std::uint32_t>(chunk.size()));
    }
  }

  OutputFile& out_;
  TextLines lines_;
  std::uint32_t ctas_ = 0;
  ByteWriter index_;
  std::string text_;
  std::string packed_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> state_{ZSTD_createCCtx(), &ZSTD_freeCCtx};
};

void write_chunked_text(const Kernel& kernel, const KernelHeader& header, OutputFile& out) {
  ByteWriter head;
  head.raw(header_text(header));
  head.byte(0);
  head.word(std::uint32_t{0});  // no dictionary
  head.word(static_cast<std::uint32_t>(kChunkInsts));
  out.write(head.view());
  const auto source = kernel.open();
  const auto decoder = kernel.decoder();
  ChunkWriter chunks(out, header, *decoder);
  CtaBlob blob;
  CtaTrace cta;
  while (source->next(blob)) {
    decoder->decode(blob, cta);
    chunks.add(cta);
  }
  chunks.finish();
}

/// What was written into a folder goes with it unless it was kept: a half-filled one would be refused the
/// next time.
class NewFolder {
 public:
  explicit NewFolder(fs::path path) : path_(std::move(path)), created_(!fs::exists(path_)) {
    fs::create_directories(path_);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    std::error_code ignored;
    for (const std::string& name : names_) {
      fs::remove(path_ / name, ignored);
    }
    if (created_ && !kept_) {
      fs::remove(path_, ignored);
    }
  }
  void write(const std::string& name, const std::function<void(OutputFile&)>& fill) {
    OutputFile out((path_ / name).string());
    fill(out);
    out.finish();
    names_.push_back(name);
  }
  void keep() {
    kept_ = true;
    names_.clear();
  }

 private:
  fs::path path_;
  bool created_;
  bool kept_ = false;
  std::vector<std::string> names_;
};

void write_folder(const Workload& workload, const fs::path& folder, std::uint32_t version,
                  std::string_view suffix, const KernelWriter& write) {
  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
    throw Error(Problem{folder.string(), "a new or empty folder",
                        fs::is_directory(folder) ? "a folder with files in it" : "a file", ""});
  }
  NewFolder out(folder);
  constexpr std::array<std::string_view, 3> kCopies = {"MemcpyHtoD", "MemcpyDtoH", "MemcpyDtoD"};
  std::string list;
  std::size_t number = 0;
  for (const Command& command : workload.commands) {
    if (const Copy* copy = std::get_if<Copy>(&command)) {
      list += fmt::format("{},0x{:016x},{}\n", kCopies[static_cast<std::size_t>(copy->kind)], copy->address,
                          copy->bytes.count());
      continue;
    }
    const Kernel& kernel = *std::get<std::shared_ptr<const Kernel>>(command);
    const std::string name = fmt::format("kernel-{}{}", ++number, suffix);
    out.write(name, [&](OutputFile& file) {
      write(kernel, written_header(kernel.header(), written_version(kernel.header(), version)), file);
    });
    list += name + '\n';
  }
  out.write("kernelslist.g", [&list](OutputFile& file) { file.write(list); });
  out.keep();
}

}  // namespace

void write_text(const Workload& workload, const std::string& folder, std::uint32_t version) {
  write_folder(workload, folder, version, ".traceg", write_grouped_text);
}

void write_tracez(const Workload& workload, const std::string& folder, std::uint32_t version) {
  write_folder(workload, folder, version, ".tracez", write_chunked_text);
}

void convert(const Workload& workload, const std::string& out, std::uint32_t version) {
  try {
    if (out.ends_with(".wgt")) {
      write_native(workload, out);
    } else if (out.ends_with(".tracez") || out.ends_with(".tracez/")) {
      write_tracez(workload, out, version);
    } else {
      write_text(workload, out, version);
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(Problem{out, "a place that can be written", error.code().message(), ""});
  }
}

}  // namespace wg::trace
