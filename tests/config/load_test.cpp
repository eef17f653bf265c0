// Finding files, inheritance, search order.
#include "config/support.hpp"

namespace wg::config::test {
namespace {

TEST(Load, TakesTheChildsValueBeforeTheParents) {
  const Folder folder;
  folder.write("middle.toml", "inherits = \"v100\"\n[sm]\ncount = 40  # middle\n[l2]\nways = 8 # halved\n");
  const std::string file = folder.write("leaf.toml", "inherits = \"middle\"\n[sm]\ncount = 20\n");
  const LoadedMachine loaded = load(file, {}, directories());
  EXPECT_EQ(loaded.machine.sm.count, 20U);
  EXPECT_EQ(loaded.machine.l2.ways, 8U);
  EXPECT_EQ(loaded.machine.l1.latency, load_machine("v100", {}, directories()).l1.latency);
  ASSERT_EQ(loaded.files.size(), 5U);  // leaf, middle, v100, base/volta, base/common
  EXPECT_EQ(loaded.files.front(), file);
  const Origin& ways = loaded.origins[find_field("l2.ways")];
  EXPECT_EQ(ways.comment, "halved");
  EXPECT_THAT(ways.where, testing::EndsWith("middle.toml:5:8"));
  EXPECT_EQ(loaded.origins[find_field("sm.count")].comment, "");
}

TEST(Load, NamesTheMachineAfterItsFileUnlessItSaysSo) {
  const Folder folder;
  EXPECT_EQ(load_machine(folder.write("mine.toml", "inherits = \"a100\"\n"), {}, directories()).name, "mine");
  folder.write("named.toml", "inherits = \"a100\"\nname = \"lab\"\n");
  EXPECT_EQ(load_machine("named", {}, {folder.path(), shipped()}).name, "lab");
  // A name is not inherited.
  EXPECT_EQ(load_machine(folder.write("child.toml", "inherits = \"named\"\n"), {}, directories()).name,
            "child");
}

TEST(Load, TakesTheFirstDirectoryThatHasTheName) {
  const Folder first;
  first.write("v100.toml", "inherits = \"a100\"\n");
  EXPECT_EQ(load_machine("v100", {}, {first.path(), shipped()}).sm_version, 80U);
  EXPECT_EQ(load_machine("v100", {}, {shipped(), first.path()}).sm_version, 70U);
}

TEST(Load, LooksForAParentBesideTheFileFirst) {
  const Folder folder;
  folder.write("a100.toml", "inherits = \"v100\"\n");
  const std::string file = folder.write("mine.toml", "inherits = \"a100\"\n");
  EXPECT_EQ(load_machine(file, {}, directories()).sm_version, 70U);
}

TEST(Load, AcceptsAPathWithOrWithoutSuffix) {
  const Folder folder;
  folder.write("lab/mine.toml", "inherits = \"a100\"\n");
  EXPECT_EQ(load_machine((folder.path() / "lab/mine").string(), {}, directories()).sm.count, 108U);
  EXPECT_EQ(load_machine((folder.path() / "lab/mine.toml").string(), {}, directories()).sm.count, 108U);
}

TEST(Load, ReadsFilesWithCarriageReturns) {
  const Folder folder;
  const std::string file = folder.write("dos.toml", "inherits = \"a100\"\r\n[sm]\r\ncount = 7 # few\r\n");
  const LoadedMachine loaded = load(file, {}, directories());
  EXPECT_EQ(loaded.machine.sm.count, 7U);
  EXPECT_EQ(loaded.origins[find_field("sm.count")].comment, "few");
}

TEST(Load, KeepsAHashInsideAStringOutOfTheComment) {
  const Folder folder;
  const std::string file =
      folder.write("hash.toml", "inherits = \"a100\"\ntitle = \"GPU #1 \\\" # 2\" # a \"real\" # comment\n");
  const LoadedMachine loaded = load(file, {}, directories());
  EXPECT_EQ(loaded.machine.title, "GPU #1 \" # 2");
  EXPECT_EQ(loaded.origins[find_field("title")].comment, "a \"real\" # comment");
}

TEST(Load, FindsACircle) {
  const Folder folder;
  folder.write("one.toml", "inherits = \"two\"\n");
  folder.write("two.toml", "# comment\ninherits = \"./one.toml\"\n");
  const auto problems = problems_of((folder.path() / "one.toml").string());
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(place(problems[0]), "two.toml:2:12");
  EXPECT_EQ(problems[0].found, "\"./one.toml\", which leads back here");
  EXPECT_EQ(problems[0].expected, "inherits without a circle");
}

TEST(Load, FindsAFileThatInheritsFromItself) {
  const Folder folder;
  const auto problems = problems_of(folder.write("self.toml", "inherits = \"self\"\n"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(place(problems[0]), "self.toml:1:12");
}

TEST(Load, NamesAMissingParent) {
  const Folder folder;
  const auto problems = problems_of(folder.write("orphan.toml", "inherits = \"nowhere\"\n"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(place(problems[0]), "orphan.toml:1:12");
  EXPECT_EQ(problems[0].found, "\"nowhere\"");
}

TEST(Load, RefusesAParentThatIsNoString) {
  const Folder folder;
  const auto problems = problems_of(folder.write("odd.toml", "inherits = [\"v100\"]\n"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(place(problems[0]), "odd.toml:1:12");
}

TEST(Load, SuggestsTheNearestMachine) {
  const auto problems = problems_of("h100-pci");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].advice, "did you mean \"h100-pcie\"?");
  EXPECT_EQ(problems_of("").size(), 1U);
  EXPECT_EQ(problems_of(std::string("a\0b", 3)).size(), 1U);
  EXPECT_EQ(problems_of("base").size(), 1U);  // a folder is no machine
}

TEST(List, NamesMachinesAndWhyAFileIsBad) {
  const Folder folder;
  folder.write("broken.toml", "[l2]\nsise = 1\n");
  folder.write("good.toml", "inherits = \"a100\"\n");
  folder.write("base/hidden.toml", "inherits = \"a100\"\n");
  folder.write("notes.txt", "not a machine");
  const auto list = list_machines({folder.path(), shipped(), "/does/not/exist"});
  const auto entry = [&](const std::string& name) {
    const auto at = std::find_if(list.begin(), list.end(), [&](const auto& e) { return e.name == name; });
    return at == list.end() ? MachineEntry{"none", {}, {}, {}} : *at;
  };
  EXPECT_THAT(entry("broken").problem, testing::HasSubstr("l2.sise"));
  EXPECT_EQ(entry("good").problem, "");
  EXPECT_EQ(entry("good").title, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(entry("hidden").name, "none");
  EXPECT_EQ(entry("notes").name, "none");
  EXPECT_TRUE(
      std::is_sorted(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST(Directories, ComeFromTheEnvironmentThenThePrefix) {
  ASSERT_EQ(setenv("WARPGAUGE_GPUS", "/a::/b/c", 1), 0);
  EXPECT_THAT(machine_directories("/usr/share/warpgauge"),
              testing::ElementsAre("/a", "/b/c", "/usr/share/warpgauge/gpus"));
  ASSERT_EQ(unsetenv("WARPGAUGE_GPUS"), 0);
  EXPECT_THAT(machine_directories("p"), testing::ElementsAre("p/gpus"));
}

}  // namespace
}  // namespace wg::config::test
