#include "trace/kernel_file.hpp"

#include <utility>

#include "trace/tracez.hpp"

namespace wg::trace {
namespace {

constexpr std::size_t kHeaderBlock = std::size_t{16} << 10;
constexpr std::size_t kRunBytes = std::size_t{64} << 20;

class FileKernel final : public Kernel {
 public:
  explicit FileKernel(std::shared_ptr<const KernelFile> file) : file_(std::move(file)) {}
  [[nodiscard]] const KernelHeader& header() const override { return file_->parsed.header; }
  [[nodiscard]] std::unique_ptr<CtaSource> open() const override {
    return file_->parsed.layout == Layout::raw ? make_raw_source(file_, kRunBytes)
                                               : make_grouped_source(file_);
  }
  [[nodiscard]] std::unique_ptr<CtaDecoder> decoder() const override { return make_decoder(file_); }

 private:
  std::shared_ptr<const KernelFile> file_;
};

}  // namespace

std::shared_ptr<const Kernel> open_kernel(std::string name, StreamOpener opener) {
  BlockReader reader(opener(), name, kHeaderBlock);
  ParsedHeader parsed = parse_header(reader);
  return std::make_shared<FileKernel>(
      std::make_shared<KernelFile>(KernelFile{std::move(name), std::move(opener), std::move(parsed)}));
}

std::shared_ptr<const Kernel> open_kernel_file(const std::string& path) {
  if (path.ends_with(".tracez")) {
    return open_tracez(path);
  }
  return open_kernel(path, [path] { return open_file(path); });
}

BlockReader open_body(const KernelFile& file) {
  BlockReader reader(file.opener(), file.name);
  reader.skip(file.parsed.body_offset, file.parsed.body_line - 1);
  return reader;
}

}  // namespace wg::trace
