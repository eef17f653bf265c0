// What users write, right and wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "dnn/densities.hpp"
#include "random_net.hpp"
#include "support.hpp"

namespace wg::dnn {
namespace {

using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  Files() {
    folder_ = std::filesystem::temp_directory_path() /
              ("wg_dnn_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  /// The text of the error that reading a network gives.
  [[nodiscard]] std::string network_error(const std::string& text) const {
    try {
      read_network(write("net.toml", text));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  [[nodiscard]] std::string densities_error(const std::string& text, const std::string& network = "fmnist",
                                            Codec codec = Codec::zvc) const {
    try {
      const Densities densities(write("d.csv", text));
      (void)densities.ratios(test::shipped(network), 5, codec);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path folder_;
};

constexpr const char* kHead = "input = [3, 8, 8]\nlayers = [\n";

TEST_F(Files, NetworkErrorsNamePlaceAndRemedy) {
  const auto with = [&](const std::string& layers) { return network_error(kHead + layers + "]\n"); };
  EXPECT_THAT(network_error("input = [3, 8\n"), HasSubstr("net.toml:"));
  EXPECT_THAT(network_error("input = [3, 8]\n"), HasSubstr("net.toml:1:9: expected \"input\""));
  EXPECT_THAT(network_error("input = [3, 8, 8]\n"), HasSubstr("\"layers\""));
  EXPECT_THAT(network_error("inptu = 3\n"), HasSubstr("did you mean \"input\"?"));
  EXPECT_THAT(network_error("batch = 0\ninput = [3, 8, 8]\n"), HasSubstr("net.toml:1:9"));
  EXPECT_THAT(with("  3\n"), HasSubstr("net.toml:3:3"));
  EXPECT_THAT(with("  { name = \"a\", type = \"cnov\", from = \"data\" }"),
              HasSubstr("did you mean \"conv\"?"));
  EXPECT_THAT(with("  { name = \"a\", type = \"conv\", from = \"data\" }"),
              HasSubstr("net.toml:3:3: layer \"a\": expected \"out\""));
  EXPECT_THAT(with("  { name = \"a\", type = \"conv\", from = \"data\", out = 4 }"), HasSubstr("\"kernel\""));
  EXPECT_THAT(with("  { name = \"a\", type = \"conv\", from = \"data\", out = 4, kernel = 9 }"),
              HasSubstr("a kernel of at most 8"));
  EXPECT_THAT(with("  { name = \"a\", type = \"conv\", from = \"data\", out = 4, kernel = 1, groups = 2 }"),
              HasSubstr("3 in, 4 out, 2 groups"));
  EXPECT_THAT(with("  { name = \"a\", type = \"conv\", from = \"data\", out = -4, kernel = 1 }"),
              HasSubstr("a whole number from 1"));
  EXPECT_THAT(with("  { name = \"a\", type = \"pool\", from = \"dtaa\" }"),
              HasSubstr("did you mean \"data\"?"));
  EXPECT_THAT(with("  { name = \"a\", type = \"relu\", from = \"data\" }"), HasSubstr("the images"));
  EXPECT_THAT(with("  { name = \"a\", type = \"pool\" }"), HasSubstr("\"from\""));
  EXPECT_THAT(with("  { name = \"data\", type = \"pool\", from = \"data\" }"),
              HasSubstr("a name of its own"));
  EXPECT_THAT(with("  { name = \"a\", type = \"lrn\", from = \"data\" },\n  { name = \"b\", type = \"lrn\", "
                   "from = \"a\" },\n"
                   "  { name = \"c\", type = \"relu\", from = \"a\" }"),
              HasSubstr("net.toml:5:3: layer \"c\""));
  EXPECT_THAT(with("  { name = \"a\", type = \"pool\", from = \"data\" },\n  { name = \"b\", type = \"add\", "
                   "from = [\"a\", \"data\"] }"),
              HasSubstr("3 x 1 x 1 and 3 x 8 x 8"));
  EXPECT_THAT(network_error(std::string(40, '[')), HasSubstr("net.toml:1: expected at most 16 brackets"));
  std::string dots = "a";
  for (int i = 0; i < 100'000; ++i) {
    dots += ".a";
  }
  EXPECT_THAT(network_error("# ok\n" + dots + " = 1\n"), HasSubstr("net.toml:2"));
  EXPECT_THAT(network_error("title = \"\"\"a\nb\"\"\"\n"), HasSubstr("net.toml:1"));
  EXPECT_THAT(
      network_error("title = \"[[[[[[[[[[[[[[[[[[ a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s\"\ninput = 3\n"),
      HasSubstr("net.toml:2:9"));
}

TEST_F(Files, DamagedNetworksGiveErrorsOnly) {
  std::ifstream in(test::kRoot + "/workloads/networks/squeezenet.toml");
  std::stringstream text;
  text << in.rdbuf();
  test::Random random(7);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string bytes = text.str().substr(0, 400 + random.below(3000));
    for (std::uint64_t change = random.below(6); change-- > 0;) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    if (random.below(2) == 0) {
      bytes += "]\n";
    }
    refused += network_error(bytes) == "no error" ? 0 : 1;
  }
  EXPECT_GT(refused, 300);
}

TEST_F(Files, TableErrorsNameTheLine) {
  const auto error = [&](const std::string& text) {
    try {
      read_times(write("t.csv", text), test::chain(2), 64, std::vector<LayerCost>(2));
    } catch (const Error& caught) {
      return std::string(caught.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error(""), HasSubstr("t.csv:1: expected a column \"layer\""));
  EXPECT_THAT(error("layer,fwd_ms,bwd_ms\n"), HasSubstr("# batch: N"));
  EXPECT_THAT(error("# batch: x\nlayer,fwd_ms,bwd_ms\n"), HasSubstr("found \"x\""));
  EXPECT_THAT(error("# batch: 8\nlayer,fwd_ms,bwd_ms\nconv0,1\n"), HasSubstr("t.csv:3: expected 3 values"));
  EXPECT_THAT(error("# batch: 8\nlayer,fwd_ms,bwd_ms\nconv0,1,x\n"),
              HasSubstr("t.csv:3: expected \"bwd_ms\""));
  EXPECT_THAT(error("# batch: 8\nlayer,fwd_ms,bwd_ms\nconv0,1,-1\n"), HasSubstr("t.csv:3"));
  EXPECT_THAT(error("# batch: 8\nlayer,fwd_ms,bwd_ms\nconv0,1,nan\n"), HasSubstr("t.csv:3"));
  EXPECT_THAT(error("# batch: 8\nlayer,fwd_ms,bwd_ms\nconv9,1,1\n"),
              HasSubstr("t.csv:3: expected a layer of chain"));
  EXPECT_THAT(error("# batch: 8\nlayer,fwd_ms,bwd_ms\nconv0,1,1\nconv0,1,1\n"), HasSubstr("t.csv:4"));
}

TEST_F(Files, TimesGrowWithTheBatchAndGapsAreListed) {
  const std::string path = write("t.csv", "# batch: 8\n# gpu: titan-x\nlayer,fwd_ms,bwd_ms\nconv1,2,6\n");
  const MeasuredTimes read =
      read_times(path, test::chain(2), 32, std::vector<LayerCost>(2, {.forward = 5, .backward = 7}));
  EXPECT_DOUBLE_EQ(read.times[1].forward, 0.008);
  EXPECT_DOUBLE_EQ(read.times[1].backward, 0.024);
  EXPECT_EQ(read.times[0].forward, 5);
  EXPECT_EQ(read.missing, std::vector<std::string>{"conv0"});
  EXPECT_EQ(read.gpu, "titan-x");
}

TEST_F(Files, EveryShippedFileReads) {
  const Folders folders = workload_folders(test::kRoot);
  for (const std::string& name : names_in("networks", ".toml", folders)) {
    const Network net = test::shipped(name);
    EXPECT_FALSE(net.source.empty()) << name;
  }
  for (const std::string& name : names_in("times", ".csv", folders)) {
    const Network net = test::shipped(name);
    const auto costs = std::vector<LayerCost>(net.layers.size());
    EXPECT_LE(read_times(find_file(name, "times", ".csv", folders), net, 64, costs).missing.size(), 3U)
        << name;
  }
  const std::vector<Link> links = read_links(folders);
  ASSERT_FALSE(links.empty());
  for (const Link& link : links) {
    EXPECT_FALSE(link.source.empty()) << link.name;
  }
}

TEST_F(Files, DensityErrorsNameTheLineOrTheMap) {
  const std::string head = "iteration,layer,density\n";
  EXPECT_THAT(densities_error("layer,density\n"), HasSubstr("a column \"iteration\""));
  EXPECT_THAT(densities_error(head), HasSubstr("expected rows"));
  EXPECT_THAT(densities_error(head + "0,conv0,1.5\n"), HasSubstr("d.csv:2"));
  EXPECT_THAT(densities_error(head + "0,conv0,.5\n0,conv0,.5\n"), HasSubstr("d.csv:3"));
  EXPECT_THAT(densities_error(head + "9,conv0,.5\n"), HasSubstr("an iteration up to 5"));
  EXPECT_THAT(densities_error(head + "0,conv0,.5\n"), HasSubstr("a row for \"pool0\""));
  EXPECT_EQ(densities_error(head + "0,conv0,.5\n0,*,.4\n"), "no error");
  EXPECT_THAT(densities_error(head + "0,*,.4\n", "fmnist", Codec::deflate),
              HasSubstr("d.csv:2: expected a measured ratio of deflate"));
}

TEST_F(Files, RatiosComeFromTheNearestRow) {
  const Densities densities(
      write("d.csv",
            "iteration,layer,density,zvc,deflate\n10,conv0,.5,,3\n10,*,.25,,2\n20,relu0,.1,7,\n20,*,0,,\n"));
  const Network net = test::shipped("fmnist");
  EXPECT_EQ(densities.at_or_before(19), 10U);
  EXPECT_EQ(densities.at_or_before(99), 20U);
  const std::vector<double> early = densities.ratios(net, 12, Codec::zvc);
  EXPECT_DOUBLE_EQ(early[0], 1 / (1 + 1.0 / 32));  // images
  EXPECT_DOUBLE_EQ(early[1], 1 / (.5 + 1.0 / 32));
  EXPECT_DOUBLE_EQ(early[2], 1 / (.25 + 1.0 / 32));
  EXPECT_DOUBLE_EQ(densities.ratios(net, 20, Codec::zvc)[1], 7);
  EXPECT_DOUBLE_EQ(densities.ratios(net, 20, Codec::zvc)[2], 32);
  EXPECT_DOUBLE_EQ(densities.ratios(net, 10, Codec::deflate)[1], 3);
}

TEST(Densities, SqueezeNetShrinksAsMeasured) {
  const Densities densities(test::kRoot + "/workloads/densities/squeezenet.csv");
  const Network net = test::shipped("squeezenet");
  const auto ratio = [&](Codec codec) {
    const std::vector<double> ratios = densities.ratios(net, 0, codec);
    double raw = 0;
    double packed = 0;
    for (std::size_t b = 1; b < ratios.size(); ++b) {
      raw += static_cast<double>(net.buffers[b].bytes);
      packed += static_cast<double>(net.buffers[b].bytes) / ratios[b];
    }
    return raw / packed;
  };
  // Over all maps: 345 MB of 17 photos.
  EXPECT_NEAR(ratio(Codec::zvc), 1.896, 0.01);
  EXPECT_NEAR(ratio(Codec::rle), 1.680, 0.01);
  EXPECT_NEAR(ratio(Codec::deflate), 2.055, 0.01);
}

TEST(Densities, TheRecordedTrainingFallsAndRises) {
  const Densities log(test::kRoot + "/workloads/densities/fmnist.csv");
  const Network net = test::shipped("fmnist");
  std::vector<bool> wanted = offload_set(net, Policy::all);
  wanted[0] = false;  // the images
  std::vector<double> mean;
  for (const std::uint64_t iteration : log.iterations()) {
    mean.push_back(log.mean(net, iteration, wanted));
    std::vector<bool> first(net.buffers.size(), false);
    first[1] = true;  // conv0
    EXPECT_GE(log.mean(net, iteration, first), 0.45);
    EXPECT_LE(log.mean(net, iteration, first), 0.53);
  }
  // Iterations 0, 10, 30, 100, 250, 500, 937, 1874, 2811: up to 100, down until 1874, then up again.
  ASSERT_EQ(mean.size(), 9U);
  EXPECT_EQ(std::max_element(mean.begin(), mean.end()) - mean.begin(), 3);
  for (std::size_t i = 4; i <= 7; ++i) {
    EXPECT_LT(mean[i], mean[i - 1]);
  }
  EXPECT_GT(mean[8], mean[7] + 0.01);
}

TEST(Densities, DumpsGiveTheirKnownSizes) {
  const std::string data = test::kRoot + "/tests/codec/data/";
  const std::vector<std::string> files{data + "fmnist_conv3_it937_n32.npy",
                                       data + "fmnist_conv3_it0_n32.npy"};
  const std::vector<DumpRow> rows = measure_dumps(files);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].iteration, 0U);
  EXPECT_EQ(rows[1].iteration, 937U);
  EXPECT_EQ(rows[1].layer, "fmnist_conv3");
  EXPECT_EQ(rows[1].nonzeros, 9553U);
  EXPECT_EQ(rows[1].zvc_bytes, 44484U);
  EXPECT_EQ(rows[1].rle_bytes, 64260U);
  EXPECT_THAT(densities_csv(rows), HasSubstr("937,fmnist_conv3,50176,0.190390,4.5118,"));
  const std::vector<std::string> twice{files[0], files[0]};
  EXPECT_EQ(measure_dumps(twice).at(0).nonzeros, 2 * 9553U);
  EXPECT_THROW((void)measure_dumps(std::vector<std::string>{data + "inceptionv3_act89_n2.npy"}), Error);
}

TEST_F(Files, CommentsMayStandBehindValues) {
  const Densities densities(
      write("d.csv", "# made up\niteration,layer,density # share\n5,*,0.25 # all, of them\n9,*,0.5\n"));
  EXPECT_THAT(densities.iterations(), testing::ElementsAre(5U, 9U));
  for (const double ratio : densities.ratios(test::shipped("fmnist"), 5, Codec::zvc)) {
    EXPECT_TRUE(ratio == zvc_ratio(0.25) || ratio == zvc_ratio(1)) << ratio;
  }
}

}  // namespace
}  // namespace wg::dnn
