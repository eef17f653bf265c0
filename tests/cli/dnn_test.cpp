#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace wg::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Dnn, RunWritesWhatItPrints) {
  const Folder folder;
  const std::string json = folder / "run.json";
  const Outcome done = run({"dnn", "run", "--net", "vgg16", "--batch", "256", "--gpu", "titan-x", "--policy",
                            "dyn", "--codec", "zvc", "--ratio", "2.6", "--json", json});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out,
              HasSubstr("VGG-16, batch 256, on titan-x: policy dyn (conv), sync layer, link 12.80 GB/s"));
  EXPECT_THAT(done.out, HasSubstr("conv, greedy"));
  EXPECT_THAT(done.out, HasSubstr("Offload pays: VGG-16 at batch 256 fits with it only"));
  const auto result = nlohmann::json::parse(read(json));
  EXPECT_THAT(result["run"]["command"].get<std::string>(), HasSubstr("dnn run --net vgg16"));
  EXPECT_EQ(result["setup"]["policy_taken"], "conv");
  EXPECT_EQ(result["trials"].size(), 5U);
  EXPECT_EQ(result["memory"]["fits"], true);
  EXPECT_EQ(result["memory"]["fits_without"], false);
  EXPECT_EQ(result["totals"]["offloaded_bytes"], result["totals"]["prefetched_bytes"]);
  EXPECT_NEAR(result["totals"]["ratio"].get<double>(), 2.6, 1e-9);
  std::uint64_t moved = 0;
  double time = 0;
  for (const auto& layer : result["layers"]) {
    moved += layer["offloaded_bytes"].get<std::uint64_t>();
    for (const char* part :
         {"forward_seconds", "forward_stall_seconds", "backward_seconds", "backward_stall_seconds"}) {
      time += layer[part].get<double>();
    }
  }
  EXPECT_EQ(moved, result["totals"]["offloaded_bytes"].get<std::uint64_t>());
  EXPECT_NEAR(time, result["totals"]["iteration_seconds"].get<double>(), 1e-9);
  EXPECT_EQ(result["steps"].size(), 2U * result["layers"].size());
  EXPECT_EQ(result["steps"].back()["release"], result["totals"]["iteration_seconds"]);
  std::size_t moves = 0;
  for (const auto& buffer : result["buffers"]) {
    moves += buffer["moved"].get<bool>() ? 1U : 0U;
    EXPECT_EQ(buffer["resident"].size(), buffer["moved"].get<bool>() ? 2U : 1U);
  }
  EXPECT_EQ(result["copies"].size(), 2U * moves);
  EXPECT_LE(result["totals"]["performance_to_fastest"].get<double>(),
            result["totals"]["performance"].get<double>());
}

TEST(Dnn, TimesOfAnotherGpuAreNamed) {
  const std::string warning = "the times of layers were measured on titan-x, not on v100";
  const auto out = [](const char* gpu, const char* times) {
    return run({"dnn", "run", "--net", "vgg-a", "--gpu", gpu, "--times", times}).out;
  };
  EXPECT_THAT(out("v100", "measured"), HasSubstr(warning));
  EXPECT_THAT(out("titan-x", "measured"), Not(HasSubstr("WARNING")));
  EXPECT_THAT(out("v100", "roofline"), Not(HasSubstr("WARNING")));
}

TEST(Dnn, SaysWhenItDoesNotPay) {
  const Outcome done = run({"dnn", "run", "--net", "alexnet", "--layers"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("it does not pay here"));
  EXPECT_THAT(done.out, HasSubstr("norm1 "));
  EXPECT_THAT(done.out, HasSubstr("ratio 1.00"));
}

TEST(Dnn, SaysWhatWouldFitWhenNothingIsMoved) {
  const Outcome done = run({"dnn", "run", "--net", "vgg16", "--policy", "none"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("does not fit"));
  EXPECT_THAT(done.out, HasSubstr("--policy dyn looks for an offload that makes it fit."));
  EXPECT_THAT(done.out, Not(HasSubstr("even so")));
}

TEST(Dnn, NoLossIsNotNegative) {
  const Outcome done = run({"dnn", "run", "--net", "alexnet", "--speed", "0.001"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr(" 0.0 %"));
  EXPECT_THAT(done.out, Not(HasSubstr("-0.0 %")));
}

TEST(Dnn, Rle16IsRle) {
  const auto text = [](const char* codec) {
    return run({"dnn", "run", "--net", "squeezenet", "--codec", codec, "--densities", "squeezenet"}).out;
  };
  EXPECT_THAT(text("rle16"), HasSubstr("ratio 1.6"));
  EXPECT_EQ(text("rle16"), text("rle"));
}

TEST(Dnn, LinksByNameByRateAndShared) {
  const auto link = [](const std::vector<std::string>& options) {
    std::vector<std::string> words{"dnn", "run", "--net", "fmnist"};
    words.insert(words.end(), options.begin(), options.end());
    return run(words).out;
  };
  EXPECT_THAT(link({}), HasSubstr("link 12.80 GB/s"));
  EXPECT_THAT(link({"--link", "nvlink"}), HasSubstr("link 80.00 GB/s"));
  for (const char* rate : {"25.6", "25.6GB/s", "25600 MB/s"}) {
    EXPECT_THAT(link({"--link", rate}), HasSubstr("link 25.60 GB/s")) << rate;
  }
  EXPECT_THAT(link({"--link", "16", "--shared-by", "4"}), HasSubstr("link 4.00 GB/s"));
}

TEST(Dnn, ListNamesWhatShips) {
  const Outcome done = run({"dnn", "list"});
  ASSERT_EQ(done.code, 0);
  for (const char* name :
       {"alexnet", "overfeat", "nin", "vgg16", "squeezenet", "googlenet", "fmnist", "pcie3", "nvlink"}) {
    EXPECT_THAT(done.out, HasSubstr(name));
  }
  EXPECT_THAT(done.out, HasSubstr("57/1      7.00      3.17    22.39      47"));
}

TEST(Dnn, DumpsBecomeDensitiesBecomeATimeline) {
  namespace fs = std::filesystem;
  const Folder folder;
  const std::string maps = folder / "maps";
  fs::create_directories(maps + "/block");
  const std::string data = WG_SOURCE_DIR "/tests/codec/data/";
  fs::copy_file(data + "fmnist_conv3_it937_n32.npy", maps + "/block/conv3_it937.npy");
  fs::copy_file(data + "fmnist_conv3_it0_n32.npy", maps + "/block/conv3_it0.npy");
  const std::string file = folder / "mine.csv";
  const Outcome made = run({"dnn", "densities", maps, "--out", file});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(read(file), HasSubstr("937,block/conv3,50176,0.190390,4.5118,"));
  const std::string net =
      folder.file("mine.toml",
                  "input = [3, 8, 8]\nlayers = [\n"
                  "  { name = \"block/conv3\", type = \"conv\", from = \"data\", out = 8, kernel = 1 },\n"
                  "  { name = \"more\", type = \"conv\", from = \"block/conv3\", out = 8, kernel = 1 },\n"
                  "  { name = \"last\", type = \"pool\", from = \"more\" },\n]\n");
  const Outcome missing = run({"dnn", "run", "--net", net, "--codec", "zvc", "--densities", file});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("a row for \"more\""));
  const std::string whole = folder.file("whole.csv", read(file) + "0,*,1,0.5,,2,3\n937,*,1,0.5,,2,3\n");
  for (const char* codec : {"zvc", "rle", "deflate"}) {
    const Outcome done =
        run({"dnn", "run", "--net", net, "--codec", codec, "--densities", whole, "--trajectory"});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("       937"));
  }
}

TEST(Dnn, MistakesEndWithOneAndSayWhatWasMeant) {
  const auto says = [](std::vector<std::string> options, const char* text) {
    std::vector<std::string> words{"dnn", "run"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome done = run(words);
    EXPECT_EQ(done.code, 1) << done.err;
    EXPECT_THAT(done.err, HasSubstr(text));
    EXPECT_THAT(done.err, Not(HasSubstr("our fault")));
  };
  says({}, "--net is required");
  says({"--net", "alexnet", "--policy", "some"}, "--policy");
  says({"--net", "alexnet", "--sync", "never"}, "--sync");
  says({"--net", "alexnet", "--codec", "zvc"}, "expected --ratio R or --densities NAME");
  says({"--net", "alexnet", "--ratio", "2"}, "expected a --codec");
  says({"--net", "alexnet", "--codec", "zvc", "--ratio", "0"}, "--ratio");
  says({"--net", "alexnet", "--codec", "zvc", "--ratio", "nan"},
       "--ratio: expected a finite number, found nan");
  says({"--net", "alexnet", "--speed", "nan"}, "--speed: expected a finite number, found nan");
  says({"--net", "alexnet", "--speed", "-inf"}, "found -inf");
  says({"--net", "alexnet", "--codec", "zvc", "--ratio", "2", "--densities", "fmnist"}, "found both");
  says({"--net", "alexnet", "--step", "3"}, "expected --densities");
  says({"--net", "alexnet", "--link", "nvlnk"}, "did you mean \"nvlink\"?");
  says({"--net", "alexnet", "--link", "-3"}, "a number alone is in GB/s");
  says({"--net", "alexnet", "--link", "1e3"}, "--link: expected a bandwidth");
  says({"--net", "alexnet", "--link", "200000"}, "1 MB/s to 100 TB/s");
  says({"--net", "alexnet", "--batch", "0"}, "--batch");
  says({"--net", "alexnet", "--shared-by", "0"}, "--shared-by");
}

TEST(Dnn, BadFilesEndWithTwoAndNameThePlace) {
  const Folder folder;
  const auto says = [](const std::vector<std::string>& options, const std::string& text) {
    std::vector<std::string> words{"dnn"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome done = run(words);
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_THAT(done.err, HasSubstr(text));
  };
  says({"run", "--net", "alexnt"}, "did you mean \"alexnet\"?");
  says({"run", "--net", folder / "none.toml"}, "none.toml: expected a file");
  says({"run", "--net", folder.file("bad.toml", "input = 3\n")}, "bad.toml:1:9");
  says({"run", "--net", "alexnet", "--gpu", "titan"}, "titan");
  says({"run", "--net", "alexnet", "--times", "measured"}, "times/alexnet");
  says({"run", "--net", "alexnet", "--times",
        folder.file("t.csv", "# batch: 1\nlayer,fwd_ms,bwd_ms\nconv9,1,1\n")},
       "t.csv:3");
  says({"run", "--net", "alexnet", "--codec", "zvc", "--densities", "squeezenet"}, "a row for \"norm1\"");
  says({"run", "--net", "alexnet", "--codec", "zvc", "--densities",
        folder.file("d.csv", "iteration,layer,density\n0,a,7\n")},
       "d.csv:2");
  says({"run", "--net", "alexnet", "--codec", "zvc", "--densities",
        folder.file("l.csv", "iteration,layer,density\n0,*,0.5\n0,zzz,0.5\n")},
       "l.csv:3: expected a layer of alexnet");
  says({"run", "--net", "alexnet", "--codec", "zvc", "--densities",
        folder.file("c.csv", "# mine\niteration,layer,density,colour\n0,*,0.5,3\n")},
       "c.csv:2: expected columns iteration");
  says({"run", "--net", "alexnet", "--json", "/nowhere/at/all.json"}, "/nowhere/at/all.json");
  says({"densities", folder.file("conv1.npy", "x")}, "conv1_it100.npy");
  says({"densities", folder.file("conv1_it3.npy", "x")}, "conv1_it3.npy@0");
  says({"densities", folder / "gone_it1.npy"}, "a file that can be read");
}

}  // namespace
}  // namespace wg::cli
