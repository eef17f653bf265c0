#include "host/cdma/copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "host/cdma/engine.hpp"

namespace wg::host::cdma {
namespace {

double ratio_of(const config::CdmaConfig& config) { return static_cast<double>(config.ratio) / 1000; }

Densities read_densities(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || file.bad()) {
    throw Error({.where = path, .expected = "a file of densities that can be read", .found = "none"});
  }
  return {text, path};
}

class PieceLines final : public LineSource {
 public:
  PieceLines(Bytes line, std::size_t element, std::vector<Piece> pieces, std::uint64_t seed)
      : line_(line), element_(element), pieces_(std::move(pieces)), seed_(seed) {
    for (const Piece& piece : pieces_) {
      raw_ += piece.bytes.count();
    }
  }

  Line next() override {
    while (left_ == 0 && at_ < pieces_.size()) {
      // Bytes of this piece that the last line of the one before has taken.
      const std::uint64_t taken = std::min(over_, pieces_[at_].bytes.count());
      const std::uint64_t bytes = pieces_[at_].bytes.count() - taken;
      over_ -= taken;
      left_ = (bytes + line_.count() - 1) / line_.count();
      over_ += left_ * line_.count() - bytes;
      const Compressibility& how = pieces_[at_++].how;
      lines_ = how.kind == Compressibility::Kind::density
                   ? density_lines(line_, element_, how.value, seed_ + at_)
                   : constant_lines(line_, how.value);
    }
    --left_;
    const std::uint64_t raw = std::min(raw_, line_.count());
    raw_ -= raw;
    const std::uint64_t whole = lines_->next().bytes;
    // The last line of a copy can be short.
    return {static_cast<std::uint32_t>((whole * raw + line_.count() - 1) / line_.count())};
  }

 private:
  Bytes line_;
  std::size_t element_;
  std::vector<Piece> pieces_;
  std::uint64_t seed_;
  std::size_t at_ = 0;
  std::uint64_t raw_ = 0;   ///< bytes not yet given, of all pieces
  std::uint64_t left_ = 0;  ///< lines of this piece
  std::uint64_t over_ = 0;  ///< bytes of the next piece that a line has taken
  std::unique_ptr<LineSource> lines_;
};

CopyCost closed_cost(const EngineConfig& engine, Direction direction, const std::vector<Piece>& pieces,
                     std::size_t element) {
  double seconds = 0, link = 0, crossbar = 0;
  for (const Piece& piece : pieces) {
    const bool density = piece.how.kind == Compressibility::Kind::density;
    const double ratio = density ? zvc_ratio(piece.how.value, element) : piece.how.value;
    const double raw = static_cast<double>(piece.bytes.count());
    const double line = static_cast<double>(engine.line.count());
    seconds += raw / sustained(engine, ratio, direction).rate;
    link += raw / ratio;
    const auto bytes = static_cast<std::uint64_t>(std::llround(line / ratio));
    crossbar += raw / line * static_cast<double>(crossbar_bytes(engine, bytes));
  }
  return {.time_ps = static_cast<std::uint64_t>(std::llround(seconds * 1e12)),
          .link_bytes = static_cast<std::uint64_t>(std::llround(link)),
          .crossbar_bytes = static_cast<std::uint64_t>(std::llround(crossbar))};
}

}  // namespace

EngineConfig engine_of(const config::Machine& machine, Direction direction) {
  const config::CdmaConfig& c = machine.cdma;
  const std::uint64_t channel = machine.dram.bus.count() * machine.clock.dram.count();
  return {
      .placement = placement_named(c.placement),
      .units = c.units,
      .bytes_per_cycle = c.bytes_per_cycle,
      .clock = c.clock,
      .compress_stages = c.compress_stages,
      .decompress_cycles = c.decompress_cycles,
      .parse_lines = c.parse_lines,
      .line = c.line,
      .buffer = c.buffer,
      .latency = Picoseconds{c.latency_ns * 1000},
      .read_limit = BytesPerSecond{c.read_limit},
      .provision = BytesPerSecond{c.provision},
      .link = BytesPerSecond{direction == Direction::offload ? machine.link.to_host : machine.link.to_device},
      .link_efficiency = 1,
      .controllers = machine.dram.channels,
      .controller_rate = BytesPerSecond{channel},
      .flit = c.flit,
      .port = BytesPerSecond{c.port},
      .packet = c.packet,
      .packet_header = c.packet_header};
}

config::UvmConfig uvm_of(const config::Machine& machine) {
  config::UvmConfig uvm = machine.uvm;
  if (machine.cdma.codec == "none" || !machine.cdma.uvm) {
    return uvm;
  }
  const auto faster = [&machine](std::uint64_t link, Direction direction) {
    EngineConfig engine = engine_of(machine, direction);
    engine.link = BytesPerSecond{link};
    return static_cast<std::uint64_t>(
        std::llround(sustained(engine, ratio_of(machine.cdma), direction).rate));
  };
  uvm.to_device = faster(uvm.to_device, Direction::prefetch);
  uvm.to_host = faster(uvm.to_host, Direction::offload);
  uvm.curve_peak = faster(uvm.curve_peak, Direction::prefetch);
  return uvm;
}

std::unique_ptr<LineSource> piece_lines(Bytes line, std::size_t element, std::vector<Piece> pieces,
                                        std::uint64_t seed) {
  return std::make_unique<PieceLines>(line, element, std::move(pieces), seed);
}

CopyEngine::CopyEngine(const config::Machine& machine)
    : link_config_(machine.link),
      config_(machine.cdma),
      link_(machine.link),
      to_host_(engine_of(machine, Direction::offload)),
      to_device_(engine_of(machine, Direction::prefetch)) {
  if (config_.codec == "none") {
    return;
  }
  check(to_host_, "cdma");
  if (config_.densities != "none") {
    densities_ = read_densities(config_.densities);
    if (densities_.has_density() && config_.codec != "zvc") {
      throw Error({.where = config_.densities,
                   .expected = fmt::format("ratios, for codec {}", config_.codec),
                   .found = "densities, which say only what zvc makes of them"});
    }
  }
}

CopyCost CopyEngine::cost(const trace::Copy& copy, std::size_t index) const {
  const std::uint64_t flit = config_.flit.count();
  const std::uint64_t raw = copy.bytes.count();
  const std::uint64_t flits = (raw + flit - 1) / flit * flit;
  if (copy.kind == trace::CopyKind::device_to_device) {
    return {.crossbar_bytes = 2 * flits};
  }
  if (config_.codec != "none") {
    return compressed(copy, index);
  }
  return {.time_ps = link_.duration_ps(copy), .link_bytes = raw, .crossbar_bytes = flits};
}

CopyCost CopyEngine::compressed(const trace::Copy& copy, std::size_t index) const {
  const bool to_host = copy.kind == trace::CopyKind::device_to_host;
  const Direction direction = to_host ? Direction::offload : Direction::prefetch;
  const EngineConfig& engine = to_host ? to_host_ : to_device_;
  std::vector<Piece> pieces =
      densities_.pieces(index, copy.address, copy.bytes, {Compressibility::Kind::ratio, ratio_of(config_)});
  CopyCost cost;
  if (config_.model == "closed") {
    cost = closed_cost(engine, direction, pieces, config_.element);
  } else {
    const auto lines = piece_lines(engine.line, config_.element, std::move(pieces), index);
    const Transfer done = transfer(engine, direction, copy.bytes, *lines);
    cost = {.time_ps = done.time.count(),
            .link_bytes = done.compressed.count(),
            .crossbar_bytes = done.crossbar.count()};
  }
  cost.time_ps = link_config_.timed ? cost.time_ps + link_config_.latency_ns * 1000 : 0;
  return cost;
}

}  // namespace wg::host::cdma
