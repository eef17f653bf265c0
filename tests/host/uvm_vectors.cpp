// Every vector of the driver's and of the published rule, exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "base/error.hpp"
#include "host/uvm/decide_file.hpp"

namespace wg::host::uvm {
namespace {

const std::string kData = WG_SOURCE_DIR "/tests/host/data/uvm/";

DecideSummary checked(const std::string& name, bool clamp_fix = false) {
  return decide_file(kData + name, {.check = true, .clamp_fix = clamp_fix}, [](const std::string&) {});
}

TEST(UvmVectors, SingleDecisionsOfTheDriver) {
  const DecideSummary sum = checked("tbnp_oracle_vectors.jsonl");
  EXPECT_EQ(sum.decisions, 145U);
  EXPECT_EQ(sum.differences, 0U) << sum.first_difference;
}

TEST(UvmVectors, HistoriesOfTheDriver) {
  const DecideSummary sum = checked("tbnp_oracle_sequences.jsonl");
  EXPECT_EQ(sum.decisions, 418U);
  EXPECT_EQ(sum.differences, 0U) << sum.first_difference;
}

TEST(UvmVectors, HandMadeHistoriesByBothRules) {
  const DecideSummary sum = checked("tbnp_hand_vectors.jsonl");
  EXPECT_EQ(sum.records, 43U);
  EXPECT_EQ(sum.decisions, 112U);
  EXPECT_EQ(sum.leaf_steps, 78U);
  EXPECT_EQ(sum.differences, 0U) << sum.first_difference;
}

TEST(UvmVectors, LeafHistories) {
  const DecideSummary sum = checked("leaf_mode_hand_vectors.jsonl");
  EXPECT_EQ(sum.leaf_steps, 25U);
  EXPECT_EQ(sum.differences, 0U) << sum.first_difference;
}

TEST(UvmVectors, ClampFixDiffersInUnalignedBlocksOnly) {
  EXPECT_GT(checked("tbnp_oracle_vectors.jsonl", true).differences, 0U);
  EXPECT_EQ(checked("tbnp_oracle_sequences.jsonl", true).differences, 0U);
}

std::string written(const std::string& text) {
  const std::string path = testing::TempDir() + "uvm_decide.jsonl";
  std::ofstream(path) << text;
  return path;
}

TEST(UvmDecide, ShowsTheFirstDifferencePageByPage) {
  const std::string path =
      written(R"({"id":"x","start_page":0,"npages":32,"threshold":51,"faulted":[[0,1]],"resident":[],)"
              R"("prefetch":[[1,14]],"migrated":[[0,15]]})");
  const DecideSummary sum = decide_file(path, {.check = true}, [](const std::string&) {});
  EXPECT_EQ(sum.differences, 2U);
  EXPECT_THAT(sum.first_difference, testing::HasSubstr("x prefetch: expected 1-14, found 1-15"));
  EXPECT_THAT(sum.first_difference, testing::HasSubstr("FPPPPPPPPPPPPPP+ ................"));
  EXPECT_THAT(sum.first_difference, testing::HasSubstr("leaves 0-31: 16 of 32 (50.0 %) <= 51 %"));
}

TEST(UvmDecide, PrintsDecisions) {
  std::string out;
  decide_file(kData + "tbnp_hand_vectors.jsonl", {}, [&](const std::string& line) { out += line + '\n'; });
  EXPECT_THAT(out, testing::HasSubstr("H41 step 4: faulted 32; prefetch 0-31, 33-63; migrated 32-63"));
  EXPECT_THAT(out, testing::HasSubstr("H41 step 4, published rule: migrated 32-63, 80-127"));
}

TEST(UvmDecide, RefusesWhatItCannotRead) {
  const std::vector<std::string> bad{
      "[1]",
      "{",
      "{}",
      R"({"steps":3,"npages":4,"start_page":0,"threshold":51})",
      R"({"start_page":500,"npages":32,"threshold":51,"faulted":[],"resident":[]})",
      R"({"start_page":0,"npages":32,"threshold":51,"faulted":[[31,2]],"resident":[]})",
      R"({"start_page":0,"npages":32,"threshold":51,"faulted":[-1],"resident":[]})",
      R"({"start_page":0,"npages":32,"threshold":51,"faulted":[0],"resident":[]})",
      R"({"leaves":8,"steps":[{"op":"fault","leaf":8,"migrated_leaves":[]}]})",
      R"({"leaves":0,"steps":[]})"};
  for (const std::string& text : bad) {
    const std::string path = written("\n" + text + "\n");
    try {
      decide_file(path, {.check = true}, [](const std::string&) {});
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(path + ":2: expected")) << text;
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("exception"))) << text;
    }
  }
  EXPECT_THROW(decide_file("/no/such", {}, [](const std::string&) {}), Error);
}

}  // namespace
}  // namespace wg::host::uvm
