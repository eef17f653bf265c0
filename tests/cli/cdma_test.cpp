#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace wg::cli {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const std::string kMap = WG_SOURCE_DIR "/tests/codec/data/fmnist_conv3_it937_n32.npy";

Json figures(const Folder& folder, std::vector<std::string> options) {
  const std::string path = folder / "engine.json";
  options.insert(options.begin(), "cdma");
  options.insert(options.end(), {"--json", path, "--quiet"});
  const Outcome done = run(options);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "");
  return Json::parse(read(path));
}

TEST(Cdma, PrintsBothModels) {
  const Outcome done = run({"cdma", "--ratio", "13.8", "--buffer", "70000"});
  EXPECT_EQ(done.code, 0) << done.err;
  for (const char* part : {"line by line", "closed form", "200.0 GB/s", "limited by provision", "220.8 GB/s",
                           "crossbar", "fullest microsecond"}) {
    EXPECT_THAT(done.out, HasSubstr(part));
  }
}

TEST(Cdma, ASetDefaultChangesNothing) {
  const Folder folder;
  for (const char* key : {"cdma.line=128", "cdma.provision=200GB/s"}) {
    EXPECT_EQ(figures(folder, {"--set", key}), figures(folder, {})) << key;
  }
  EXPECT_THAT(run({"cdma"}).out, HasSubstr("Engine of the reference"));
  EXPECT_THAT(run({"cdma", "--gpu", "titan-x"}).out, HasSubstr("Engine of titan-x"));
}

TEST(Cdma, FiguresOfTheReferenceEngine) {
  const Folder folder;
  const Json full = figures(folder, {"--ratio", "13.8", "--bytes", "7680000"});
  EXPECT_NEAR(full["event"]["rate"].get<double>(), 195.8e9, 195.8e9 * 0.03);
  EXPECT_NEAR(full["closed"]["rate"].get<double>(), 200e9, 1);
  EXPECT_EQ(full["closed"]["limit"], "provision");
  EXPECT_GE(full["event"]["peak_read_rate"], full["event"]["mean_read_rate"]);
  const Json half = figures(folder, {"--ratio", "13.8", "--bytes", "7680000", "--buffer", "35000"});
  EXPECT_EQ(half["closed"]["limit"], "buffer");
  EXPECT_NEAR(half["event"]["rate"].get<double>(), 98.5e9, 98.5e9 * 0.02);
  const Json dma = figures(folder, {"--ratio", "13.8", "--bytes", "7680000", "--placement", "dma"});
  EXPECT_EQ(dma["event"]["crossbar_bytes"], 7'680'000);
  EXPECT_EQ(full["event"]["crossbar_bytes"], 7'680'000 / 128 * 32);  // 9 or 10 bytes: one flit
}

TEST(Cdma, ThePortBindsInClosedFormToo) {
  const Folder folder;
  for (const bool prefetch : {false, true}) {
    std::vector<std::string> options{"--ratio", "13.8",   "--bytes",     "7680000",
                                     "--port",  "1 GB/s", "--placement", "dma"};
    if (prefetch) {
      options.emplace_back("--prefetch");
    }
    const Json whole = figures(folder, options);
    EXPECT_EQ(whole["closed"]["limit"], "port");
    EXPECT_NEAR(whole["closed"]["rate"].get<double>(), 1e9, 1);
    EXPECT_NEAR(whole["event"]["rate"].get<double>(), 1e9, 1e7);
    options.back() = prefetch ? "--prefetch" : "mc";  // one flit of 32 bytes for a line
    if (prefetch) {
      options[7] = "mc";
    }
    const Json flits = figures(folder, options);
    EXPECT_NEAR(flits["closed"]["rate"].get<double>(), 4e9, 1);
    EXPECT_NEAR(flits["event"]["rate"].get<double>(), 4e9, 4e7);
  }
}

TEST(Cdma, AMapGivesTheSizeOfTheCodec) {
  const Folder folder;
  for (const char* layout : {"nchw", "nhwc", "chwn"}) {
    EXPECT_EQ(figures(folder, {"--map", kMap, "--layout", layout})["compressed_bytes"], 44'484) << layout;
  }
  EXPECT_EQ(figures(folder, {"--map", kMap, "--codec", "rle16"})["compressed_bytes"], 64'260);
  EXPECT_EQ(figures(folder, {"--map", kMap, "--prefetch"})["compressed_bytes"], 44'484);
}

TEST(Cdma, RangesOfACopyHaveTheirOwnDensity) {
  const Folder folder;
  const std::string file = folder.file("d.csv", "address,bytes,density\n0,4096,0\n4096,8192,1\n");
  const Json mixed = figures(folder, {"--densities", file, "--bytes", "12288"});
  EXPECT_EQ(mixed["compressed_bytes"], 32 * 4 + 64 * 132);
  const Outcome wrong = run({"cdma", "--densities", folder.file("e.csv", "density\n0.5\n")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("e.csv: expected ranges: columns address and bytes"));
}

TEST(Cdma, TakesTheEngineOfAMachine) {
  const Folder folder;
  const Json titan = figures(folder, {"--gpu", "titan-x", "--set", "cdma.buffer=35000"});
  EXPECT_EQ(titan["config"]["controllers"], 12);
  EXPECT_EQ(titan["config"]["buffer_bytes"], 35'000);
  EXPECT_NEAR(titan["closed"]["rate"].get<double>(), titan["config"]["link"].get<double>() * 2.6, 1e6);
}

TEST(Cdma, SaysWhatIsWrong) {
  const auto expect = [](const Outcome& outcome, int code, const char* text) {
    EXPECT_EQ(outcome.code, code) << text << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  expect(run({"cdma", "--ratio", "0"}), 2, "expected a compression ratio from 0.01 to 10000, found 0");
  expect(run({"cdma", "--ratio=-2"}), 2, "ratio from 0.01");
  expect(run({"cdma", "--ratio", "nan"}), 1, "--ratio: expected a finite number, found nan");
  expect(run({"cdma", "--density", "inf"}), 1, "--density: expected a finite number, found inf");
  expect(run({"cdma", "--bytes", "1TiB"}), 2, "1 B to 16 GiB");
  expect(run({"cdma", "--ratio", "1e30"}), 2, "ratio from 0.01");
  expect(run({"cdma", "--ratio", "x"}), 1, "--ratio");
  expect(run({"cdma", "--density", "1.5"}), 2, "a density from 0 to 1");
  expect(run({"cdma", "--buffer", "100"}), 2, "room for one line of 128 bytes");
  expect(run({"cdma", "--map", kMap, "--codec", "lz4"}), 1, "zvc, rle16, rle8");
  expect(run({"cdma", "--codec", "zvc"}), 1, "--map only");
  expect(run({"cdma", "--ratio", "2", "--density", "0.5"}), 1,
         "one of --ratio, --density, --densities and --map");
  expect(run({"cdma", "--placement", "sm"}), 1, "mc or dma");
  expect(run({"cdma", "--bytes", "0"}), 2, "1 B to 16 GiB");
  expect(run({"cdma", "--link", "1 GHz"}), 1, "--link: expected a bandwidth");
  expect(run({"cdma", "--link", "16000000000"}), 1, "a number alone is in GB/s");
  expect(run({"cdma", "--port", "1KB/s"}), 1, "--port: expected a bandwidth");
  expect(run({"cdma", "--read-limit", "0"}), 1, "--read-limit: expected 1 MB/s to 100 TB/s");
  expect(run({"cdma", "--set", "cdma.codec=lz4"}), 2, "cdma.codec as one of none, zvc");
  expect(run({"cdma", "extra"}), 1, "extra");
}

TEST(Cdma, RatesHaveUnitsOrAreInGigabytes) {
  const auto config = [](const std::string& option, const std::string& value) {
    const Folder folder;
    const Outcome done =
        run({"cdma", "--bytes", "1MiB", option, value, "--quiet", "--json", folder / "a.json"});
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(read(folder / "a.json"))["config"];
  };
  for (const char* rate : {"12.8", "12.8GB/s", "12800 MB/s", "12800000000B/s", "pcie3"}) {
    EXPECT_EQ(config("--link", rate)["link"], 12'800'000'000) << rate;
  }
  EXPECT_EQ(config("--read-limit", "100")["read_limit"], 100'000'000'000);
  EXPECT_EQ(config("--provision", "100")["provision"], 100'000'000'000);
}

/// Copies of the tiny trace on a machine.
Json copies(const Folder& folder, const std::string& trace, std::vector<std::string> options) {
  const std::string path = folder / "run.json";
  options.insert(options.begin(), {"run", trace, "--gpu", "titan-x", "--quiet", "--json", path});
  const Outcome done = run(options);
  EXPECT_EQ(done.code, 0) << done.err;
  return Json::parse(read(path)).at("copies");
}

TEST(CdmaRun, CopiesOfATraceGoThroughTheEngine) {
  const Folder folder;
  const std::string trace = tiny_trace(folder);
  folder.file("kernelslist.g",
              "MemcpyHtoD,0x00007f2000000000,26000000\nkernel-1.traceg\nMemcpyDtoH,0x00007f2000000000,"
              "26000000\n");
  const Json plain = copies(folder, trace, {});
  const Json zvc = copies(folder, trace, {"--set", "cdma.codec=zvc", "--set", "cdma.ratio=2.6"});
  ASSERT_EQ(zvc.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(plain[i]["link_bytes"], 26'000'000);
    EXPECT_NEAR(zvc[i]["link_bytes"].get<double>(), 10'000'000, 1);
    const double latency = 1e6;  // 1 us
    EXPECT_NEAR(zvc[i]["time_ps"].get<double>() - latency,
                (plain[i]["time_ps"].get<double>() - latency) / 2.6, 2e6);
    EXPECT_EQ(zvc[i]["dram_read_bytes"], plain[i]["dram_read_bytes"]);
  }
  EXPECT_GT(zvc[0]["dram_write_bytes"], 20'000'000);  // what the L2 does not keep
  EXPECT_GT(zvc[1]["dram_read_bytes"], 20'000'000);
  const Json dma =
      copies(folder, trace,
             {"--set", "cdma.codec=zvc", "--set", "cdma.placement=dma", "--set", "cdma.model=closed"});
  EXPECT_EQ(dma[1]["crossbar_bytes"], 26'000'000);
  EXPECT_LT(zvc[1]["crossbar_bytes"], 14'000'000);
}

TEST(CdmaRun, AFileSaysHowWellRangesCompress) {
  const Folder folder;
  const std::string trace = tiny_trace(folder);
  const std::string file = folder.file("d.csv", "address,bytes,density\n0x7f2000000000,4096,0\n");
  const Json sparse = copies(folder, trace, {"--set", "cdma.codec=zvc", "--set", "cdma.densities=" + file});
  EXPECT_EQ(sparse[0]["link_bytes"], 128);
  const Outcome wrong = run({"run", trace, "--gpu", "titan-x", "--set", "cdma.codec=zvc", "--set",
                             "cdma.densities=" + folder.file("bad.csv", "density\n7\n")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("bad.csv:2: expected \"density\" between 0 and 1"));
  const Outcome zero = run({"run", trace, "--gpu", "titan-x", "--set", "cdma.ratio=0"});
  EXPECT_EQ(zero.code, 2);
  EXPECT_THAT(zero.err, HasSubstr("cdma.ratio"));
}

TEST(CdmaRun, FaultsOfAKernelAreServedFasterWithIt) {
  const Folder folder;
  const auto cycles = [&folder](const char* uvm) {
    const std::string path = folder / "run.json";
    const Outcome done =
        run({"run", "kernel:vecadd?n=20000", "--gpu", "titan-x", "--quiet", "--json", path, "--set",
             "uvm.enable=true", "--set", "cdma.codec=zvc", "--set", std::string("cdma.uvm=") + uvm});
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(read(path))["kernels"][0]["cycles"].get<std::uint64_t>();
  };
  EXPECT_LT(cycles("true"), cycles("false"));
}

TEST(CdmaRun, MigrationsAreCompressedWhenAsked) {
  const Folder folder;
  const std::string stream = folder / "stream.txt";
  ASSERT_EQ(run({"uvm", "generate", "seq", "--bytes", "4 MiB", "-o", stream}).code, 0);
  const auto link_ps = [&](std::vector<std::string> options) {
    const std::string path = folder / "uvm.json";
    options.insert(options.begin(), {"uvm", "replay", stream, "--quiet", "--json", path});
    const Outcome done = run(options);
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(read(path));
  };
  const Outcome text = run({"uvm", "replay", stream, "--set", "cdma.codec=zvc", "--set", "cdma.uvm=true"});
  EXPECT_THAT(text.out, HasSubstr("Migrations compressed, zvc at ratio 2.60: 31.82 GB/s to the device"));
  const Json plain = link_ps({"--set", "cdma.codec=zvc"});
  const Json zvc = link_ps({"--set", "cdma.codec=zvc", "--set", "cdma.uvm=true"});
  EXPECT_LT(zvc["totals"].at("link_in_ns").get<double>(),
            plain["totals"].at("link_in_ns").get<double>() * 0.9);
}

TEST(Cdma, CtrlCEndsItWithFour) {
  const Outcome stopped = run_and_signal({"cdma", "--density", "0.4", "--bytes", "16GiB"}, SIGINT, 300);
  EXPECT_EQ(stopped.code, 4) << stopped.out;
  EXPECT_EQ(stopped.err, "warpgauge: interrupted\n");
}

}  // namespace
}  // namespace wg::cli
