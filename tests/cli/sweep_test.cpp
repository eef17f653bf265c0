// `warpgauge sweep` as a user sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace wg::cli {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

std::vector<std::string> sweep(const std::string& workload, const std::vector<std::string>& more) {
  std::vector<std::string> words{"sweep", workload, "--gpu", "v100"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Sweep, AgreesWithSingleRuns) {
  const Folder folder;
  const std::string trace = tiny_trace(folder), json = folder / "s.json", csv = folder / "s.csv";
  const Outcome done = run(sweep(trace, {"--vary", "l2.latency=60,300", "--vary", "sm.count=2,4", "--threads",
                                         "2", "--json", json, "--csv", csv}));
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("4 points"));
  const Json points = Json::parse(read(json)).at("points");
  ASSERT_EQ(points.size(), 4U);
  const std::string one = folder / "one.json";
  for (const Json& point : points) {
    const std::string latency = point["set"]["l2.latency"], count = point["set"]["sm.count"];
    ASSERT_EQ(run({"run", trace, "--gpu", "v100", "--quiet", "--json", one, "--set", "l2.latency=" + latency,
                   "--set", "sm.count=" + count})
                  .code,
              0);
    const Json single = Json::parse(read(one));
    EXPECT_EQ(point["cycles"], single["totals"]["cycles"]);
    EXPECT_EQ(point["machine_hash"], single["run"]["machine_hash"]);
  }
  EXPECT_GT(points[2]["cycles"], points[0]["cycles"]);
  EXPECT_THAT(read(csv), testing::StartsWith("l2.latency,sm.count,machine_hash,state,cycles,"));
}

TEST(Sweep, TakesSeveralMachines) {
  const Folder folder;
  const std::string json = folder / "s.json", csv = folder / "s.csv", one = folder / "one.json";
  const std::vector<std::string> words{
      "sweep", "kernel:vecadd?n=100000", "--gpu", "v100,titan-v", "--quiet", "--json", json, "--csv", csv};
  ASSERT_EQ(run(words).code, 0);
  Json all = Json::parse(read(json));
  ASSERT_EQ(all["points"].size(), 2U);
  EXPECT_EQ(all["points"][1]["gpu"], "titan-v");
  EXPECT_EQ(all["points"][1]["set"], Json::object());
  ASSERT_EQ(run({"run", "kernel:vecadd?n=100000", "--gpu", "titan-v", "--quiet", "--json", one}).code, 0);
  const Json single = Json::parse(read(one));
  EXPECT_EQ(all["points"][1]["cycles"], single["totals"]["cycles"]);
  const Json& limit = single["kernels"][0]["limits"][0];
  EXPECT_EQ(all["points"][1]["nearest_limit"], limit["name"]);
  EXPECT_NEAR(all["points"][1]["nearest_limit_share"].get<double>(),
              limit["used"].get<double>() / limit["peak"].get<double>(), 1e-9);
  EXPECT_THAT(read(csv), testing::StartsWith("gpu,machine_hash,"));
  EXPECT_THAT(read(csv), HasSubstr("\ntitan-v,"));

  std::vector<std::string> more{words.begin(), words.begin() + 4};
  more.insert(more.end(), {"--vary", "sm.count=8,16", "--vary", "l1.mshrs=4096,8192", "--json", json});
  const Outcome done = run(more);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("on 2 machines, 8 points"));
  EXPECT_THAT(done.out, HasSubstr("nearest limit"));
  EXPECT_THAT(done.out, HasSubstr("\nl1.mshrs: no effect (cycles and time within 0.1 %)\n"));
  EXPECT_THAT(done.out, testing::Not(HasSubstr("sm.count: no effect")));
  EXPECT_EQ(Json::parse(read(json))["no_effect"], Json({"l1.mshrs"}));
}

TEST(Sweep, AKeyIsVariedOrSet) {
  const Outcome done = run(sweep("kernel:empty", {"--vary", "sm.count=2,4", "--set", "sm.count=3"}));
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err, HasSubstr("\"sm.count\" in both"));
}

TEST(Sweep, WarnsAsARunDoes) {
  const Folder folder;
  const std::string trace = tiny_trace(folder), json = folder / "s.json";
  ASSERT_THAT(run({"run", trace, "--gpu", "h100-pcie"}).out, HasSubstr("warning: "));
  const Outcome done =
      run({"sweep", trace, "--gpu", "h100-pcie", "--vary", "l2.latency=60,300", "--json", json});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\nwarning: "));
  EXPECT_TRUE(Json::parse(read(json))["points"][0].contains("warnings"));
}

TEST(Sweep, AFailingPointIsListedAndEndsWithTwo) {
  const Folder folder;
  const std::string json = folder / "s.json";
  const Outcome done = run(sweep("kernel:empty", {"--vary", "sm.count=0,4", "--json", json}));
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.out, HasSubstr("point 1 failed: --set sm.count: expected"));
  const Json points = Json::parse(read(json)).at("points");
  EXPECT_EQ(points[0]["state"], "failed");
  EXPECT_EQ(points[1]["speed"], 1.0);
  const Outcome again =
      run(sweep("kernel:empty", {"--vary", "sm.count=4,5", "--resume", json, "--json", json}));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(read(json))["points"][0]["cycles"], points[1]["cycles"]);
}

TEST(Sweep, MistakesAreNamedBeforeAnythingRuns) {
  const Folder folder;
  const std::string trace = tiny_trace(folder);
  struct Wrong {
    std::vector<std::string> words;
    int code;
    std::string says;
  };
  const std::vector<Wrong> cases{
      {sweep(trace, {}), 1, "--vary is required"},
      {sweep(trace, {"--vary", "l2.size"}), 1, "KEY=VALUE,VALUE"},
      {sweep(trace, {"--vary", "gpu=v100,a100"}), 1, "machines with --gpu NAME,NAME"},
      {{"sweep", trace, "--gpu", "v100,a10"}, 2, "a10"},
      {{"sweep", trace, "--gpu", "v100,"}, 1, "--gpu: expected NAME,NAME"},
      {sweep(trace, {"--vary", "l2.sise=1MiB,2MiB"}), 2, "did you mean \"l2.size\"?"},
      {sweep(trace, {"--vary", "sm.count=1,2", "--vary", "l2.latency=60", "--zip"}), 1, "as many values"},
      {sweep(trace, {"--vary", "sm.count=1,2", "--kernels", "3"}), 1, "places from 1 to 2"},
      {sweep(folder / "none", {"--vary", "sm.count=1,2"}), 2, "none"},
      {sweep(trace, {"--vary", "sm.count=1,2", "--json", trace}), 2, "a file in use"},
      {sweep(trace, {"--vary", "sm.count=1,2", "--resume", trace}), 2,
       "expected a result of `warpgauge sweep`, found text that is not JSON at byte"},
  };
  for (const Wrong& wrong : cases) {
    const Outcome outcome = run(wrong.words);
    EXPECT_EQ(outcome.code, wrong.code) << wrong.says << '\n' << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(wrong.says));
    EXPECT_EQ(outcome.out, "");
  }
}

/// What it keeps then is tests/study's matter: when a point is finished is up to the computer.
TEST(Sweep, CtrlCEndsItWithFour) {
  const Outcome done = run_and_signal(
      sweep("kernel:reduce?n=200000&launches=1000", {"--vary", "l2.latency=60,61,62", "--threads", "2"}),
      SIGINT, 1500);
  EXPECT_EQ(done.code, 4) << done.err;
  EXPECT_THAT(done.out, HasSubstr("NOT COMPLETE: 3 points not run"));
}

}  // namespace
}  // namespace wg::cli
