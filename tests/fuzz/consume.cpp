#include "fuzz/consume.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "trace/kernel_file.hpp"
#include "trace/kernels_list.hpp"
#include "trace/native.hpp"
#include "trace/native_file.hpp"
#include "trace/summary.hpp"
#include "trace/tracez.hpp"

namespace wg::trace::fuzz {
namespace {

constexpr std::size_t kMostText = std::size_t{4} << 20;     // a few bytes can unpack to gigabytes
constexpr std::int64_t kMostInsts = std::int64_t{1} << 20;  // likewise of native traces
constexpr std::size_t kRunBytes = 256;                      // so that raw files go through the temporary file

void require(bool sound) {
  if (!sound) {
    std::abort();
  }
}

/// Ends after `kMostText` bytes.
class Limited final : public ByteStream {
 public:
  explicit Limited(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t got = stream_->read(out.first(std::min(out.size(), left_)));
    left_ -= got;
    return got;
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::size_t left_ = kMostText;
};

StreamOpener opener_of(std::string_view bytes) {
  return [bytes] { return std::make_unique<Limited>(open_memory("fuzz", bytes)); };
}

/// Everything that CtaTrace promises.
void check(const KernelHeader& header, const CtaTrace& cta, const CtaDecoder& decoder) {
  require(cta.index.x < header.grid.x && cta.index.y < header.grid.y && cta.index.z < header.grid.z);
  require(cta.warps.size() == header.warps_per_cta());
  std::uint64_t counted = 0;
  for (std::size_t w = 0; w < cta.warps.size(); ++w) {
    const WarpTrace& warp = cta.warps[w];
    require(warp.warp == w && warp.first + std::uint64_t{warp.count} <= cta.insts.size());
    counted += warp.count;
  }
  require(counted == cta.insts.size());
  for (const DynInst& inst : cta.insts) {
    require(inst.inst < decoder.instructions().size() && !decoder.mnemonic(inst.inst).empty());
    if (inst.address != DynInst::kNoAddress) {
      const auto lanes = static_cast<std::size_t>(std::popcount(inst.mask));
      const std::size_t entries = inst.address % 2 == 0 ? 2 : lanes;
      require(inst.address / 2 + entries <= cta.addresses.size());
      const AddressForm form = cta.form(inst);
      require(form.strided || form.list.size() == lanes);
    }
  }
}

std::int64_t read_kernel(const KernelFile& file, const Kernel& kernel, CtaSource& source) {
  const auto decoder = kernel.decoder();
  CtaBlob blob;
  CtaTrace cta;
  std::int64_t insts = 0;
  for (std::uint64_t number = 0; source.next(blob); ++number) {
    require(blob.number == number);
    decoder->decode(blob, cta);
    check(file.parsed.header, cta, *decoder);
    insts += static_cast<std::int64_t>(cta.insts.size());
  }
  return insts;
}

std::int64_t read_native(const Kernel& kernel) {
  const auto source = kernel.open();
  const auto decoder = kernel.decoder();
  std::vector<CtaBlob> blobs;
  CtaBlob blob;
  CtaTrace cta;
  std::int64_t insts = 0;
  for (; insts < kMostInsts && source->next(blob); blobs.push_back(blob)) {
    require(blob.number == blobs.size());
    decoder->decode(blob, cta);
    check(kernel.header(), cta, *decoder);
    insts += static_cast<std::int64_t>(cta.insts.size());
  }
  std::int64_t again = 0;
  for (; !blobs.empty(); blobs.pop_back()) {
    decoder->decode(blobs.back(), cta);
    again += static_cast<std::int64_t>(cta.insts.size());
  }
  require(insts == again);
  return insts;
}

}  // namespace

std::int64_t consume_kernel(std::string_view bytes) {
  try {
    const StreamOpener opener = opener_of(bytes);
    const auto kernel = open_kernel("fuzz", opener);
    BlockReader reader(opener(), "fuzz");
    const auto file = std::make_shared<KernelFile>(KernelFile{"fuzz", opener, parse_header(reader)});
    const auto source =
        file->parsed.layout == Layout::raw ? make_raw_source(file, kRunBytes) : make_grouped_source(file);
    check_kernel(*kernel);
    const std::int64_t insts = read_kernel(*file, *kernel, *source);
    // What was accepted must be accepted again when written out, and say the same.
    std::string again;
    write_grouped(*kernel, [&again](std::string_view text) { again += text; });
    if (again.size() < kMostText) {
      const auto copy = open_kernel("again", opener_of(again));
      require(summarize(*copy).warp_instructions == static_cast<std::uint64_t>(insts));
    }
    return insts;
  } catch (const Error& error) {
    require(!error.problems().empty());
    return -1;
  }
}

std::int64_t consume_native(std::string_view bytes, bool verify) {
  try {
    native::ReadLimits limits;
    limits.verify = verify;
    limits.most_raw = kMostText;
    limits.most_insts = static_cast<std::uint64_t>(kMostInsts);
    const Workload workload =
        native_workload(native::FileBytes::of_memory("fuzz", std::string(bytes), limits));
    std::int64_t insts = 0;
    for (const Command& command : workload.commands) {
      const auto* const kernel = std::get_if<std::shared_ptr<const Kernel>>(&command);
      if (kernel != nullptr && insts < kMostInsts) {
        insts += read_native(**kernel);
      }
    }
    return insts;
  } catch (const Error& error) {
    require(!error.problems().empty() && error.problems().front().where.starts_with("fuzz@"));
    return -1;
  }
}

std::int64_t consume_tracez(std::string_view bytes) {
  try {
    const auto kernel = tracez_kernel(native::FileBytes::of_memory("fuzz", std::string(bytes)));
    return read_native(*kernel);
  } catch (const Error& error) {
    require(!error.problems().empty());
    return -1;
  }
}

std::int64_t consume_list(std::string_view bytes) {
  const KernelsList list = parse_kernels_list(bytes, "fuzz");
  return static_cast<std::int64_t>(list.entries.size());
}

}  // namespace wg::trace::fuzz
