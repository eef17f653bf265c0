// What a user with a wrong machine file reads.
#include "config/support.hpp"

namespace wg::config::test {
namespace {

struct Mistake {
  const char* text;
  const char* message;  ///< of the one problem, from the file's name on
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamedWithTheirPlace) {
  const Folder folder;
  const auto problems = problems_of_change(folder, GetParam().text);
  ASSERT_EQ(problems.size(), 1U);
  const std::string text = problems.front().text();
  EXPECT_EQ(text.substr(text.find("mine.toml")), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Keys, Mistakes,
    testing::Values(
        Mistake{
            "[l2]\nlatencey = 3\n",
            "mine.toml:3:1: expected a key of [l2], found \"l2.latencey\" (did you mean \"l2.latency\"?)"},
        Mistake{
            "[dram]\n  trcd_ = 3\n",
            "mine.toml:3:3: expected a key of [dram], found \"dram.trcd_\" (did you mean \"dram.tRCD\"?)"},
        Mistake{
            "[l3]\nsize = \"1 MiB\"\n",
            "mine.toml:3:1: expected a section of a machine, found \"l3.size\" (did you mean \"l2.size\"?)"},
        Mistake{
            "[launch]\ntRCD = 3\n",
            "mine.toml:3:1: expected a key of [launch], found \"launch.tRCD\" (did you mean \"dram.tRCD\"?)"},
        Mistake{"colour = \"green\"\n",
                "mine.toml:2:1: expected a key or section of a machine, found \"colour\""},
        Mistake{"l2 = 3\n", "mine.toml:2:6: expected l2 as a table, found a single value"},
        Mistake{
            "[sm.class.fp33]\nlatency = 4\n",
            "mine.toml:3:1: expected a section of a machine, found \"sm.class.fp33.latency\" (did you mean "
            "\"sm.class.fp32.latency\"?)"},
        Mistake{"l2.size.bytes = 3\n",
                "mine.toml:2:9: expected l2.size as a size such as \"64 KiB\" from 128 B to 4 GiB, found a "
                "table"},
        Mistake{"inherit = \"a100\"\n",
                "mine.toml:2:1: expected a key or section of a machine, found "
                "\"inherit\" (did you mean \"inherits\"?)"}));

INSTANTIATE_TEST_SUITE_P(
    Values, Mistakes,
    testing::Values(
        Mistake{"[l2]\nways = -4\n",
                "mine.toml:3:8: expected l2.ways as a whole number from 1 to 64, found -4"},
        Mistake{"[l2]\nways = 65\n",
                "mine.toml:3:8: expected l2.ways as a whole number from 1 to 64, found 65"},
        Mistake{
            "[l2]\nways = 1.5\n",
            "mine.toml:3:8: expected l2.ways as a whole number from 1 to 64, found the fraction 1.5 (write a "
            "whole number or a string with a unit)"},
        Mistake{
            "[l2]\nways = \"16\"\n",
            "mine.toml:3:8: expected l2.ways as a whole number from 1 to 64, found \"16\" (write the number "
            "without quotes)"},
        Mistake{"[l2]\nways = true\n",
                "mine.toml:3:8: expected l2.ways as a whole number from 1 to 64, found true"},
        Mistake{
            "[l2]\nways = [1, 2]\n",
            "mine.toml:3:8: expected l2.ways as a whole number from 1 to 64, found an array (write a whole "
            "number or a string with a unit)"},
        Mistake{
            "[l2]\nways = {}\n",
            "mine.toml:3:8: expected l2.ways as a whole number from 1 to 64, found an empty table (write a "
            "whole number or a string with a unit)"},
        Mistake{
            "[l2]\nways = 1979-05-27\n",
            "mine.toml:3:8: expected l2.ways as a whole number from 1 to 64, found a date or time (write a "
            "whole number or a string with a unit)"},
        Mistake{
            "[shared]\ngranule = \"256 MHz\"\n",
            "mine.toml:3:11: expected shared.granule as a size such as \"64 KiB\" from 1 B to 64 KiB, found "
            "\"256 MHz\" (units: B, KiB, MiB, GiB, TiB, kB, MB, GB, TB)"},
        Mistake{
            "[shared]\ngranule = \"256 KB\"\n",
            "mine.toml:3:11: expected shared.granule as a size such as \"64 KiB\" from 1 B to 64 KiB, found "
            "\"256 KB\" (KB is ambiguous: write KiB (1024) or kB (1000))"},
        Mistake{
            "[clock]\nsm = \"1755 KHz\"\n",
            "mine.toml:3:6: expected clock.sm as a clock such as \"1755 MHz\" from 1 MHz to 10000 MHz, found "
            "\"1755 KHz\" (units: Hz, kHz, MHz, GHz)"},
        Mistake{
            "[clock]\nsm = 1755\n",
            "mine.toml:3:6: expected clock.sm as a clock such as \"1755 MHz\" from 1 MHz to 10000 MHz, found "
            "1755"},
        Mistake{"[sm]\nscheduler = \"gtx\"\n",
                "mine.toml:3:13: expected sm.scheduler as one of gto, gty, lrr, found \"gtx\" (did you mean "
                "\"gto\"?)"},
        Mistake{"[l2]\nreplacement = \"belady\"\n",
                "mine.toml:3:15: expected l2.replacement as one of lru, random, plru, found \"belady\""},
        Mistake{"[l1]\nallocation = 3\n",
                "mine.toml:3:14: expected l1.allocation as one of on-fill, on-miss, found 3"},
        Mistake{"[l1]\nenabled = \"yes\"\n",
                "mine.toml:3:11: expected l1.enabled as true or false, found \"yes\" (without quotes)"},
        Mistake{"[link]\nto_host = \"25 GB\"\n",
                "mine.toml:3:11: expected link.to_host as a bandwidth such as \"25.6 GB/s\" from 1 MB/s to "
                "100000 "
                "GB/s, found \"25 GB\" (units: B/s, kB/s, MB/s, GB/s, TB/s)"},
        Mistake{"title = \"\"\n",
                "mine.toml:2:9: expected title as 1 to 200 printable ASCII characters, found \"\""},
        Mistake{"[sm.class]\nfp32 = { pipe = \"fmaa\" }\n",
                "mine.toml:3:17: expected sm.class.fp32.pipe as one of fma, alu, fp16, fp64, xu, tensor, "
                "uniform, "
                "branch, lsu, none, found \"fmaa\" (did you mean \"fma\"?)"}));

INSTANTIATE_TEST_SUITE_P(
    Rules, Mistakes,
    testing::Values(
        Mistake{"[sm]\nsubcores = 3\n",
                "mine.toml:3:12: expected 1, 2 or 4 sub-cores that share sm.max_warps evenly, found 64 warps "
                "on 3 "
                "sub-cores"},
        Mistake{
            "[sm]\nmax_warps = 32\n",
            "mine.toml:3:13: expected sm.max_threads a multiple of 32 and at most 32 x sm.max_warps, found "
            "2048 threads in 32 warps"},
        Mistake{
            "generation = \"hopper\"\n",
            "mine.toml:2:14: expected sm_version and generation that belong together, found sm_version 70 "
            "with generation hopper"},
        Mistake{
            "[shared]\nreserved_per_cta = \"1 KiB\"\n",
            "mine.toml:3:20: expected shared.per_cta + shared.reserved_per_cta at most shared.per_sm, found "
            "97 KiB of 96 KiB"},
        Mistake{"[l1]\nunified = \"96 KiB\"\n",
                "mine.toml:3:11: expected l1.unified with room for shared.per_sm and one L1 set (l1.ways x "
                "l1.line), found 96 KiB for 96 KiB of shared memory and a set of 512 B"},
        Mistake{
            "[l2]\nsize = \"6000 KiB\"\n",
            "mine.toml:3:8: expected l2.size a multiple of dram.channels x l2.slices_per_channel x l2.ways x "
            "l2.line, found 6000 KiB over 64 slices with 16 ways of 128 B"},
        Mistake{"[dram]\nchannels = 7\n",
                "mine.toml:3:12: expected l2.size a multiple of dram.channels x l2.slices_per_channel x "
                "l2.ways x "
                "l2.line, found 6 MiB over 7 slices with 16 ways of 128 B"},
        Mistake{"[l2]\ninterleave = \"192 B\"\n",
                "mine.toml:3:14: expected l2.interleave a multiple of l2.line, found blocks of 192 B with "
                "lines of "
                "128 B"},
        Mistake{"[l2]\npartitions = 3\n",
                "mine.toml:3:14: expected l2.partitions as a whole number from 1 to 2, found 3"},
        Mistake{"[dram]\nwrite_low = 224\n",
                "mine.toml:3:13: expected dram.write_low below dram.write_high, dram.write_high at most "
                "dram.write_queue, found 224, 224 and 256"},
        Mistake{"[dram]\ntREFI = 53\n",
                "mine.toml:3:9: expected dram.tREFI 0 or more than dram.tRFC, found 53 and 53 clocks"},
        Mistake{"[launch]\ncta_latency = 52\n",
                "mine.toml:3:15: expected launch.cta_latency at least as long as xbar.latency, found 52 SM "
                "cycles "
                "(34008 ps) for 53 L2 cycles (34662 ps)"},
        Mistake{"[sm.class]\nload = { pipe = \"alu\" }\n",
                "mine.toml:3:17: expected pipe lsu, the one of the LD/ST unit, found another for load"},
        Mistake{"[sm.class]\nmufu = { pipe = \"lsu\" }\n",
                "mine.toml:3:17: expected a pipe other than lsu, found it for mufu"}));

INSTANTIATE_TEST_SUITE_P(
    Files, Mistakes,
    testing::Values(Mistake{"title = '''a\nb'''\n",
                            "mine.toml:2:1: expected strings that end on their line, found a "
                            "multi-line string"},
                    Mistake{"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r = 1\n",
                            "mine.toml:2:1: expected at most 16 dots in a line, found more"}));

TEST(Errors, PassOnWhatTheTomlParserSays) {
  const Folder folder;
  const auto problems = problems_of_change(folder, "[l2]\nways = = 3\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(place(problems[0]), "mine.toml:3:8");
  EXPECT_EQ(problems[0].expected, "TOML");
  EXPECT_NE(problems[0].found, "");
  const auto twice = problems_of_change(folder, "[l2]\nways = 8\nways = 8\n");
  ASSERT_EQ(twice.size(), 1U);
  EXPECT_EQ(place(twice[0]).substr(0, 12), "mine.toml:4:");
}

TEST(Errors, AreAllCollected) {
  const Folder folder;
  folder.write("parent.toml", "inherits = \"v100\"\n[l2]\nsise = 3\n");
  const std::string file = folder.write(
      "child.toml", "inherits = \"parent\"\n[sm]\ncount = -1\nmax_warps = 65\n[dram]\nbanks = 15\n");
  const auto problems = problems_of(file, {"l1.ways=many", "l9.size=3", "nonsense"});
  std::vector<std::string> places;
  for (const Problem& problem : problems) {
    places.push_back(place(problem));
  }
  EXPECT_THAT(places,
              testing::ElementsAre("parent.toml:3:1", "child.toml:3:9", "child.toml:4:13", "--set l1.ways",
                                   "--set l9.size", "--set nonsense", "child.toml:6:9"));
}

TEST(Errors, LeaveOutRulesOverFieldsThatAreWrongAnyway) {
  const Folder folder;
  const auto problems = problems_of_change(folder, "[l2]\nways = 1000\nsize = \"1000 KiB\"\n");
  ASSERT_EQ(problems.size(), 1U);  // the size breaks a rule, but one that reads l2.ways
  EXPECT_EQ(place(problems[0]), "mine.toml:3:8");
}

TEST(Errors, NameWhatAFileWithoutBaseLacks) {
  const Folder folder;
  const auto problems = problems_of(folder.write("bare.toml", "[sm]\ncount = 4\n"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0].expected,
              testing::StartsWith("values for sm_version, generation, memory, clock.sm, "));
  EXPECT_THAT(problems[0].expected, testing::EndsWith(" more"));
  EXPECT_EQ(problems[0].advice, "start from a generation, e.g. inherits = \"base/hopper\"");
}

TEST(Errors, RefuseHugeFilesAndLines) {
  const Folder folder;
  const auto file = problems_of(folder.write("huge.toml", std::string(300'000, '#')));
  ASSERT_EQ(file.size(), 1U);
  EXPECT_EQ(file[0].found, "a longer one");
  std::string comment = "\n\n# ";
  comment.append(2000, 'x');
  const auto line = problems_of(folder.write("long.toml", comment));
  ASSERT_EQ(line.size(), 1U);
  EXPECT_EQ(place(line[0]), "long.toml:3:1");
}

TEST(Errors, SurviveDeepNesting) {
  const Folder folder;
  std::string deep = "a = ";
  deep.append(480, '[');
  deep.append(480, ']');
  deep.push_back('\n');
  EXPECT_EQ(problems_of(folder.write("deep.toml", deep)).size(), 1U);
}

TEST(Errors, SurviveBinaryFiles) {
  const Folder folder;
  EXPECT_EQ(problems_of(folder.write("binary.toml", std::string("\x7f"
                                                                "ELF\0\1\2\xff\xfe",
                                                                9)))
                .size(),
            1U);
}

}  // namespace
}  // namespace wg::config::test
