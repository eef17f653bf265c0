#include "kernels/builder_kernel.hpp"

#include <stdexcept>
#include <utility>

namespace wg::kernels {
namespace {

// Where the driver put these windows in recorded traces; generic accesses are resolved against them.
constexpr std::uint64_t kSharedWindow = 0x7f1a'0000'0000;
constexpr std::uint64_t kLocalWindow = 0x7f1a'0200'0000;
constexpr std::uint32_t kTracerVersion = 5;  // the records carry what a version 5 trace carries

using SharedCode = std::shared_ptr<const KernelCode>;

KernelCode complete(KernelCode code, std::uint32_t sm_version, std::uint64_t id) {
  code.header.id = id;
  code.header.binary_version = sm_version;
  code.header.shared_base = kSharedWindow;
  code.header.local_base = kLocalWindow;
  code.header.tracer_version = kTracerVersion;
  return code;
}

/// Counts CTAs; a builder's blob is only the number.
class NumberSource final : public trace::CtaSource {
 public:
  explicit NumberSource(std::uint64_t count) : count_(count) {}
  bool next(trace::CtaBlob& out) override {
    if (next_ == count_) {
      return false;
    }
    out.number = next_++;
    out.offset = 0;
    out.line = 0;
    out.text.clear();
    return true;
  }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t count_;
};

class BuilderDecoder final : public trace::CtaDecoder {
 public:
  BuilderDecoder(SharedCode code, bool verify)
      : code_(std::move(code)),
        dialect_(code_->header.binary_version),
        program_(code_->header.binary_version),
        builder_(program_, dialect_, code_->header, verify) {}

  void decode(const trace::CtaBlob& blob, trace::CtaTrace& out) override {
    if (blob.number >= code_->header.grid.count()) {
      throw std::logic_error("a CTA number beyond the grid");
    }
    builder_.begin_cta(out, blob.number);
    const std::uint32_t warps = code_->header.warps_per_cta();
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      builder_.begin_warp(warp);
      code_->warp(builder_);
      builder_.end_warp();
    }
  }
  [[nodiscard]] std::span<const isa::StaticInst> instructions() const override {
    return program_.instructions();
  }
  [[nodiscard]] std::string_view mnemonic(std::uint32_t index) const override {
    return program_.mnemonic(index);
  }
  [[nodiscard]] isa::RawInst spelling(std::uint32_t index) const override { return program_.spelling(index); }

 private:
  SharedCode code_;
  Dialect dialect_;
  Program program_;
  WarpBuilder builder_;
};

class BuilderKernel final : public trace::Kernel {
 public:
  explicit BuilderKernel(KernelCode code) : code_(std::make_shared<const KernelCode>(std::move(code))) {}

  [[nodiscard]] const trace::KernelHeader& header() const override { return code_->header; }
  [[nodiscard]] std::unique_ptr<trace::CtaSource> open() const override {
    return std::make_unique<NumberSource>(code_->header.grid.count());
  }
  [[nodiscard]] std::unique_ptr<trace::CtaDecoder> decoder() const override {
    return std::make_unique<BuilderDecoder>(code_, false);
  }

 private:
  SharedCode code_;
};

}  // namespace

std::shared_ptr<const trace::Kernel> make_kernel(KernelCode code, std::uint32_t sm_version,
                                                 std::uint64_t id) {
  return std::make_shared<BuilderKernel>(complete(std::move(code), sm_version, id));
}

std::unique_ptr<trace::CtaDecoder> make_verifying_decoder(KernelCode code, std::uint32_t sm_version) {
  return std::make_unique<BuilderDecoder>(
      std::make_shared<const KernelCode>(complete(std::move(code), sm_version, 1)), true);
}

}  // namespace wg::kernels
