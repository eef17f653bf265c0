// Text written from records: what the lines look like, and the .tracez container.
#include <fmt/format.h>
#include <zstd.h>

#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "fuzz/consume.hpp"
#include "trace/convert.hpp"
#include "trace/kernel_file.hpp"
#include "trace/native_bytes.hpp"
#include "trace/native_file.hpp"
#include "trace/native_sample.hpp"
#include "trace/sample.hpp"
#include "trace/tracez.hpp"

namespace wg::trace::test {
namespace {

using ::testing::HasSubstr;

Workload text_workload(const HeaderText& header, const std::vector<std::string>& lines) {
  return workload_of({kernel_of(header.text() + block_text("0,0,0", {lines}))});
}

std::string written(const Workload& workload, std::uint32_t version) {
  const TempFolder folder;
  const std::string out = folder.path() + "/out";
  write_text(workload, out, version);
  EXPECT_EQ(bytes_of(out + "/kernelslist.g"), "kernel-1.traceg\n");
  return bytes_of(out + "/kernel-1.traceg");
}

const std::vector<std::string> kLines = {
    "7 0008 ffffffff 1 R1 LDG.E.64 2 R2 R255 8 1 0x7f1a20000100 8 -5",
    "7 0018 00000005 1 R1 LDG.E 1 R2 4 2 0x7f1a20000100 12 0",
    "9 0028 00000005 1 R1 LDG.E 1 R2 4 1 0x7f1a20000100 12 0",
    "9 0038 00000000 0 STG.E 2 R2 R4 4 1 0x0 77 3",
    "12 12348 00000001 0 EXIT 0 0 3",
};

TEST(TextLines, VersionFive) {
  HeaderText header;
  header.line_info = true;
  const std::string text = written(text_workload(header, kLines), 0);
  EXPECT_THAT(text, HasSubstr("-accelsim tracer version = 5\n-enable lineinfo = 1\n"));
  EXPECT_THAT(text, HasSubstr("#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 5\n"
                              "7 0008 ffffffff 1 R1 LDG.E.64 2 R2 R255 8 1 0x7f1a20000100 8 -5 \n"
                              "7 0018 00000005 1 R1 LDG.E 1 R2 4 2 0x7f1a20000100 12 0 \n"
                              "9 0028 00000005 1 R1 LDG.E 1 R2 4 2 0x7f1a20000100 12 0 \n"
                              "9 0038 00000000 0 STG.E 2 R2 R4 4 1 0x0 0 3 \n"
                              "12 12348 00000001 0 EXIT 0 0 3 \n\n#END_TB\n"));
}

TEST(TextLines, VersionThreeHasNoImmediatesAndLines) {
  HeaderText header;
  header.line_info = true;
  const std::string text = written(text_workload(header, kLines), 3);
  EXPECT_THAT(text, HasSubstr("-accelsim tracer version = 3\n"));
  EXPECT_THAT(text, HasSubstr("insts = 5\n0008 ffffffff 1 R1 LDG.E.64 2 R2 R255 8 1 0x7f1a20000100 8 \n"));
  EXPECT_THAT(text, HasSubstr("\n12348 00000001 0 EXIT 0 0 \n"));
  EXPECT_EQ(read_all(*kernel_of(text)).at(0).warps.at(0).size(), 5U);
}

TEST(TextLines, RefusesWhatAVersionCannotSay) {
  EXPECT_THROW(written(text_workload({}, {"0000 00000001 0 EXIT 0 0 0"}), 2), Error);
  EXPECT_THROW(written(text_workload({}, {"0000 00000001 0 EXIT 0 0 0"}), 7), Error);
  EXPECT_THROW(written(text_workload({}, {"0000 00000001 0 EXIT 0 0 0"}), 6), Error);
  HeaderText six;
  six.version = 6;
  EXPECT_THROW(written(text_workload(six, {"0000 00000001 1 P0 ISETP 1 R1 0 0 0 NoVal"}), 5), Error);
  EXPECT_THAT(written(text_workload(six, {"0000 00000001 1 P0 ISETP 1 R1 0 0 0 NoVal"}), 0),
              HasSubstr("0000 00000001 1 P0 ISETP 1 R1 0 0 0 NoVal"));
}

/// A container with one CTA of one warp, its lines in `chunks` packed with `dictionary`.
std::string container(const std::vector<std::string>& chunks, std::uint32_t insts,
                      const std::string& dictionary) {
  ByteWriter out;
  out.raw(HeaderText{}.text());
  out.byte(0);
  out.word(static_cast<std::uint32_t>(dictionary.size()));
  out.word(std::uint32_t{2048});
  out.raw(dictionary);
  const std::uint64_t warp = out.size();
  out.word(insts);
  out.word(static_cast<std::uint32_t>(chunks.size()));
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> state(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  ZSTD_CCtx_loadDictionary(state.get(), dictionary.data(), dictionary.size());
  for (const std::string& chunk : chunks) {
    std::string packed(ZSTD_compressBound(chunk.size()), '\0');
    packed.resize(ZSTD_compress2(state.get(), packed.data(), packed.size(), chunk.data(), chunk.size()));
    out.word(static_cast<std::uint32_t>(packed.size()));
    out.raw(packed);
  }
  const std::uint64_t index = out.size();
  out.word(std::uint32_t{1});
  for (int i = 0; i < 10; ++i) {
    out.word(std::uint32_t{0});
  }
  out.word(std::uint32_t{1});
  out.word(insts);
  out.word(static_cast<std::uint32_t>(chunks.size()));
  out.word(warp);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    out.word(std::uint32_t{1});
  }
  out.word(index);
  return std::string(out.view());
}

const std::string kFirst = "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x7f1a20000100 4 0";
const std::string kSecond = "0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x7f1a20000200 4 0";

TEST(Tracez, ChunksWithAndWithoutADictionary) {
  const std::vector<SeenInst> wanted = insts_of({}, {kFirst, kSecond, kFirst});
  for (const std::string& dictionary : {std::string{}, kSecond + "\n" + kFirst}) {
    const std::string bytes = container({kFirst + "\n" + kSecond, kFirst}, 3, dictionary);
    const auto kernel = tracez_kernel(native::FileBytes::of_memory("k.tracez", bytes));
    EXPECT_EQ(read_all(*kernel).at(0).warps.at(0), wanted);
    EXPECT_EQ(fuzz::consume_tracez(bytes), 3);
  }
}

TEST(Tracez, DamageIsAnErrorOrOtherText) {
  const std::string whole = container({kFirst + "\n" + kSecond, kFirst}, 3, kFirst);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(fuzz::consume_tracez(whole.substr(0, size)), -1) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {1, 0x10, 0xFF}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      fuzz::consume_tracez(bytes);  // aborts where records are unsound
    }
  }
  EXPECT_EQ(fuzz::consume_tracez(container({kFirst}, 2, "")), -1);  // one line fewer than promised
}

}  // namespace
}  // namespace wg::trace::test
