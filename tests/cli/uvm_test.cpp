#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.hpp"

namespace wg::cli {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

std::vector<std::string> managed(std::vector<std::string> extra) {
  std::vector<std::string> words{"run",   "kernel:vecadd?n=1048576&launches=2",
                                 "--gpu", "gtx-1080",
                                 "--set", "uvm.enable=true",
                                 "--set", "uvm.oversubscription=1.25",
                                 "--set", "uvm.prefetcher=tbn-driver"};
  words.insert(words.end(), extra.begin(), extra.end());
  return words;
}

TEST(Uvm, ARunSaysWhatItsFaultsDidInEveryReport) {
  const Folder folder;
  const Outcome done = run(managed({"--json", folder / "r.json", "--html", folder / "r.html", "--migrations",
                                    folder / "m.csv", "--threads", "1"}));
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("far_fault"));
  EXPECT_THAT(done.out, HasSubstr("12.0 MiB of managed memory on a device with 9.6 MiB (125."));
  EXPECT_THAT(done.out, HasSubstr("Managed memory"));
  EXPECT_THAT(done.out, HasSubstr(" %); prefetcher tbn-driver, evictor driver"));
  EXPECT_THAT(read(folder / "r.html"), HasSubstr("migrations over time"));
  const auto json = ordered_json::parse(read(folder / "r.json"));
  const auto& totals = json["totals"]["uvm"]["totals"];
  EXPECT_GT(totals["pages_out_eviction"], 0);
  EXPECT_EQ(json["kernels"].size(), 2U);
  std::uint64_t pages = 0;
  for (const auto& kernel : json["kernels"]) {
    EXPECT_GT(kernel["slots"]["far_fault"], 0);
    EXPECT_GT(kernel["uvm"]["objects"].size(), 0U);
    for (const auto& step : kernel["uvm"]["timeline"]["pages_in_prefetch"]) {
      pages += step.get<std::uint64_t>();
    }
  }
  EXPECT_EQ(pages, totals["pages_in_prefetch"].get<std::uint64_t>());
  EXPECT_THAT(read(folder / "m.csv"), HasSubstr("\n2,0,"));

  // The same from the file, and for any number of threads.
  const Outcome again = run({"report", folder / "r.json", "--html", folder / "again.html"});
  EXPECT_EQ(again.out, done.out.substr(0, again.out.size()));
  EXPECT_EQ(read(folder / "again.html"), read(folder / "r.html"));
  run(managed({"--json", folder / "t.json", "--threads", "3", "--quiet"}));
  const auto threads = ordered_json::parse(read(folder / "t.json"));
  EXPECT_EQ(threads["totals"], json["totals"]);
  EXPECT_EQ(threads["kernels"], json["kernels"]);
}

TEST(Uvm, ARunThatWasStoppedGoesOnAsIfItHadNot) {
  const Folder folder;
  run(managed({"--json", folder / "whole.json", "--quiet"}));
  const auto whole = ordered_json::parse(read(folder / "whole.json"));
  const std::uint64_t first = whole["kernels"][0]["cycles"];
  const Outcome stopped =
      run(managed({"--json", folder / "r.json", "--quiet", "--max-cycles", std::to_string(first + 1000)}));
  EXPECT_EQ(stopped.code, 4);
  const Outcome resumed =
      run(managed({"--resume", folder / "r.json", "--json", folder / "r.json", "--quiet"}));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  const auto joined = ordered_json::parse(read(folder / "r.json"));
  EXPECT_EQ(joined["kernels"], whole["kernels"]);
  EXPECT_EQ(joined["totals"], whole["totals"]);
}

TEST(Uvm, StreamsAreMadeAndReplayed) {
  const Folder folder;
  EXPECT_THAT(run({"uvm", "generate"}).out, HasSubstr("hotspot"));
  const std::string stream = folder / "s.txt";
  ASSERT_EQ(run({"uvm", "generate", "hotspot", "-o", stream}).code, 0);
  const Outcome done =
      run({"uvm", "replay", stream, "--set", "uvm.prefetcher=tbn", "--set", "uvm.oversubscription=1.25",
           "--set", "uvm.evictor=tbne", "--json", folder / "r.json", "--batches", folder / "b.csv"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("(125 %)"));
  const auto json = ordered_json::parse(read(folder / "r.json"));
  EXPECT_GT(json["totals"]["evictions"], 0);
  EXPECT_GT(json["totals"]["evictor_bytes"], 0);
  EXPECT_GT(json["timeline"]["faults"].size(), 0U);
  EXPECT_THAT(read(folder / "b.csv"), HasSubstr("batch,start_ns"));
  const std::string traced = folder / "t.txt";
  ASSERT_EQ(run({"uvm", "from-trace", "kernel:vecadd?n=65536", "-o", traced}).code, 0);
  EXPECT_EQ(run({"uvm", "replay", traced, "--quiet"}).code, 0);
  const Outcome decided =
      run({"uvm", "decide", WG_SOURCE_DIR "/tests/host/data/uvm/tbnp_hand_vectors.jsonl", "--check"});
  EXPECT_EQ(decided.code, 0) << decided.err;
  EXPECT_THAT(decided.out, HasSubstr(" 0 differences"));
}

TEST(Uvm, AStreamTakesItsNameWhenItIsComplete) {
  const Folder folder;
  const std::string path = folder.file("s.txt", "what was here\n");
  for (const char* command : {"generate", "from-trace"}) {
    const bool made = command == std::string("generate");
    std::vector<std::string> words{"uvm", command, made ? "seq" : "kernel:vecadd?n=500000000", "-o", path};
    if (made) {
      words.insert(words.end(), {"--iterations", "1000000"});
    }
    const Outcome stopped = run_and_signal(words, SIGINT, 700);
    EXPECT_EQ(stopped.code, 4) << stopped.err;
    EXPECT_EQ(stopped.err, "warpgauge: interrupted: " + path + " was not written\n");
    EXPECT_EQ(read(path), "what was here\n");
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  }
  ASSERT_EQ(run({"uvm", "generate", "seq", "--bytes", "4MiB", "-o", path}).code, 0);
  EXPECT_THAT(read(path), HasSubstr("object 0"));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  const std::string link = folder / "link";
  std::filesystem::create_symlink(folder / "target", link);
  ASSERT_EQ(run({"uvm", "generate", "seq", "--bytes", "4MiB", "-o", link}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read(folder / "target"), read(path));
}

TEST(Uvm, CtrlCEndsAReplayWithFour) {
  const Folder folder;
  const std::string stream = folder / "s.bin";
  ASSERT_EQ(run({"uvm", "generate", "rand", "--iterations", "400", "--binary", "-o", stream}).code, 0);
  const std::string batches = folder / "b.csv";
  const Outcome stopped = run_and_signal(
      {"uvm", "replay", stream, "--batches", batches, "--set", "uvm.oversubscription=1.25"}, SIGINT, 400);
  EXPECT_EQ(stopped.code, 4) << stopped.out;
  EXPECT_EQ(stopped.err, "warpgauge: interrupted: the replay was not finished; no file was written\n");
  EXPECT_FALSE(std::filesystem::exists(batches));
  EXPECT_FALSE(std::filesystem::exists(batches + ".part"));
}

struct Wrong {
  std::vector<std::string> words;
  int code;
  std::string says;
};

TEST(Uvm, EveryListedWorkloadIsGenerated) {
  const Folder folder;
  std::istringstream names(run({"uvm", "generate"}).out);
  int count = 0;
  for (std::string line; std::getline(names, line); ++count) {
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    const Outcome done = run({"uvm", "generate", name, "--bytes", "4MiB", "-o", folder / name});
    EXPECT_EQ(done.code, 0) << name << done.err;
    EXPECT_THAT(read(folder / name), HasSubstr("object 0")) << name;
  }
  EXPECT_GT(count, 10);
}

TEST(Uvm, AKernelWithoutMemoryNeedsNone) {
  const Outcome done = run({"run", "kernel:chain", "--gpu", "v100", "--set", "uvm.enable=true", "--set",
                            "uvm.oversubscription=1.25", "--quiet"});
  EXPECT_EQ(done.code, 0) << done.err;
}

TEST(Uvm, MoreThreadsCanBeEstimatedForManagedMemory) {
  const Outcome done = run({"run", "kernel:vecadd?n=65536", "--gpu", "v100", "--set", "uvm.enable=true",
                            "--estimate-threads", "--quiet"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("      16  "));
}

TEST(Uvm, MistakesAreNamed) {
  const Folder folder;
  const std::string empty = folder.file("empty.txt", "# nothing\nobject 0 a 4096\n");
  const std::string bad = folder.file("bad.txt", "object 0 a 4096\n0 0 7 r\n");
  const std::string good = folder.file("good.txt", "object 0 a 4194304\n0 0 7 r\n");
  const std::vector<Wrong> cases{
      {{"uvm", "generate", "stride", "--stride", "0", "-o", folder / "s"}, 1, "at least 1 page"},
      {{"uvm", "generate", "hotspott", "-o", folder / "s"}, 1, "one of"},
      {{"uvm", "decide", folder.file("no.jsonl", ""), "--check"}, 2, "decisions or histories"},
      {{"run", "kernel:reduce", "--gpu", "v100", "--set", "uvm.enable=true", "--set",
        "uvm.oversubscription=1.25"},
       2,
       "found a footprint of"},
      {{"uvm", "replay", empty}, 2, "a stream with accesses"},
      {{"uvm", "replay", folder.file("none.txt", "")}, 2, "a stream with accesses"},
      {{"uvm", "replay", bad}, 2, "bad.txt:2"},
      {{"uvm", "replay", folder / "absent"}, 2, "absent"},
      {{"uvm", "replay", good, "--set", "uvm.oversubscription=0"}, 2, "uvm.oversubscription"},
      {{"uvm", "replay", good, "--set", "uvm.oversubscription=1001"}, 2, "1000"},
      {{"uvm", "replay", good, "--set", "uvm.oversubscription=2", "--set", "uvm.memory=4MiB"}, 2, "not both"},
      {{"uvm", "replay", good, "--set", "uvm.memory=1MiB"}, 2, "at least 2048 KiB"},
      {{"run", "kernel:empty", "--gpu", "v100", "--migrations", folder / "m.csv"}, 1, "managed memory"},
      {{"run", "kernel:empty", "--gpu", "v100", "--set", "uvm.oversubscription=2"}, 2, "uvm.enable"},
      {{"run", "kernel:vecadd", "--gpu", "v100", "--set", "uvm.enable=true", "--set", "uvm.memory=1MiB"},
       2,
       "at least 2048 KiB"}};
  for (const Wrong& wrong : cases) {
    const Outcome outcome = run(wrong.words);
    EXPECT_EQ(outcome.code, wrong.code) << wrong.says << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(wrong.says));
  }
}

}  // namespace
}  // namespace wg::cli
