// Shapes, work and maps of the six networks against tables made independently.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support.hpp"

namespace wg::dnn {
namespace {

using test::kRoot;
using test::kSix;
using test::shipped;

class SixNetworks : public testing::TestWithParam<std::string> {};

TEST_P(SixNetworks, EveryLayerIsThatOfTheTable) {
  const Network net = shipped(GetParam());
  const CsvTable table = read_table(kRoot + "/tests/dnn/data/table_" + GetParam() + ".csv", {"layer"});
  ASSERT_EQ(net.layers.size(), table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const CsvRow& row = table.rows[i];
    const Layer& layer = net.layers[i];
    const auto cell = [&](const char* name) {
      return static_cast<std::uint64_t>(table.number(row, table.column(name), 0, 1e15));
    };
    EXPECT_EQ(layer.name, row.cells[0]);
    EXPECT_EQ(layer.in_place, cell("inplace") == 1) << layer.name;
    EXPECT_EQ(layer.in, (Shape{cell("in_c"), cell("in_h"), cell("in_w")})) << layer.name;
    EXPECT_EQ(layer.out, (Shape{cell("out_c"), cell("out_h"), cell("out_w")})) << layer.name;
    EXPECT_EQ(layer.macs, cell("macs")) << layer.name;
    EXPECT_EQ(layer.params, cell("params")) << layer.name;
    EXPECT_EQ(layer.out.bytes(), cell("out_bytes")) << layer.name;
  }
}

TEST_P(SixNetworks, TheSameMapsMoveAsInTheTable) {
  const Network net = shipped(GetParam());
  const CsvTable table = read_table(kRoot + "/tests/dnn/data/offload_sets.csv", {"net", "layer"});
  std::map<std::string, std::uint64_t> wanted;
  for (const CsvRow& row : table.rows) {
    if (row.cells[0] == GetParam()) {
      wanted[row.cells[1]] = static_cast<std::uint64_t>(table.number(row, 3, 0, 1e15));
    }
  }
  std::map<std::string, std::uint64_t> found;
  for (const Buffer& buffer : net.buffers) {
    if (buffer.last_reader != kNone && buffer.first_need != kNone) {
      EXPECT_EQ(buffer.first_need, buffer.last_reader) << buffer.name;
      found[net.layers[buffer.last_reader].name] += buffer.bytes;
    }
  }
  EXPECT_EQ(found, wanted);
}

INSTANTIATE_TEST_SUITE_P(All, SixNetworks, testing::ValuesIn(kSix),
                         [](const auto& each) { return each.param; });

TEST(Networks, SummaryIsThatOfTheTable) {
  struct Want {
    const char* name;
    std::uint64_t conv, fc;
    double params, gflop;
    std::size_t maps;
    double megabytes;
    std::uint64_t batch;
  };
  for (const Want& w :
       {Want{"alexnet", 5, 3, 60.97, 1.45, 13, 5.65, 256},
        Want{"overfeat", 5, 3, 145.92, 5.60, 11, 4.53, 256}, Want{"nin", 12, 0, 7.60, 2.20, 16, 7.93, 128},
        Want{"vgg16", 13, 3, 138.36, 30.94, 21, 60.95, 128},
        Want{"squeezenet", 26, 0, 1.25, 1.72, 22, 20.90, 512},
        Want{"googlenet", 57, 1, 7.00, 3.17, 47, 22.39, 256}}) {
    const Network net = shipped(w.name);
    EXPECT_EQ(net.count(LayerKind::convolution), w.conv) << w.name;
    EXPECT_EQ(net.count(LayerKind::fully_connected), w.fc) << w.name;
    EXPECT_NEAR(1e-6 * static_cast<double>(net.params()), w.params, 0.005) << w.name;
    EXPECT_NEAR(2e-9 * static_cast<double>(net.macs()), w.gflop, 0.005) << w.name;
    EXPECT_EQ(tensors(net).count, w.maps) << w.name;
    EXPECT_NEAR(1e-6 * static_cast<double>(tensors(net).bytes), w.megabytes, 0.005) << w.name;
    EXPECT_EQ(net.batch, w.batch) << w.name;
  }
}

TEST(Networks, PoolingRoundsAsAsked) {
  NetworkSpec spec{.name = "p", .title = "", .source = "", .input = {1, 6, 6}, .layers = {}};
  spec.layers.push_back(
      {.name = "up", .kind = LayerKind::pooling, .from = {"data"}, .kernel = 3, .stride = 2, .where = ""});
  spec.layers.push_back({.name = "down",
                         .kind = LayerKind::pooling,
                         .from = {"data"},
                         .kernel = 3,
                         .stride = 2,
                         .round_down = true,
                         .where = ""});
  spec.layers.push_back({.name = "pad",
                         .kind = LayerKind::pooling,
                         .from = {"data"},
                         .kernel = 2,
                         .stride = 2,
                         .pad = 1,
                         .where = ""});
  const Network net = build(spec);
  EXPECT_EQ(net.layers[0].out, (Shape{1, 3, 3}));
  EXPECT_EQ(net.layers[1].out, (Shape{1, 2, 2}));
  // Five windows would fit into 8 with the last one beginning in the padding: Caffe drops it.
  EXPECT_EQ(net.layers[2].out, (Shape{1, 4, 4}));
}

TEST(Networks, ConcatenationOwnsItsParts) {
  NetworkSpec spec{.name = "c", .title = "", .source = "", .input = {4, 8, 8}, .layers = {}};
  const auto conv = [](const char* name, const char* from) {
    return LayerSpec{
        .name = name, .kind = LayerKind::convolution, .from = {from}, .out = 4, .kernel = 1, .where = ""};
  };
  spec.layers = {conv("a", "data"),
                 conv("b", "data"),
                 {.name = "ab", .kind = LayerKind::concat, .from = {"a", "b"}, .where = ""},
                 {.name = "again", .kind = LayerKind::concat, .from = {"a", "ab"}, .where = ""},
                 conv("end", "again")};
  const Network net = build(spec);
  EXPECT_TRUE(net.layers[2].zero_copy);
  EXPECT_EQ(net.layers[0].output, net.layers[2].output);
  EXPECT_EQ(net.buffers[net.layers[2].output].bytes, 8U * 64 * 4);
  // "a" is a part already, so the second concatenation copies.
  EXPECT_FALSE(net.layers[3].zero_copy);
  EXPECT_EQ(net.buffers[net.layers[3].output].bytes, 12U * 64 * 4);
  EXPECT_EQ(net.buffers[net.layers[2].output].last_reader, 3U);
  // No backward pass reads what is only copied.
  EXPECT_EQ(net.buffers[net.layers[2].output].first_need, kNone);
}

}  // namespace
}  // namespace wg::dnn
