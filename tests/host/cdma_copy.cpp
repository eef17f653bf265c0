// Copies of a trace through the compressing engine, and the file that says how well data compress.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "host/cdma/copy.hpp"
#include "host/cdma/engine.hpp"

namespace wg::host::cdma {
namespace {

constexpr Compressibility kOther{Compressibility::Kind::ratio, 2};

config::Machine titan_x() {
  config::Machine machine;
  machine.dram.channels = 6;
  machine.dram.bus = Bytes{16};
  machine.clock.dram = Hertz{3'500'000'000};  // 56 GB/s a channel
  machine.link = {.timed = true, .latency_ns = 1000, .to_device = 16'000'000'000, .to_host = 16'000'000'000};
  machine.cdma.codec = "zvc";
  return machine;
}

trace::Copy copy(trace::CopyKind kind, std::uint64_t bytes, std::uint64_t address = 0) {
  return {kind, address, Bytes{bytes}};
}

std::string problem_of(const std::string& text) {
  try {
    const Densities read(text, "file");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CdmaDensities, RowsAreTheCopiesInTheirOrder) {
  const Densities file("# layers\nratio\n2.5\n 13.8 # pool5\r\n", "file");
  EXPECT_EQ(file.rows(), 2U);
  EXPECT_FALSE(file.has_density());
  const auto second = file.pieces(1, 0x1000, Bytes{64}, kOther);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].bytes.count(), 64U);
  EXPECT_EQ(second[0].how.value, 13.8);
  EXPECT_EQ(file.pieces(2, 0, Bytes{64}, kOther)[0].how, kOther);
}

TEST(CdmaDensities, RangesCutACopyIntoPieces) {
  const Densities file("address, bytes, density\n0x2000,0x1000,0.5\n4096,1024,0\n", "file");
  EXPECT_TRUE(file.has_density());
  EXPECT_TRUE(file.by_address());
  const auto pieces = file.pieces(7, 0x0F00, Bytes{0x3000}, kOther);
  ASSERT_EQ(pieces.size(), 5U);
  const std::vector<std::uint64_t> sizes{0x100, 0x400, 0xC00, 0x1000, 0xF00};
  const std::vector<double> values{2, 0, 2, 0.5, 2};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].bytes.count(), sizes[i]);
    EXPECT_EQ(pieces[i].how.value, values[i]);
  }
  EXPECT_EQ(file.pieces(0, 0x9000, Bytes{10}, kOther).size(), 1U);
}

TEST(CdmaDensities, PiecesAddUpToTheCopy) {
  Rng rng(1);
  std::string text = "address,bytes,ratio\n";
  std::uint64_t at = 0;
  for (int i = 0; i < 50; ++i) {
    at += rng.below(3) * 100;
    const std::uint64_t bytes = rng.below(500);
    text += std::to_string(at) + "," + std::to_string(bytes) + "," + std::to_string(1 + rng.below(30)) + "\n";
    at += bytes;
  }
  const Densities file(text, "file");
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t bytes = rng.below(5000);
    std::uint64_t sum = 0;
    for (const Piece& piece : file.pieces(0, rng.below(at), Bytes{bytes}, kOther)) {
      EXPECT_GT(piece.bytes.count(), 0U);
      sum += piece.bytes.count();
    }
    EXPECT_EQ(sum, bytes);
  }
}

TEST(CdmaDensities, SaysWhereSomethingIsWrong) {
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(problem_of(text).find(part), std::string::npos) << text << ": " << problem_of(text);
  };
  has("", "no columns");
  has("density\n", "no values");
  has("density\n1.5\n", "file:2: expected \"density\" between 0 and 1, found \"1.5\"");
  has("ratio\n\n0\n", "file:3: expected \"ratio\" between 0.01 and 10000");
  has("ratio\n-2\n", "file:2");
  has("ratio\nnan\n", "file:2");
  has("ratio\n2x\n", "file:2");
  has("ratio\n1,2\n", "expected 1 values");
  has("ratio,density\n", "a column density or a column ratio");
  has("address,ratio\n", "address and bytes together");
  has("layer,ratio\n", "found \"layer\"");
  has("ratio,ratio\n", "at most once");
  has("address,bytes,ratio\n12z,4,2\n", "an address as a whole number");
  has("address,bytes,ratio\n0xffffffffffffffff,4,2\n", "below 2^64");
  has("address,bytes,ratio\n0,200,2\n100,4,2\n", "ranges that do not overlap");
}

TEST(CdmaCopy, AGigabyteAtTheMeanRatio) {
  config::Machine machine = titan_x();
  for (const char* model : {"closed", "event"}) {
    machine.cdma.model = model;
    const CopyEngine engine(machine);
    for (const trace::CopyKind kind : {trace::CopyKind::device_to_host, trace::CopyKind::host_to_device}) {
      const CopyCost cost = engine.cost(copy(kind, 1'000'000'000), 0);
      EXPECT_NEAR(static_cast<double>(cost.time_ps) * 1e-9, 24.04, 0.01) << model;
      EXPECT_NEAR(static_cast<double>(cost.link_bytes), 1e9 / 2.6, 1) << model;
    }
  }
}

TEST(CdmaCopy, PlacementChangesTheCrossbarOnly) {
  config::Machine machine = titan_x();
  const trace::Copy map = copy(trace::CopyKind::device_to_host, 12'800'000);
  const CopyCost mc = CopyEngine(machine).cost(map, 0);
  machine.cdma.placement = "dma";
  const CopyCost dma = CopyEngine(machine).cost(map, 0);
  EXPECT_EQ(mc.link_bytes, dma.link_bytes);
  EXPECT_EQ(dma.crossbar_bytes, 12'800'000U);
  EXPECT_EQ(mc.crossbar_bytes, 12'800'000U / 128 * 64);  // 49 or 50 bytes are two flits
  EXPECT_NEAR(static_cast<double>(mc.time_ps), static_cast<double>(dma.time_ps), 1e6);
}

TEST(CdmaCopy, WithoutACodecItIsThePlainLink) {
  config::Machine machine = titan_x();
  machine.cdma = config::CdmaConfig{};
  machine.cdma.densities = "no-such-file";  // not looked at
  const CopyEngine engine(machine);
  const trace::Copy in = copy(trace::CopyKind::host_to_device, 1'000'001);
  EXPECT_EQ(engine.cost(in, 0).time_ps, HostLink(machine.link).duration_ps(in));
  EXPECT_EQ(engine.cost(in, 0).link_bytes, 1'000'001U);
  EXPECT_EQ(engine.cost(in, 0).crossbar_bytes, 1'000'032U);
  const CopyCost inside = engine.cost(copy(trace::CopyKind::device_to_device, 64), 0);
  EXPECT_EQ(inside.time_ps, 0U);
  EXPECT_EQ(inside.link_bytes, 0U);
  EXPECT_EQ(inside.crossbar_bytes, 128U);
}

TEST(CdmaCopy, AnUntimedLinkStillCountsBytes) {
  config::Machine machine = titan_x();
  machine.link.timed = false;
  const CopyCost cost = CopyEngine(machine).cost(copy(trace::CopyKind::device_to_host, 26'000), 0);
  EXPECT_EQ(cost.time_ps, 0U);
  EXPECT_NEAR(static_cast<double>(cost.link_bytes), 10'000, 1);
  EXPECT_EQ(CopyEngine(machine).cost(copy(trace::CopyKind::device_to_host, 4), 0).link_bytes, 2U);
}

TEST(CdmaCopy, AFileOfDensitiesDecidesByAddress) {
  const std::string path = testing::TempDir() + "cdma_densities.csv";
  std::ofstream(path) << "address,bytes,density\n0x100000,12800000,0.0\n";
  config::Machine machine = titan_x();
  machine.cdma.densities = path;
  for (const char* model : {"closed", "event"}) {
    machine.cdma.model = model;
    const CopyEngine engine(machine);
    const trace::CopyKind kind = trace::CopyKind::device_to_host;
    EXPECT_EQ(engine.cost(copy(kind, 12'800'000, 0x100000), 0).link_bytes, 400'000U) << model;
    EXPECT_EQ(engine.cost(copy(kind, 1'280'000, 0x4000000), 1).link_bytes, 492'308U) << model;
    // Half zeros, half at the ratio of the rest.
    const CopyCost both = engine.cost(copy(kind, 2'560'000, 0x100000 + 12'800'000 - 1'280'000), 2);
    EXPECT_NEAR(static_cast<double>(both.link_bytes), 40'000 + 492'308, 64) << model;
  }
  machine.cdma.codec = "rle8";
  EXPECT_THROW(CopyEngine{machine}, Error);
  machine.cdma.densities = "no-such-file";
  EXPECT_THROW(CopyEngine{machine}, Error);
  EXPECT_EQ(std::remove(path.c_str()), 0);
}

TEST(CdmaCopy, BothModelsAgreeOnRandomPieces) {
  Rng rng(2);
  for (int round = 0; round < 20; ++round) {
    config::Machine machine = titan_x();
    machine.cdma.ratio = 1000 + rng.below(12'000);
    machine.cdma.placement = rng.below(2) == 0 ? "mc" : "dma";
    const trace::Copy map = copy(
        rng.below(2) == 0 ? trace::CopyKind::device_to_host : trace::CopyKind::host_to_device, 20'000'000);
    const CopyCost event = CopyEngine(machine).cost(map, 0);
    machine.cdma.model = "closed";
    const CopyCost closed = CopyEngine(machine).cost(map, 0);
    EXPECT_NEAR(static_cast<double>(event.time_ps), static_cast<double>(closed.time_ps),
                static_cast<double>(closed.time_ps) * 0.03);
    EXPECT_NEAR(static_cast<double>(event.link_bytes), static_cast<double>(closed.link_bytes), 1);
  }
}

TEST(CdmaUvm, MigrationsGoAtTheRateOfTheEngine) {
  config::Machine machine = titan_x();
  machine.uvm.to_device = machine.uvm.to_host = 12'000'000'000;
  EXPECT_EQ(uvm_of(machine).to_device, 12'000'000'000U);  // off by default
  machine.cdma.uvm = true;
  EXPECT_EQ(uvm_of(machine).to_device, 31'200'000'000U);
  EXPECT_EQ(uvm_of(machine).to_host, 31'200'000'000U);
  machine.cdma.ratio = 32'000;
  EXPECT_EQ(uvm_of(machine).to_host, 200'000'000'000U);
  EXPECT_EQ(uvm_of(machine).copy_ns, machine.uvm.copy_ns);
  machine.cdma.codec = "none";
  EXPECT_EQ(uvm_of(machine).to_host, 12'000'000'000U);
}

}  // namespace
}  // namespace wg::host::cdma
