// No output destroys an input, or a link.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/command.hpp"

namespace wg::cli {
namespace {

using testing::HasSubstr;

/// Every file of the folder with its content.
std::string snapshot(const Folder& folder) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "")) {
    all.push_back(entry.path().string() + (entry.is_regular_file() ? read(entry.path().string()) : ""));
  }
  std::sort(all.begin(), all.end());
  std::string text;
  for (const std::string& one : all) {
    text += one + '\n';
  }
  return text;
}

TEST(Outputs, NeverReplaceAnInput) {
  const Folder folder;
  const std::string list = tiny_trace(folder);
  const std::string kernel = folder / "kernel-2.traceg",
                    machine = folder.file("m.toml", "inherits = \"v100\"\n");
  const std::string densities = folder.file("d.csv", "density\n0.5\n");
  const std::string stream = folder / "s.txt", wgt = folder / "t.wgt", result = folder / "r.json";
  ASSERT_EQ(run({"uvm", "from-trace", list, "-o", stream}).code, 0);
  ASSERT_EQ(run({"trace", "convert", list, wgt}).code, 0);
  ASSERT_EQ(run({"run", list, "--gpu", "v100", "--quiet", "--json", result}).code, 0);
  std::filesystem::create_symlink(kernel, folder / "link");
  const std::string before = snapshot(folder);
  const std::vector<std::vector<std::string>> commands{
      {"run", list, "--gpu", machine, "--json", list},
      {"run", list, "--gpu", machine, "--json", kernel},
      {"run", folder / "", "--gpu", machine, "--html", kernel},
      {"run", list, "--gpu", machine, "--timeline", folder / "link"},
      {"run", list, "--gpu", machine, "--json", machine},
      {"run", wgt, "--gpu", machine, "--html", wgt},
      {"run", list, "--gpu", "v100", "--set", "cdma.codec=zvc", "--set", "cdma.densities=" + densities,
       "--json", densities},
      {"run", list, "--gpu", "v100", "--json", folder / "new", "--html", folder / "./new"},
      {"run", list, "--gpu", "v100", "--resume", result, "--html", result},
      {"report", result, "--html", result},
      {"trace", "convert", list, folder / ""},
      {"trace", "convert", folder / "", folder / ""},
      {"trace", "convert", list, kernel},
      {"trace", "convert", wgt, wgt},
      {"uvm", "from-trace", list, "-o", kernel},
      {"uvm", "replay", stream, "--json", stream},
      {"uvm", "replay", stream, "--batches", stream},
      {"cdma", "--density", "0.5", "--gpu", machine, "--json", machine},
      {"dnn", "run", "--net", "alexnet", "--gpu", machine, "--json", machine}};
  for (const std::vector<std::string>& words : commands) {
    const Outcome outcome = run(words);
    const std::string& last = words.back();
    EXPECT_EQ(outcome.code, 2) << words[0] << ' ' << words[1] << ' ' << last << '\n' << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("expected"));
    EXPECT_EQ(snapshot(folder), before) << words[0] << ' ' << words[1] << ' ' << last;
  }
}

TEST(Outputs, MayGoToADeviceTogether) {
  EXPECT_EQ(
      run({"run", "kernel:empty", "--gpu", "v100", "--quiet", "--json", "/dev/null", "--html", "/dev/null"})
          .code,
      0);
}

TEST(Outputs, ThatAreLinksStayLinks) {
  const Folder folder;
  const std::string link = folder / "link.json", target = folder / "target.json";
  std::filesystem::create_symlink(target, link);
  for (int round = 0; round < 2; ++round) {  // the target is new, then there
    ASSERT_EQ(run({"run", "kernel:empty", "--gpu", "v100", "--quiet", "--json", link}).code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_THAT(read(target), HasSubstr("\"schema_version\""));
  }
}

}  // namespace
}  // namespace wg::cli
