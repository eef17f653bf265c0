// Small hand-written traces of every version, and the seeds of the fuzz targets.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/consume.hpp"
#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

namespace fs = std::filesystem;

std::string data(const std::string& name) {
  return fmt::format("{}/tests/trace/data/{}", WG_SOURCE_DIR, name);
}

std::vector<SeenCta> read_file(const std::string& name) { return read_all(*open_kernel_file(data(name))); }

std::string bytes_of(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

TEST(TraceFixtures, EveryVersionSaysTheSameProgram) {
  const std::vector<SeenCta> blocks = read_file("v3.traceg");
  ASSERT_EQ(blocks.size(), 2U);
  ASSERT_EQ(blocks[1].warps.size(), 2U);
  const std::vector<SeenInst>& warp = blocks[1].warps[1];
  ASSERT_EQ(warp.size(), 9U);
  EXPECT_EQ(warp[3].addresses.front(), 0x7f1a20000180U);
  EXPECT_EQ(warp[3].addresses.back(), 0x7f1a20000180U + 31 * 4);
  EXPECT_EQ(warp[4].addresses, (std::vector<std::uint64_t>{0x7f1a20000180, 0x7f1a20000188, 0x7f1a20000184}));
  EXPECT_TRUE(warp[5].has_address);
  EXPECT_EQ(read_file("v4.traceg"), blocks);
  std::vector<SeenCta> with_imm = read_file("v5.traceg");
  for (SeenCta& block : with_imm) {
    for (auto& insts : block.warps) {
      EXPECT_EQ(insts.at(2).imm, 4);
      EXPECT_EQ(insts.at(4).imm, 16);
      for (SeenInst& inst : insts) {
        inst.imm = 0;
      }
    }
  }
  EXPECT_EQ(with_imm, blocks);
}

TEST(TraceFixtures, RawEqualsGrouped) {
  for (const char* name : {"v1.2", "v3", "v4", "v5", "v5-ldgsts", "v6"}) {
    EXPECT_EQ(read_file(std::string(name) + ".trace"), read_file(std::string(name) + ".traceg")) << name;
  }
}

TEST(TraceFixtures, VersionOneHasIdsOnItsLines) {
  EXPECT_EQ(read_file("v1.0.traceg"), read_file("v1.2.traceg"));
  EXPECT_EQ(read_file("v1.0.traceg").at(1).warps.at(0).at(1).addresses,
            (std::vector<std::uint64_t>{0x7f1a20000100, 0x7f1a20000140}));
}

TEST(TraceFixtures, VersionSixKeepsItsInstructions) {
  const std::vector<SeenCta> blocks = read_file("v6.traceg");
  ASSERT_EQ(blocks.size(), 2U);
  const std::vector<SeenInst>& warp = blocks[0].warps.at(0);
  ASSERT_EQ(warp.size(), 10U);
  EXPECT_EQ(warp[3].addresses, std::vector<std::uint64_t>{0x7f1a20000000});
  EXPECT_EQ(warp[6].imm, 1);
  EXPECT_EQ(warp[7].addresses,
            (std::vector<std::uint64_t>{0x7f1a20000000, 0x7f1a20000004, 0x7f1a2000000c, 0x7f1a20000010}));
}

TEST(TraceFixtures, AllAreSoundToTheFuzzTarget) {
  for (const fs::directory_entry& entry : fs::directory_iterator(data(""))) {
    EXPECT_GT(fuzz::consume_kernel(bytes_of(entry.path())), 0) << entry.path();
  }
}

TEST(TraceFixtures, SeedsOfTheFuzzTargets) {
  const fs::path corpus = fs::path(WG_SOURCE_DIR) / "tests/fuzz/corpus";
  for (const char* good : {"v3.traceg.xz", "v3.traceg.gz", "v3.traceg.zst", "crlf-no-newline"}) {
    EXPECT_EQ(fuzz::consume_kernel(bytes_of(corpus / "trace" / good)), 36) << good;
  }
  for (const char* bad : {"cut", "duplicate-block", "wrong-count", "absurd-grid", "bad-mask", "header-only",
                          "raw-line-of-ids"}) {
    EXPECT_EQ(fuzz::consume_kernel(bytes_of(corpus / "trace" / bad)), -1) << bad;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(corpus / "trace")) {
    fuzz::consume_kernel(bytes_of(entry.path()));
  }
  EXPECT_EQ(fuzz::consume_list(bytes_of(corpus / "kernelslist" / "plain")), 4);
  EXPECT_EQ(fuzz::consume_list(bytes_of(corpus / "kernelslist" / "odd")), 3);
}

}  // namespace
}  // namespace wg::trace::test
