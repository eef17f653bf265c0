// `trace convert`, and that a run does not depend on the form of its trace.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace wg::cli {
namespace {

std::string results(const Folder& folder, const std::string& workload, const std::string& threads) {
  const std::string json = folder / "result.json";
  const Outcome run_outcome =
      run({"run", workload, "--gpu", "v100", "--threads", threads, "--quiet", "--json", json});
  EXPECT_EQ(run_outcome.code, 0) << run_outcome.err;
  const nlohmann::json all = nlohmann::json::parse(read(json));
  return all.at("totals").dump() + all.at("kernels").dump();
}

TEST(Convert, AllFormsGiveTheSameResults) {
  const Folder folder;
  const std::string text = tiny_trace(folder);
  const std::string wanted = results(folder, text, "1");
  EXPECT_GT(wanted.size(), 500U);
  for (const char* const name : {"a.wgt", "b.tracez", "c"}) {
    const Outcome converted = run({"trace", "convert", text, folder / name});
    ASSERT_EQ(converted.code, 0) << converted.err;
    EXPECT_EQ(results(folder, folder / name, "1"), wanted) << name;
    EXPECT_EQ(results(folder, folder / name, "2"), wanted) << name;
  }
  ASSERT_EQ(run({"trace", "convert", folder / "a.wgt", folder / "d"}).code, 0);
  EXPECT_EQ(results(folder, folder / "d", "1"), wanted);
  EXPECT_EQ(run({"trace", "check", folder / "a.wgt"}).code, 0);
}

TEST(Convert, KernelsWrittenAsCode) {
  const Folder folder;
  ASSERT_EQ(run({"trace", "convert", "kernel:reduce", folder / "r.wgt", "--sm", "70"}).code, 0);
  EXPECT_EQ(results(folder, folder / "r.wgt", "2"), results(folder, "kernel:reduce", "1"));
}

TEST(Convert, CtrlCLeavesNothingBehind) {
  const Folder folder;
  const std::string place = folder / "out";
  std::filesystem::create_directory(place);
  for (const char* const name : {"a.wgt", "b.tracez", "c"}) {
    const std::string out = place + "/" + name;
    const Outcome stopped =
        run_and_signal({"trace", "convert", "kernel:vecadd?n=500000000", out}, SIGINT, 700);
    EXPECT_EQ(stopped.code, 4) << stopped.err;
    EXPECT_EQ(stopped.err, "warpgauge: interrupted: " + out + " was not written\n");
    EXPECT_TRUE(std::filesystem::is_empty(place)) << name;
  }
  // A folder that was there before stays, empty.
  EXPECT_EQ(run_and_signal({"trace", "convert", "kernel:vecadd?n=500000000", place}, SIGINT, 700).code, 4);
  EXPECT_TRUE(std::filesystem::is_empty(place));
  EXPECT_EQ(run({"trace", "convert", tiny_trace(folder), place}).code, 0);
}

TEST(Convert, AFailureLeavesNoHalfFilledFolder) {
  const Folder folder;
  const std::string list = tiny_trace(folder);
  std::string second = read(folder / "kernel-2.traceg");
  second.replace(second.rfind("insts = 4"), 9, "insts = 9");
  folder.file("kernel-2.traceg", second);
  EXPECT_EQ(run({"trace", "convert", list, folder / "c"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "c"));
}

TEST(Convert, RefusesWhatItCannotWrite) {
  const Folder folder;
  const std::string text = tiny_trace(folder);
  EXPECT_EQ(run({"trace", "convert", text, folder / "none/x.wgt"}).code, 2);
  EXPECT_EQ(run({"trace", "convert", text, folder / "x", "--tracer-version", "9"}).code, 1);
  EXPECT_EQ(run({"trace", "convert", text}).code, 1);
  const std::string packed = folder / "same.wgt";
  ASSERT_EQ(run({"trace", "convert", text, packed}).code, 0);
  const std::string content = read(packed);
  EXPECT_EQ(run({"trace", "convert", packed, packed}).code, 2);
  EXPECT_EQ(read(packed), content);
  const std::string cut = folder.file("cut.wgt", "\x89WGT\r\n");
  const Outcome outcome = run({"run", cut, "--gpu", "v100"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("cut.wgt@0"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace wg::cli
