#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command.hpp"

namespace wg::cli {
namespace {

using testing::HasSubstr;

const std::string kMap = WG_SOURCE_DIR "/tests/codec/data/fmnist_conv3_it937_n32.npy";
const std::string kOther = WG_SOURCE_DIR "/tests/codec/data/inceptionv3_act89_n2.npy";

TEST(Compress, GivesTheFileBackByteForByte) {
  const Folder folder;
  for (const char* codec : {"zvc", "rle16", "rle8", "rle_val", "rle_zero", "deflate"}) {
    for (const char* layout : {"nchw", "nhwc", "chwn"}) {
      const std::string packed = folder / "map.wgz";
      const std::string back = folder / "map.npy";
      const Outcome there =
          run({"compress", kMap, "--codec", codec, "--layout", layout, "--out", packed, "--window", "8192"});
      ASSERT_EQ(there.code, 0) << there.err;
      EXPECT_LT(read(packed).size(), read(kMap).size() / 2);
      ASSERT_EQ(run({"decompress", packed, "--out", back}).code, 0);
      EXPECT_EQ(read(back), read(kMap)) << codec << ' ' << layout;
    }
  }
}

TEST(Compress, ReportsKnownSizesAsJson) {
  const Folder folder;
  const std::string json = folder / "report.json";
  const Outcome done = run({"compress", "--report", kMap, kOther, "--json", json});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("fmnist_conv3_it937_n32.npy"));
  EXPECT_THAT(done.out, HasSubstr("all together"));
  const auto report = nlohmann::json::parse(read(json));
  EXPECT_EQ(report["window_bytes"], 4096);
  ASSERT_EQ(report["maps"].size(), 2U);
  const auto& map = report["maps"][0];
  EXPECT_EQ(map["shape"], (std::vector<int>{32, 32, 7, 7}));
  EXPECT_EQ(map["nonzeros"], 9553);
  ASSERT_EQ(map["codecs"].size(), 18U);
  EXPECT_EQ(map["codecs"][0]["payload_bytes"], 44484);  // zvc
  EXPECT_EQ(map["codecs"][1]["payload_bytes"], 64260);  // rle16
  EXPECT_EQ(map["codecs"][5]["zlib_bytes"], map["codecs"][5]["payload_bytes"].get<int>() + 49 * 6);
  const auto& total = report["totals"][0];
  EXPECT_EQ(total["raw_bytes"], 200704 + 196608);
  EXPECT_EQ(total["payload_bytes"], 44484 + 9652);
  EXPECT_NEAR(total["max_ratio"], 196608.0 / 9652, 1e-9);
}

TEST(Compress, OneMapAndCodecInFull) {
  const Outcome done = run({"compress", "--report", kOther, "--codec", "zvc", "--layout", "nhwc"});
  EXPECT_EQ(done.code, 0);
  EXPECT_THAT(done.out, HasSubstr("20.370"));
  EXPECT_THAT(done.out, HasSubstr("9,652"));
  EXPECT_THAT(done.out, testing::Not(HasSubstr("rle8")));
}

TEST(Compress, SaysWhatIsWrong) {
  const Folder folder;
  const std::string bad = folder.file("bad.npy", "no array");
  const std::string out = folder / "out";
  const auto expect = [](const Outcome& outcome, int code, const char* text) {
    EXPECT_EQ(outcome.code, code) << text;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  expect(run({"compress", kMap}), 1, "expected one FILE and --out, or --report");
  expect(run({"compress", kMap, kOther, "--out", out}), 1, "found 2 files");
  expect(run({"compress", kMap, "--codec", "zip", "--out", out}), 1, "zvc, rle16, rle8");
  expect(run({"compress", kMap, "--layout", "hwcn", "--out", out}), 1, "nchw, nhwc or chwn");
  expect(run({"compress", kMap, "--window", "1000", "--out", out}), 1, "multiple of 256");
  expect(run({"compress", kMap, "--out", out, "--json", out}), 1, "--report only");
  expect(run({"compress", "--report", kMap, "--out", out}), 1, "no --out");
  expect(run({"compress", bad, "--out", out}), 2, "bad.npy@0: expected a NumPy array");
  expect(run({"compress", "--report", bad}), 2, "bad.npy@0");
  expect(run({"decompress", kMap, "--out", out}), 2, "WGFRAME1");
}

TEST(Compress, DoesNotWriteOverItsInput) {
  const Folder folder;
  const std::string map = folder.file("a.npy", read(kMap));
  const std::string packed = folder / "a.wgz";
  ASSERT_EQ(run({"compress", map, "--out", packed}).code, 0);
  const std::string content = read(packed);
  const Outcome over = run({"compress", map, "--out", map});
  EXPECT_EQ(over.code, 2);
  EXPECT_THAT(over.err, HasSubstr("an output that is no input"));
  EXPECT_EQ(run({"decompress", packed, "--out", packed}).code, 2);
  EXPECT_EQ(read(map), read(kMap));
  EXPECT_EQ(read(packed), content);
}

TEST(Compress, NoticesADamagedFile) {
  const Folder folder;
  const std::string packed = folder / "map.wgz";
  ASSERT_EQ(run({"compress", kMap, "--out", packed}).code, 0);
  std::string bytes = read(packed);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  const Outcome done = run({"decompress", folder.file("damaged.wgz", bytes), "--out", folder / "out"});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err, HasSubstr("damaged.wgz@"));
}

}  // namespace
}  // namespace wg::cli
