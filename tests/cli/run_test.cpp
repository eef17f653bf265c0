#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "command.hpp"
#include "gpu/result.hpp"
#include "report/json.hpp"
#include "report/memory.hpp"

namespace wg::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

const std::string kSeveral = "kernel:reduce?n=20000&launches=4";

/// Everything from "totals" on: what must not depend on threads or on being interrupted.
std::string results_of(const std::string& path) {
  const std::string text = read(path);
  const std::size_t at = text.find("\n  \"totals\"");
  EXPECT_NE(at, std::string::npos) << path;
  return at == std::string::npos ? text : text.substr(at);
}

class Run : public testing::Test {
 protected:
  Outcome simulate(std::vector<std::string> extra, const std::string& workload = kSeveral) {
    std::vector<std::string> words{"run", workload, "--gpu", "v100"};
    words.insert(words.end(), extra.begin(), extra.end());
    return run(words);
  }
  std::string json_of(const std::string& name, std::vector<std::string> extra,
                      const std::string& workload = kSeveral, int code = 0) {
    extra.insert(extra.end(), {"--quiet", "--json", folder_ / name});
    const Outcome outcome = simulate(extra, workload);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return folder_ / name;
  }
  Folder folder_;
};

TEST_F(Run, SaysCyclesAndWhy) {
  const Outcome outcome = simulate({}, "kernel:gemm?m=64&n=64&k=64");
  EXPECT_EQ(outcome.code, 0);
  for (const char* part :
       {"cycles", "IPC", "thread IPC", "occupancy", "why: ", "Where the issue slots went", "all slots",
        "100.0 %", "How near each limit is", "Memory", "L2 loads", "Hottest instructions", "FFMA"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST_F(Run, WritesTheContractsKeys) {
  const Json json = Json::parse(read(json_of("a.json", {})));
  EXPECT_EQ(json.at("schema_version"), report::kSchemaVersion);
  EXPECT_EQ(json.at("complete"), true);
  for (const char* key : {"version", "command", "gpu", "threads", "wall_seconds", "cpu_seconds",
                          "peak_rss_bytes", "machine_hash", "workload_hash"}) {
    EXPECT_TRUE(json.at("run").contains(key)) << key;
  }
  EXPECT_GT(json["run"]["wall_seconds"], 0.0);
  EXPECT_GT(json["run"]["peak_rss_bytes"], 1'000'000);
  std::uint64_t cycles = 0;
  std::uint64_t index = 0;
  for (const Json& kernel : json.at("kernels")) {
    EXPECT_EQ(kernel.at("index"), ++index);
    EXPECT_EQ(kernel.at("complete"), true);
    EXPECT_GT(kernel.at("warp_instructions"), 0);
    EXPECT_GE(kernel.at("thread_instructions"), kernel.at("warp_instructions"));
    cycles += kernel.at("cycles").get<std::uint64_t>();
  }
  EXPECT_GE(index, 4U);
  EXPECT_EQ(json["totals"]["cycles"], cycles);
}

TEST_F(Run, IssueSlotsSumUpInEveryKernel) {
  const Json json = Json::parse(read(json_of("a.json", {})));
  for (const Json& kernel : json.at("kernels")) {
    std::uint64_t sum = kernel.at("issued_slots");
    for (const auto& [reason, slots] : kernel.at("slots").items()) {
      sum += slots.get<std::uint64_t>();
    }
    EXPECT_EQ(sum, kernel.at("issue_slots"));
  }
}

TEST_F(Run, EveryCounterIsInTheDictionaryWithAUnit) {
  const Json words = Json::parse(run({"stats", "--json"}).out);
  std::set<std::string> known;
  for (const Json& word : words) {
    EXPECT_NE(word.at("unit"), "") << word;
    EXPECT_NE(word.at("meaning"), "") << word;
    EXPECT_TRUE(known.insert(word.at("name")).second) << word;
  }
  const auto fixed = report::fixed_keys();
  const Json json = Json::parse(read(json_of("a.json", {})));
  std::size_t counters = 0;
  for (const Json* object : {&json.at("totals"), &json.at("kernels").at(0)}) {
    for (const auto& [key, value] : object->items()) {
      if (std::find(fixed.begin(), fixed.end(), key) == fixed.end()) {
        EXPECT_TRUE(known.contains(key)) << key;
        EXPECT_TRUE(value.is_number()) << key;
        ++counters;
      }
    }
  }
  EXPECT_GT(counters, 100U);
}

TEST(Dictionary, HasEveryCounterThatTheMemoryTableLooksUp) {
  for (const std::string_view name : report::memory_names()) {
    EXPECT_TRUE(std::any_of(gpu::dictionary().begin(), gpu::dictionary().end(),
                            [name](const CounterInfo* info) { return info->name == name; }))
        << name;
  }
}

TEST_F(Run, IsTheSameForAnyNumberOfThreads) {
  const std::string one = results_of(json_of("one.json", {"--threads", "1"}));
  EXPECT_EQ(one, results_of(json_of("two.json", {"--threads", "2"})));
  EXPECT_EQ(one, results_of(json_of("seven.json", {"--threads", "7"})));
}

TEST_F(Run, OnlyTheKernelsAskedForAreSimulated) {
  const Json json = Json::parse(read(json_of("a.json", {"--kernels", "2-3,4"})));
  ASSERT_EQ(json.at("kernels").size(), 3U);
  EXPECT_EQ(json["kernels"][0]["index"], 2);
  EXPECT_EQ(json["kernels"][2]["index"], 4);
  EXPECT_EQ(json["run"]["kernel_selection"], "2-4");
}

TEST_F(Run, StopsAtALimitWithFourAndResumesToTheSameBytes) {
  for (const char* extra : {"", "--cold"}) {
    std::vector<std::string> options{"--timeline", folder_ / "t.csv", "--interval", "500"};
    if (*extra != '\0') {
      options.emplace_back(extra);
    }
    const std::string whole = json_of("whole.json", options);
    const std::string csv = read(folder_ / "t.csv");
    std::vector<std::string> limited = options;
    const auto total = Json::parse(read(whole))["totals"]["cycles"].get<std::uint64_t>();
    limited.insert(limited.end(), {"--max-cycles", std::to_string(total * 3 / 5)});
    const std::string part = json_of("part.json", limited, kSeveral, 4);
    const Json stopped = Json::parse(read(part));
    EXPECT_EQ(stopped.at("complete"), false);
    EXPECT_EQ(stopped["run"]["stopped_by"], "limit");
    EXPECT_LT(stopped["kernels"].size(), Json::parse(read(whole))["kernels"].size());
    EXPECT_TRUE(std::filesystem::exists(part + ".state"));
    std::vector<std::string> again = options;
    again.insert(again.end(), {"--resume", part});
    EXPECT_EQ(results_of(json_of("resumed.json", again)), results_of(whole));
    EXPECT_EQ(read(folder_ / "t.csv"), csv);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "resumed.json.state"));
  }
}

TEST_F(Run, ResumesInPlaceStepByStep) {
  const std::string whole = json_of("whole.json", {});
  const auto total = Json::parse(read(whole))["totals"]["cycles"].get<std::uint64_t>();
  std::string step = json_of("step.json", {"--max-cycles", std::to_string(total / 3)}, kSeveral, 4);
  step = json_of("step.json", {"--max-cycles", std::to_string(total * 2 / 3), "--resume", step}, kSeveral, 4);
  EXPECT_EQ(results_of(json_of("step.json", {"--resume", step})), results_of(whole));
}

TEST_F(Run, ResumeRefusesAnotherRun) {
  const std::string part = json_of("part.json", {"--max-cycles", "12000"}, kSeveral, 4);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--set", "l2.size=3MiB"}, "machine"}, {{"--cold"}, "--cold"}, {{"--kernels", "1"}, "--kernels"}};
  for (auto [extra, says] : cases) {
    extra.insert(extra.end(), {"--resume", part});
    const Outcome outcome = simulate(extra);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(says));
  }
  const Outcome other = simulate({"--resume", part}, "kernel:empty");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("workload"));
}

TEST_F(Run, CtrlCKeepsFinishedKernels) {
  const std::string path = folder_ / "c.json";
  const Outcome outcome = run_and_signal(
      {"run", "kernel:reduce?n=200000&launches=10000", "--gpu", "v100", "--json", path, "--threads", "1"},
      SIGINT, 1500);
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("NOT COMPLETE: it was interrupted"));
  const Json json = Json::parse(read(path));
  EXPECT_EQ(json.at("complete"), false);
  EXPECT_EQ(json["run"]["stopped_by"], "interrupt");
  for (const Json& kernel : json.at("kernels")) {
    EXPECT_EQ(kernel.at("complete"), true);
  }
  EXPECT_EQ(std::filesystem::exists(path + ".state"), !json.at("kernels").empty());
}

TEST_F(Run, CtrlCKeepsWhatALongKernelHasDone) {
  const std::string path = folder_ / "c.json";
  const Outcome outcome = run_and_signal({"run", "kernel:vecadd?n=300000000", "--gpu", "v100", "--json", path,
                                          "--timeline", folder_ / "c.csv", "--threads", "1"},
                                         SIGINT, 1500);
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("results cover 1 kernel, the last one in part"));
  EXPECT_THAT(outcome.out, HasSubstr("(not finished: the run stopped here)"));
  const Json json = Json::parse(read(path));
  EXPECT_EQ(json["run"]["stopped_by"], "interrupt");
  ASSERT_EQ(json["kernels"].size(), 1U);
  EXPECT_EQ(json["kernels"][0]["complete"], false);
  EXPECT_GT(json["kernels"][0]["cycles"], 0);
  EXPECT_THAT(read(folder_ / "c.csv"), HasSubstr("vecadd"));
}

TEST_F(Run, ReportPrintsASavedResultAgain) {
  std::vector<std::string> words{
      "run", "kernel:gemm?m=64&n=64&k=64", "--gpu", "v100", "--json", folder_ / "a.json"};
  EXPECT_EQ(run({"report", folder_ / "missing.json"}).code, 2);
  const std::string first = run(words).out;
  EXPECT_EQ(run({"report", folder_ / "a.json"}).out, first);
  EXPECT_EQ(run({"report", folder_ / "a.json", "--html", folder_ / "a.html"}).code, 0);
  EXPECT_THAT(read(folder_ / "a.html"), HasSubstr("<svg"));
}

TEST_F(Run, TimelineAddsUpToTheKernel) {
  const Json json = Json::parse(read(json_of("a.json", {"--timeline", folder_ / "t.csv", "--interval", "700"},
                                             "kernel:gemm?m=64&n=64&k=64")));
  const Json& kernel = json.at("kernels").at(0);
  const Json& timeline = kernel.at("timeline");
  std::uint64_t sum = 0;
  for (const Json& part : timeline.at("warp_instructions")) {
    sum += part.get<std::uint64_t>();
  }
  EXPECT_EQ(sum, kernel.at("warp_instructions"));
  EXPECT_EQ(timeline.at("end_cycle").back(), kernel.at("cycles"));
  const std::string csv = read(folder_ / "t.csv");
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')),
            timeline.at("end_cycle").size() + 1);
}

TEST_F(Run, TakesARecordedTrace) {
  const std::string trace = tiny_trace(folder_);
  const Json json = Json::parse(read(json_of("a.json", {}, trace)));
  ASSERT_EQ(json.at("kernels").size(), 2U);
  EXPECT_EQ(json["totals"]["warp_instructions"], 16);
  ASSERT_EQ(json.at("copies").size(), 1U);
  EXPECT_EQ(json["copies"][0]["bytes"], 4096);
}

TEST_F(Run, ADamagedTraceKeepsWhatWasFinished) {
  const std::string trace = tiny_trace(folder_);
  std::string second = read(folder_ / "kernel-2.traceg");
  second.resize(second.find("FADD") + 4);
  folder_.file("kernel-2.traceg", second);
  const Outcome outcome = run({"run", trace, "--gpu", "v100", "--json", folder_ / "a.json"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("kernel-2.traceg"));
  const Json json = Json::parse(read(folder_ / "a.json"));
  EXPECT_EQ(json.at("complete"), false);
  EXPECT_EQ(json.at("kernels").size(), 1U);
}

TEST(Trace, InfoCheckAndCat) {
  const Folder folder;
  const std::string trace = tiny_trace(folder);
  const Outcome info = run({"trace", "info", trace});
  EXPECT_EQ(info.code, 0);
  for (const char* part :
       {"2 kernels", "first", "second", "1 memory copy", "warp instructions", "16", "Instruction mix"}) {
    EXPECT_THAT(info.out, HasSubstr(part));
  }
  const Outcome check = run({"trace", "check", trace});
  EXPECT_EQ(check.code, 0);
  EXPECT_THAT(check.out, HasSubstr("sound"));
  const Outcome cat = run({"trace", "cat", trace, "--kernel", "2", "--cta", "1"});
  EXPECT_EQ(cat.code, 0);
  EXPECT_THAT(cat.out, HasSubstr("  0010 ffffffff LDG.E.SYS R4 <- R2-R3 4 sectors [0x7f2000000000 +4]\n"));
  EXPECT_EQ(run({"trace", "cat", trace, "--cta", "2"}).code, 1);
  EXPECT_EQ(run({"trace", "cat", trace, "--kernel", "3"}).code, 1);
  EXPECT_EQ(run({"trace", "info", "kernel:gemm"}).code, 0);
  folder.file("kernel-2.traceg", "nonsense\n");
  const Outcome broken = run({"trace", "check", trace});
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.out, HasSubstr("kernel-2.traceg"));
}

}  // namespace
}  // namespace wg::cli
