// What --help says, and that its examples work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/command.hpp"

namespace wg::cli {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

namespace fs = std::filesystem;

const std::string kRoot = WG_SOURCE_DIR;

/// Every command, those first whose examples write what later ones read.
const std::vector<std::vector<std::string>>& commands() {
  static const std::vector<std::vector<std::string>> all{{},
                                                         {"run"},
                                                         {"sweep"},
                                                         {"report"},
                                                         {"trace"},
                                                         {"trace", "info"},
                                                         {"trace", "check"},
                                                         {"trace", "cat"},
                                                         {"trace", "convert"},
                                                         {"stats"},
                                                         {"gpu"},
                                                         {"gpu", "list"},
                                                         {"gpu", "show"},
                                                         {"kernels"},
                                                         {"kernels", "list"},
                                                         {"kernels", "show"},
                                                         {"uvm"},
                                                         {"uvm", "generate"},
                                                         {"uvm", "replay"},
                                                         {"uvm", "decide"},
                                                         {"uvm", "from-trace"},
                                                         {"compress"},
                                                         {"decompress"},
                                                         {"cdma"},
                                                         {"dnn"},
                                                         {"dnn", "run"},
                                                         {"dnn", "list"},
                                                         {"dnn", "densities"},
                                                         {"doctor"}};
  return all;
}

std::string spelled(const std::vector<std::string>& words) {
  std::string text = "warpgauge";
  for (const std::string& word : words) {
    text += ' ' + word;
  }
  return text;
}

std::vector<std::string> examples_in(const std::string& help) {
  std::vector<std::string> examples;
  std::istringstream lines(help.substr(std::min(help.find("Examples:"), help.size())));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  warpgauge")) {
      examples.push_back(line.substr(2));
    }
  }
  return examples;
}

TEST(Help, NamesAllCommands) {
  EXPECT_THAT(run({"--version"}).out, StartsWith("warpgauge "));
  const auto known = [](const std::vector<std::string>& words) {
    const auto& all = commands();
    return std::find(all.begin(), all.end(), words) != all.end();
  };
  for (const std::vector<std::string>& words : commands()) {
    std::vector<std::string> with = words;
    with.emplace_back("--help");
    const Outcome help = run(with);
    EXPECT_EQ(help.code, 0) << spelled(words);
    EXPECT_THAT(help.out, HasSubstr("Usage:"));
    EXPECT_EQ(help.err, "");
    // A command that this file does not know would go without a test.
    std::istringstream lines(help.out.substr(std::min(help.out.find("Subcommands:"), help.out.size())));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line.starts_with("  ")) {
      std::vector<std::string> sub = words;
      sub.push_back(line.substr(2, line.find(' ', 2) - 2));
      EXPECT_TRUE(line.starts_with("   ") || known(sub)) << spelled(sub);
    }
  }
}

/// The examples run in a folder that has what they name.
TEST(Help, ExamplesAreTheCommandsOwnAndWork) {
  const Folder folder;
  const Folder trace;
  tiny_trace(trace);
  fs::create_directories(folder / "traces");
  fs::copy(trace / "", folder / "traces/bfs", fs::copy_options::recursive);
  const std::string map = kRoot + "/tests/codec/data/fmnist_conv3_it937_n32.npy";
  fs::copy_file(map, folder / "conv1.npy");
  fs::create_directories(folder / "maps");
  fs::copy_file(map, folder / "maps/conv1_it100.npy");
  fs::copy_file(kRoot + "/tests/host/data/uvm/tbnp_hand_vectors.jsonl", folder / "decisions.jsonl");
  const std::string start =
      "cd '" + (folder / "") + "' && PATH='" + fs::path(program()).parent_path().string() + "':\"$PATH\" ";
  for (std::vector<std::string> words : commands()) {
    const std::string command = spelled(words);
    words.emplace_back("--help");
    const std::vector<std::string> examples = examples_in(run(words).out);
    EXPECT_THAT(examples, testing::AnyOf(SizeIs(1), SizeIs(2))) << command;
    for (const std::string& example : examples) {
      EXPECT_THAT(example, StartsWith(command));
      EXPECT_EQ(std::system((start + example + " > out 2>&1").c_str()), 0) << example << '\n'
                                                                           << read(folder / "out");
    }
  }
}

}  // namespace
}  // namespace wg::cli
