#include "host/cdma/model.hpp"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace wg::host::cdma {
namespace {

constexpr std::array<std::string_view, 2> kPlacements{"mc", "dma"};
constexpr std::array<std::string_view, 2> kDirections{"offload", "prefetch"};
constexpr std::array<std::string_view, 7> kLimits{"link",   "provision", "read limit", "units",
                                                  "buffer", "parse",     "port"};

/// Collects what is out of range.
class Checker {
 public:
  explicit Checker(std::string_view where) : where_(where) {}
  void range(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most,
             const char* unit) {
    if (value < least || value > most) {
      problems_.push_back({.where = fmt::format("{}: {}", where_, name),
                           .expected = fmt::format("{} to {} {}", least, most, unit),
                           .found = fmt::format("{}", value)});
    }
  }
  void add(Problem problem) { problems_.push_back(std::move(problem)); }
  void finish() && {
    if (!problems_.empty()) {
      throw Error(std::move(problems_));
    }
  }

 private:
  std::string where_;
  std::vector<Problem> problems_;
};

constexpr std::uint64_t kMostRate = 100'000'000'000'000;  // bytes per second

}  // namespace

std::string_view name_of(Placement placement) { return kPlacements[static_cast<std::size_t>(placement)]; }
std::string_view name_of(Direction direction) { return kDirections[static_cast<std::size_t>(direction)]; }
std::string_view name_of(Limit limit) { return kLimits[static_cast<std::size_t>(limit)]; }

Placement placement_named(std::string_view name) {
  for (std::size_t i = 0; i < kPlacements.size(); ++i) {
    if (kPlacements[i] == name) {
      return static_cast<Placement>(i);
    }
  }
  throw Error({.where = "placement", .expected = "mc or dma", .found = std::string(name)}, ExitCode::usage);
}

void check(const EngineConfig& c, std::string_view where) {
  Checker checker(where);
  checker.range("units", c.units, 1, 4096, "units");
  checker.range("bytes per cycle", c.bytes_per_cycle.count(), 1, 4096, "bytes");
  checker.range("clock", c.clock.count(), 1'000'000, 100'000'000'000, "Hz");
  checker.range("compress stages", c.compress_stages, 1, 1000, "cycles");
  checker.range("decompress cycles", c.decompress_cycles, 0, 1000, "cycles");
  checker.range("parse width", c.parse_lines, 1, 1024, "lines per cycle");
  checker.range("line", c.line.count(), 32, 4096, "bytes");
  checker.range("latency", c.latency.count(), 1, 1'000'000'000, "ps");
  checker.range("read limit", c.read_limit.count(), 1'000'000, kMostRate, "bytes per second");
  checker.range("provision", c.provision.count(), 1'000'000, kMostRate, "bytes per second");
  checker.range("link", c.link.count(), 1'000'000, kMostRate, "bytes per second");
  checker.range("memory controllers", c.controllers, 1, 1024, "controllers");
  checker.range("rate of a memory controller", c.controller_rate.count(), 1'000'000, kMostRate,
                "bytes per second");
  checker.range("flit", c.flit.count(), 1, 4096, "bytes");
  checker.range("packet", c.packet.count(), 16, 4096, "bytes");
  checker.range("packet header", c.packet_header.count(), 0, 4096, "bytes");
  if (c.port.count() != 0) {
    checker.range("crossbar port", c.port.count(), 1'000'000, kMostRate, "bytes per second");
  }
  if (std::isnan(c.link_efficiency) || c.link_efficiency <= 0 || c.link_efficiency > 1) {
    checker.add({.where = fmt::format("{}: link efficiency", where),
                 .expected = "above 0, at most 1",
                 .found = fmt::format("{}", c.link_efficiency)});
  }
  if (c.buffer < c.line || c.buffer.count() > std::uint64_t{1} << 32) {
    checker.add({.where = fmt::format("{}: buffer", where),
                 .expected = fmt::format("room for one line of {} bytes, at most 4 GiB", c.line.count()),
                 .found = fmt::format("{} bytes", c.buffer.count())});
  }
  std::move(checker).finish();
}

void check_ratio(double ratio, std::string_view where) {
  if (std::isnan(ratio) || ratio < kLeastRatio || ratio > kMostRatio) {
    throw Error({.where = std::string(where),
                 .expected = fmt::format("a compression ratio from {} to {}", kLeastRatio, kMostRatio),
                 .found = fmt::format("{}", ratio)});
  }
}

Sustained sustained(const EngineConfig& c, double ratio, Direction direction) {
  assert(ratio > 0);
  Sustained best{.rate = requested_rate(c, ratio), .limit = Limit::link};
  const auto limit_by = [&best](double rate, Limit limit) {
    if (rate < best.rate) {
      best = {rate, limit};
    }
  };
  limit_by(static_cast<double>(c.provision.count()), Limit::provision);
  limit_by(static_cast<double>(c.read_limit.count()), Limit::read);
  limit_by(static_cast<double>(c.controllers * c.controller_rate.count()), Limit::read);
  limit_by(c.unit_rate(), Limit::units);
  const double in_flight =
      static_cast<double>(c.buffer.count()) * 1e12 / static_cast<double>(c.latency.count());
  if (direction == Direction::offload) {
    limit_by(in_flight, Limit::buffer);
  } else {
    limit_by(in_flight * ratio, Limit::buffer);
    limit_by(static_cast<double>(c.clock.count()) * static_cast<double>(c.parse_lines * c.line.count()),
             Limit::parse);
  }
  if (c.port.count() != 0) {
    const double line = static_cast<double>(c.line.count());
    const auto compressed = static_cast<std::uint64_t>(std::ceil(line / ratio));
    limit_by(static_cast<double>(c.port.count()) * line / static_cast<double>(crossbar_bytes(c, compressed)),
             Limit::port);
  }
  return best;
}

Picoseconds transfer_time(const EngineConfig& config, Bytes raw, double ratio, Direction direction) {
  const double seconds = static_cast<double>(raw.count()) / sustained(config, ratio, direction).rate;
  return Picoseconds{static_cast<std::uint64_t>(std::llround(seconds * 1e12))};
}

double requested_rate(const EngineConfig& config, double ratio) { return ratio * config.link_rate(); }

std::uint64_t crossbar_bytes(const EngineConfig& config, std::uint64_t compressed) {
  const std::uint64_t flit = config.flit.count();
  const std::uint64_t bytes = config.placement == Placement::mc ? compressed : config.line.count();
  return (bytes + flit - 1) / flit * flit;
}

}  // namespace wg::host::cdma
