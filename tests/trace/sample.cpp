#include "trace/sample.hpp"

#include <fmt/format.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <bit>
#include <fstream>

#include "base/error.hpp"

namespace wg::trace::test {

std::string HeaderText::text() const {
  std::string out = fmt::format(
      "-kernel name = _Z4testv\n-kernel id = 3\n-grid dim = {}\n-block dim = {}\n-shmem = 1024\n-nregs = 32\n"
      "-binary version = {}\n-cuda stream id = 0\n",
      grid, block, arch);
  if (version > 1) {
    out += fmt::format(
        "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0002000000\n-nvbit version = "
        "1.7\n"
        "-accelsim tracer version = {}\n",
        version);
  }
  if (version >= 4) {
    out += fmt::format("-enable lineinfo = {}\n", line_info ? 1 : 0);
  }
  return out + extra + "\n#traces format = PC mask\n\n";
}

std::string block_text(const std::string& index, const std::vector<std::vector<std::string>>& warps) {
  std::string out = "\n#BEGIN_TB\n\nthread block = " + index + "\n";
  for (std::size_t w = 0; w < warps.size(); ++w) {
    out += fmt::format("\nwarp = {}\ninsts = {}\n", w, warps[w].size());
    for (const std::string& line : warps[w]) {
      out += line + "\n";
    }
  }
  return out + "\n#END_TB\n";
}

std::shared_ptr<const Kernel> kernel_of(std::string bytes, const std::string& name) {
  const auto shared = std::make_shared<const std::string>(std::move(bytes));
  return open_kernel(name, [shared, name] { return open_memory(name, *shared); });
}

namespace {

SeenInst seen(const CtaTrace& cta, const DynInst& inst, const CtaDecoder& decoder) {
  const isa::StaticInst& info = decoder.instructions()[inst.inst];
  SeenInst out{info.pc,
               inst.mask,
               std::string(decoder.mnemonic(inst.inst)),
               info.imm,
               inst.address != DynInst::kNoAddress,
               {}};
  if (out.has_address) {
    for (std::uint32_t lane = 0; lane < static_cast<std::uint32_t>(std::popcount(inst.mask)); ++lane) {
      out.addresses.push_back(cta.form(inst).at(lane));
    }
  }
  return out;
}

}  // namespace

std::vector<SeenCta> read_all(const Kernel& kernel) { return read_all(kernel, *kernel.open()); }

std::vector<SeenCta> read_all(const Kernel& kernel, CtaSource& source) {
  const auto decoder = kernel.decoder();
  CtaBlob blob;
  CtaTrace cta;
  std::vector<SeenCta> out;
  while (source.next(blob)) {
    EXPECT_EQ(blob.number, out.size());
    decoder->decode(blob, cta);
    SeenCta& block = out.emplace_back();
    block.index = cta.index;
    for (const WarpTrace& warp : cta.warps) {
      EXPECT_EQ(warp.warp, block.warps.size());
      auto& insts = block.warps.emplace_back();
      for (std::uint32_t i = 0; i < warp.count; ++i) {
        insts.push_back(seen(cta, cta.insts[warp.first + i], *decoder));
      }
    }
  }
  return out;
}

std::vector<SeenInst> insts_of(const HeaderText& header, const std::vector<std::string>& lines) {
  return read_all(*kernel_of(header.text() + block_text("0,0,0", {lines}))).at(0).warps.at(0);
}

std::string error_of(const std::string& bytes, const std::string& name) {
  try {
    read_all(*kernel_of(bytes, name));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string line_error(const HeaderText& header, const std::vector<std::string>& lines) {
  return error_of(header.text() + block_text("0,0,0", {lines}));
}

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "wg-trace-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
  path_ = name;
}
TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}
std::string TempFolder::write(const std::string& name, std::string_view bytes) const {
  const std::filesystem::path path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

std::string packed(std::string_view text, std::string_view suffix) {
  std::string out(text.size() + 4096, '\0');
  if (suffix == ".zst") {
    const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> state(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(state.get(), ZSTD_c_checksumFlag, 1);  // as the command line does
    out.resize(ZSTD_compress2(state.get(), out.data(), out.size(), text.data(), text.size()));
  } else if (suffix == ".xz") {
    std::size_t used = 0;
    const auto result = lzma_easy_buffer_encode(
        1, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
        reinterpret_cast<std::uint8_t*>(out.data()), &used, out.size());
    EXPECT_EQ(result, LZMA_OK);
    out.resize(used);
  } else {
    z_stream state{};
    deflateInit2(&state, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string input(text);
    state.next_in = reinterpret_cast<Bytef*>(input.data());
    state.avail_in = static_cast<uInt>(input.size());
    state.next_out = reinterpret_cast<Bytef*>(out.data());
    state.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
    out.resize(state.total_out);
    deflateEnd(&state);
  }
  return out;
}

}  // namespace wg::trace::test
