#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"

namespace wg::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Usage, HelpOfRunNamesEveryOption) {
  const std::string help = run({"run", "--help"}).out;
  for (const char* option :
       {"--gpu", "--kernels", "--threads", "--set", "--json", "--max-cycles", "--cold", "--quiet",
        "--timeline", "--migrations", "--interval", "--resume", "--html", "--top", "--verbose"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
}

struct Wrong {
  std::vector<std::string> words;
  std::string says;
};

TEST(Usage, MistakesEndWithOneAndSayWhatWasMeant) {
  const std::vector<Wrong> cases{
      {{}, "expected a subcommand"},
      {{"runn"}, "did you mean \"run\"?"},
      {{"run"}, "WORKLOAD is required"},
      {{"run", "kernel:gemm"}, "--gpu is required"},
      {{"run", "--gpuu", "v100", "kernel:gemm"}, "did you mean \"--gpu\"?"},
      {{"run", "kernel:gemm", "--gpu", "v100", "--thread", "2"}, "did you mean \"--threads\"?"},
      {{"run", "kernel:gemm", "--gpu", "v100", "--threads", "0"}, "--threads"},
      {{"run", "kernel:gemm", "--gpu", "v100", "--threads", "many"}, "--threads"},
      {{"run", "kernel:gemm", "--gpu", "v100", "again"}, "found \"again\""},
      {{"run", "kernel:gemm", "--gpu", "v100", "--kernels", "0"}, "--kernels"},
      {{"run", "kernel:gemm", "--gpu", "v100", "--kernels", "2"}, "places from 1 to 1"},
      {{"run", "kernel:gemm", "--gpu", "v100", "--max-cycles", "-1"}, "--max-cycles"},
      {{"trace", "inf"}, "did you mean \"info\"?"},
      {{"gpu"}, "expected a subcommand"},
      {{"stats", "--jsn"}, "did you mean \"--json\"?"},
  };
  for (const Wrong& wrong : cases) {
    const Outcome outcome = run(wrong.words);
    EXPECT_EQ(outcome.code, 1) << wrong.says;
    EXPECT_THAT(outcome.err, HasSubstr(wrong.says));
    EXPECT_THAT(outcome.err, StartsWith("warpgauge: "));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Usage, BadInputEndsWithTwoAndNamesThePlace) {
  const Folder folder;
  const std::string machine = folder.file("bad.toml", "[l2]\nsise = \"6MiB\"\n");
  const std::string cut = folder.file("cut.json", "{\"run\": {");
  const std::vector<Wrong> cases{
      {{"run", folder / "none", "--gpu", "v100"}, folder / "none"},
      {{"run", "kernel:gem", "--gpu", "v100"}, "did you mean 'gemm'?"},
      {{"run", "kernel:gemm?mm=3", "--gpu", "v100"}, "mm"},
      {{"run", "kernel:gemm", "--gpu", "v10"}, "did you mean \"v100\"?"},
      {{"run", "kernel:gemm", "--gpu", machine}, machine + ":2"},
      {{"run", "kernel:gemm", "--gpu", "v100", "--set", "l2.sise=1MiB"}, "did you mean \"l2.size\"?"},
      {{"run", "kernel:gemm", "--gpu", "v100", "--set", "l2.size=big"}, "l2.size"},
      {{"run", "kernel:gemm", "--gpu", "v100", "--resume", cut}, cut},
      {{"run", "kernel:gemm", "--gpu", "v100", "--json", folder / "no/where.json"}, "no/where.json"},
      {{"run", "kernel:gemm", "--gpu", "v100", "--html", folder / ""}, "a file that can be written"},
      {{"report", cut}, cut + "@"},
      {{"gpu", "show", "v10"}, "did you mean \"v100\"?"},
      {{"kernels", "show", "gem"}, "did you mean \"gemm\"?"},
      {{"trace", "info", folder / "none"}, folder / "none"},
  };
  for (const Wrong& wrong : cases) {
    const Outcome outcome = run(wrong.words);
    EXPECT_EQ(outcome.code, 2) << wrong.says << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(wrong.says));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Lists, AreReadable) {
  EXPECT_THAT(run({"gpu", "list"}).out, HasSubstr("v100"));
  EXPECT_THAT(run({"kernels", "list"}).out, HasSubstr("kernel:gemm"));
  EXPECT_THAT(run({"kernels", "show", "gemm"}).out, HasSubstr("launches"));
  EXPECT_THAT(run({"stats"}).out, HasSubstr("dram_read_bytes"));
  const Outcome doctor = run({"doctor"});
  EXPECT_EQ(doctor.code, 0) << doctor.out;
  EXPECT_THAT(doctor.out, HasSubstr("everything needed is there"));
}

TEST(Lists, ABrokenMachineIsListedAndEndsWithTwo) {
  const Folder folder;
  folder.file("good.toml", "inherits = \"v100\"\ntitle = \"A good one\"\n");
  ASSERT_EQ(run({"gpu", "list"}, {{"WARPGAUGE_GPUS", folder / ""}}).code, 0);
  folder.file("bad.toml", "[l2]\nsise = \"6MiB\"\n");
  const Outcome list = run({"gpu", "list"}, {{"WARPGAUGE_GPUS", folder / ""}});
  EXPECT_EQ(list.code, 2);
  EXPECT_THAT(list.out, HasSubstr("A good one"));
  EXPECT_THAT(list.out, HasSubstr("cannot be loaded: "));
  EXPECT_THAT(list.out, HasSubstr("bad.toml:2"));
}

TEST(Usage, MessagesDoNotSteerTheTerminal) {
  const Folder folder;
  const std::string bad = folder.file("bad.toml", "\"a\x1b[31m\" = 3\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "kernel:gemm", "--gpu", bad},
        {"run", "kernel:gem\x1b[2J\xc3\xa9", "--gpu", "v100"},
        {"run", "kernel:gemm", "--gpu", "v100", "--threads", "\x1b[2J"},
        {"ru\x1b[2J"}}) {
    const Outcome outcome = run(words);
    EXPECT_NE(outcome.code, 0);
    EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
  }
  const std::string trace = tiny_trace(folder);
  std::string kernel = read(folder / "kernel-1.traceg");
  kernel.replace(kernel.find("_Z5firstPf"), 10, "fir\x1b[2Jst");
  folder.file("kernel-1.traceg", kernel);
  folder.file("kernelslist.g", "kernel-1.traceg\nstrange\x1b[2J\n");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run", trace, "--gpu", "v100"},
                                                {"trace", "info", trace},
                                                {"trace", "check", trace}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << outcome.out;
  }
  EXPECT_THAT(run({"run", "kernel:gem\x1b[2J\xc3\xa9", "--gpu", "v100"}).err,
              HasSubstr("gem\\x1b[2J\xc3\xa9"));
}

/// What `gpu show` prints is a machine file of the same machine.
TEST(Lists, AShownMachineRunsAsItself) {
  const Folder folder;
  const std::string shown = folder.file("shown.toml", run({"gpu", "show", "v100"}).out);
  ASSERT_EQ(run({"run", "kernel:empty", "--gpu", "v100", "--json", folder / "a.json", "--quiet"}).code, 0);
  ASSERT_EQ(run({"run", "kernel:empty", "--gpu", shown, "--json", folder / "b.json", "--quiet"}).code, 0);
  const auto hash = [&](const char* name) {
    const std::string text = read(folder / name);
    return text.substr(text.find("machine_hash"), 34);
  };
  EXPECT_EQ(hash("a.json"), hash("b.json"));
}

TEST(Usage, EmptyValuesAreRefused) {
  const std::vector<std::vector<std::string>> wrong{
      {"run", "kernel:empty", "--gpu", "v100", "--json", ""},
      {"run", "kernel:empty", "--gpu", "v100", "--html", ""},
      {"run", "kernel:empty", "--gpu", "v100", "--kernels", ""},
      {"run", "kernel:empty", "--gpu", "v100", "--max-cycles", "0"},
      {"sweep", "kernel:empty", "--gpu", "v100", "--vary", "sm.count=2", "--csv", ""},
      {"uvm", "generate", "stream", "--bytes", "0"},
      {"uvm", "generate", "stream", "--bytes", ""},
      {"uvm", "generate", "stream", "--iterations", "0"}};
  for (const std::vector<std::string>& words : wrong) {
    EXPECT_EQ(run(words).code, 2) << words[0] << ' ' << words[words.size() - 2];
  }
}

TEST(Usage, AKernelIsShownByItsUri) {
  EXPECT_EQ(run({"kernels", "show", "kernel:gather"}).out, run({"kernels", "show", "gather"}).out);
  EXPECT_EQ(run({"kernels", "show", "kernel:gather"}).code, 0);
}

}  // namespace
}  // namespace wg::cli
