// The engine line by line: the reference rates, agreement with the closed form, what crosses what.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/rng.hpp"
#include "host/cdma/engine.hpp"

namespace wg::host::cdma {
namespace {

constexpr double kGiga = 1e9;
constexpr std::uint64_t kLines = 60'000;

Bytes of_lines(std::uint64_t lines) { return Bytes{lines * 128}; }

EngineConfig with_buffer(std::uint64_t bytes) {
  EngineConfig config;
  config.buffer = Bytes{bytes};
  return config;
}

Transfer at_density(const EngineConfig& config, double density, Direction direction = Direction::offload) {
  const auto lines = density_lines(config.line, 4, density, 1);
  return transfer(config, direction, of_lines(kLines), *lines);
}

/// Lines of sizes that repeat.
class Pattern final : public LineSource {
 public:
  explicit Pattern(std::vector<std::uint32_t> sizes) : sizes_(std::move(sizes)) {}
  Line next() override { return {sizes_[at_++ % sizes_.size()]}; }

 private:
  std::vector<std::uint32_t> sizes_;
  std::size_t at_ = 0;
};

/// `lines` all-zero lines, then as many dense ones, again and again.
Pattern bursts(std::size_t lines) {
  std::vector<std::uint32_t> sizes(lines, 4);
  sizes.resize(2 * lines, 132);
  return Pattern(std::move(sizes));
}

// 60,000 lines, six controllers, 16 GB/s: rates of an independent model of the same engine.
TEST(CdmaEngine, ReferenceRates) {
  struct Row {
    double density;
    double ratio;
    std::array<double, 3> rates;  // 70,000, 35,000 and 14,600 bytes of buffer
  };
  constexpr std::array kRows{
      Row{1.0, 0.97, {15.5, 15.5, 15.5}},     Row{0.5, 1.88, {30.1, 30.1, 30.1}},
      Row{0.25, 3.55, {56.7, 56.7, 40.9}},    Row{0.10, 7.61, {121.1, 98.3, 41.1}},
      Row{0.041, 13.83, {195.8, 98.5, 41.1}}, Row{0.0, 32.0, {195.8, 98.5, 41.2}},
  };
  constexpr std::array<std::uint64_t, 3> kBuffers{70'000, 35'000, 14'600};
  for (const Row& row : kRows) {
    for (std::size_t i = 0; i < kBuffers.size(); ++i) {
      const Transfer done = at_density(with_buffer(kBuffers[i]), row.density);
      EXPECT_NEAR(done.rate() / kGiga, row.rates[i], row.rates[i] * 0.02)
          << row.density << ' ' << kBuffers[i];
      EXPECT_NEAR(done.ratio(), row.ratio, row.ratio * 0.01);
    }
  }
}

TEST(CdmaEngine, TheLinkIsNearlyBusyAtTheHighestRatio) {
  const EngineConfig config;
  const auto lines = constant_lines(config.line, 13.8);
  const Transfer done = offload(config, of_lines(kLines), *lines);
  EXPECT_NEAR(done.rate() / kGiga, 195.8, 195.8 * 0.03);
  EXPECT_NEAR(done.link_share(), 0.88, 0.02);
}

TEST(CdmaEngine, HalfTheBufferHalvesThePeak) {
  const double whole = at_density(with_buffer(70'000), 0).rate();
  EXPECT_NEAR(at_density(with_buffer(35'000), 0).rate(), whole / 2, whole / 2 * 0.02);
  EXPECT_NEAR(at_density(with_buffer(17'500), 0).rate(), whole / 4, whole / 4 * 0.02);
}

TEST(CdmaEngine, BurstsWithinTheBufferCostNothing) {
  const EngineConfig config;
  const double ideal = 16.0 * 256 / 136;
  Pattern pages = bursts(4096 / 128);
  EXPECT_NEAR(offload(config, of_lines(kLines), pages).rate() / kGiga, ideal, ideal * 0.01);
  // A burst of zeros longer than the buffer leaves the link idle: three percent of the time of both bursts.
  Pattern large = bursts((2 << 20) / 128);
  const Transfer slow = offload(config, of_lines(32 * 16'384), large);
  EXPECT_GT(slow.rate() / kGiga, ideal * 0.95);
  EXPECT_LT(slow.rate() / kGiga, ideal * 0.98);
}

// Both models on the same engine; the densities are those of equally spaced ratios.
TEST(CdmaEngine, AgreesWithTheClosedForm) {
  std::size_t points = 0;
  for (const double ratio : {1.0, 1.5, 2.0, 2.6, 4.0, 6.0, 8.0, 10.0, 13.8, 20.0, 32.0}) {
    for (const std::uint64_t buffer : {70'000U, 35'000U}) {
      for (const Direction direction : {Direction::offload, Direction::prefetch}) {
        const EngineConfig config = with_buffer(buffer);
        const Transfer done = at_density(config, zvc_density(ratio, 4), direction);
        const double expected = sustained(config, done.ratio(), direction).rate;
        EXPECT_NEAR(done.rate(), expected, expected * 0.03)
            << ratio << ' ' << buffer << ' ' << name_of(direction);
        ++points;
      }
    }
  }
  EXPECT_GE(points, 20U);
}

TEST(CdmaEngine, AgreesWithTheClosedFormOfRandomEngines) {
  Rng rng(7);
  for (int round = 0; round < 30; ++round) {
    EngineConfig config;
    config.buffer = Bytes{20'000 + rng.below(100'000)};
    config.latency = Picoseconds{200'000 + rng.below(400'000)};
    config.link = BytesPerSecond{8'000'000'000 + rng.below(56'000'000'000)};
    config.provision = BytesPerSecond{50'000'000'000 + rng.below(300'000'000'000)};
    config.read_limit = BytesPerSecond{50'000'000'000 + rng.below(250'000'000'000)};
    config.units = 12;
    config.parse_lines = 1 + static_cast<std::uint32_t>(rng.below(4));
    config.placement = rng.below(2) == 0 ? Placement::mc : Placement::dma;
    const double density = static_cast<double>(rng.below(1000)) / 1000;
    for (const Direction direction : {Direction::offload, Direction::prefetch}) {
      const Transfer done = at_density(config, density, direction);
      const double expected = sustained(config, done.ratio(), direction).rate;
      EXPECT_LT(done.rate(), expected * 1.001) << round;
      EXPECT_GT(done.rate(), expected * 0.94) << round << ' ' << name_of(direction);
    }
  }
}

TEST(CdmaEngine, TheCrossbarCarriesWhatItsPlacementSays) {
  for (const Direction direction : {Direction::offload, Direction::prefetch}) {
    for (const double density : {0.0, 0.3, 1.0}) {
      EngineConfig config;
      std::uint64_t flits = 0;
      const auto lines = density_lines(config.line, 4, density, 1);
      for (std::uint64_t i = 0; i < kLines; ++i) {
        flits += (lines->next().bytes + 31) / 32;
      }
      EXPECT_EQ(at_density(config, density, direction).crossbar.count(), flits * 32);
      config.placement = Placement::dma;
      EXPECT_EQ(at_density(config, density, direction).crossbar.count(), kLines * 128);
    }
  }
}

TEST(CdmaEngine, ANarrowPortHoldsBackTheUnitInTheCopyEngine) {
  EngineConfig config;
  config.port = BytesPerSecond{32'000'000'000};
  EXPECT_GT(at_density(config, 0.2).rate() / kGiga, 60);
  config.placement = Placement::dma;
  EXPECT_NEAR(at_density(config, 0.2).rate() / kGiga, 32, 0.5);
  EXPECT_NEAR(at_density(config, 0.2, Direction::prefetch).rate() / kGiga, 32, 0.5);
}

TEST(CdmaEngine, FewUnitsLimitTheRate) {
  EngineConfig config;
  config.units = 3;
  for (const Placement placement : {Placement::mc, Placement::dma}) {
    config.placement = placement;
    EXPECT_NEAR(at_density(config, 0).rate() / kGiga, 100.8, 2);
    EXPECT_NEAR(at_density(config, 0, Direction::prefetch).rate() / kGiga, 100.8, 2);
  }
}

TEST(CdmaEngine, ADeeperUnitAddsItsCycles) {
  EngineConfig config;
  const auto one_line = [&] {
    const auto lines = density_lines(config.line, 4, 0, 1);
    return offload(config, of_lines(1), *lines).time.count();
  };
  // 350 ns, then the mask over the link: 4 B at 16 GB/s.
  EXPECT_EQ(one_line(), 350'000U + 250U);
  config.compress_stages += 21;  // 20 ns at 1.05 GHz
  EXPECT_EQ(one_line(), 370'000U + 250U);
}

TEST(CdmaEngine, OnePrefetchedLineInFull) {
  EngineConfig config;
  const auto lines = density_lines(config.line, 4, 0.5, 1);
  const Transfer done = prefetch(config, of_lines(1), *lines);
  // Request, a packet over the link, half a cycle to find the line's end, 2 + 4 cycles to expand it, four
  // cycles of the unit (one of 1/6 of all) to write it.
  const double expected = 350 + 16 + 0.476 + 5.714 + 3.81;
  EXPECT_NEAR(static_cast<double>(done.time.count()) / 1000, expected, 0.01);
}

TEST(CdmaEngine, AnyBufferOfALineMovesEverything) {
  for (const std::uint64_t buffer : {128U, 129U, 255U, 400U, 1000U}) {
    for (const double density : {0.0, 0.5, 1.0}) {
      for (const Direction direction : {Direction::offload, Direction::prefetch}) {
        const EngineConfig config = with_buffer(buffer);
        const auto lines = density_lines(config.line, 4, density, 3);
        const Transfer done = transfer(config, direction, of_lines(500), *lines);
        EXPECT_EQ(done.lines, 500U);
        EXPECT_GE(done.compressed.count(), 500U * 4);
        EXPECT_GT(done.time.count(), 0U);
      }
    }
  }
}

TEST(CdmaEngine, HoldsNoMoreThanTheBufferAndAMaskALine) {
  for (const double density : {0.0, 0.3, 1.0}) {
    const Transfer done = at_density({}, density);
    EXPECT_LE(done.peak_buffer.count(), 70'000U + 4 * (70'000 / 128));
    EXPECT_GE(done.peak_buffer.count(), 60'000U);
  }
}

TEST(CdmaEngine, EmptyAndShortCopies) {
  for (const Direction direction : {Direction::offload, Direction::prefetch}) {
    const auto none = constant_lines(Bytes{128}, 2);
    const Transfer empty = transfer({}, direction, Bytes{0}, *none);
    EXPECT_EQ(empty.time.count(), 0U);
    EXPECT_EQ(empty.rate(), 0);
    EXPECT_EQ(empty.ratio(), 1);
    const Transfer few = transfer({}, direction, Bytes{130}, *none);
    EXPECT_EQ(few.lines, 2U);
    EXPECT_EQ(few.raw.count(), 130U);
    EXPECT_EQ(few.compressed.count(), 128U);
  }
}

TEST(CdmaEngine, ExtremeRatiosMoveEverything) {
  for (const Direction direction : {Direction::offload, Direction::prefetch}) {
    for (const double ratio : {kLeastRatio, kMostRatio}) {
      const auto lines = constant_lines(Bytes{128}, ratio);
      const Transfer done = transfer({}, direction, of_lines(2000), *lines);
      EXPECT_NEAR(static_cast<double>(done.compressed.count()), 2000 * 128 / ratio, 1);
      const double expected = sustained({}, ratio, direction).rate;
      EXPECT_NEAR(done.rate(), expected, expected * 0.3);  // the first latency counts at 2,000 lines
    }
    const auto tiny = constant_lines(Bytes{128}, kMostRatio);
    EXPECT_EQ(transfer({}, direction, of_lines(1), *tiny).ratio(), 128);
  }
}

TEST(CdmaEngine, PeakOfTheReadsIsBetweenMeanAndProvision) {
  for (const double density : {0.0, 0.1, 0.38}) {
    const Transfer done = at_density({}, density);
    EXPECT_GE(done.peak_rate(), done.rate());
    EXPECT_LE(done.peak_rate() / kGiga, 201);
  }
}

TEST(CdmaEngine, SameArgumentsSameResult) {
  const auto run = [] {
    const auto lines = density_lines(Bytes{128}, 4, 0.3, 5);
    return offload({}, of_lines(5000), *lines, {.jitter = Picoseconds{100'000}, .seed = 9});
  };
  const Transfer a = run(), b = run();
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.reordered, b.reordered);
  EXPECT_EQ(a.peak_buffer, b.peak_buffer);
  EXPECT_GT(a.reordered, 0U);
}

}  // namespace
}  // namespace wg::host::cdma
