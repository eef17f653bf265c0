#include "report/engine.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/format.hpp"
#include "report/table.hpp"

namespace wg::report {
namespace {

namespace cdma = host::cdma;
using Json = nlohmann::ordered_json;

/// The closed form's answers for the copy that the events moved.
struct Closed {
  cdma::Sustained sustained;
  Picoseconds time;
  double link_share = 0;
  double crossbar_rate = 0;

  explicit Closed(const EngineFigures& f)
      : sustained(cdma::sustained(f.config, f.event.ratio(), f.direction)),
        time(cdma::transfer_time(f.config, f.event.raw, f.event.ratio(), f.direction)),
        link_share(sustained.rate / cdma::requested_rate(f.config, f.event.ratio())),
        crossbar_rate(sustained.rate * per_raw_byte(f.event)) {}

 private:
  // How many flits lines take depends on how their sizes spread, which the closed form does not know.
  static double per_raw_byte(const cdma::Transfer& t) {
    return t.raw.count() == 0 ? 0
                              : static_cast<double>(t.crossbar.count()) / static_cast<double>(t.raw.count());
  }
};

std::string rate(double value) { return si(value, "B/s"); }
std::string time(Picoseconds value) { return duration(static_cast<double>(value.count()) * 1e-12); }

std::string limit_text(cdma::Limit limit) {
  switch (limit) {
    case cdma::Limit::link:
      return "link: ratio x link";
    case cdma::Limit::provision:
      return "provision: what the engine asks for at most";
    case cdma::Limit::read:
      return "read limit: DRAM bandwidth left over";
    case cdma::Limit::units:
      return "units: what they take together";
    case cdma::Limit::buffer:
      return "buffer: bytes in flight over the latency";
    case cdma::Limit::port:
      return "port: of the crossbar to the copy engine";
    case cdma::Limit::parse:
      return "parse: finding where lines end";
  }
  return "";
}

Json config_json(const cdma::EngineConfig& c) {
  return {{"units", c.units},
          {"bytes_per_cycle", c.bytes_per_cycle.count()},
          {"clock_hz", c.clock.count()},
          {"compress_latency_cycles", c.compress_latency()},
          {"decompress_latency_cycles", c.decompress_latency()},
          {"parse_lines", c.parse_lines},
          {"line_bytes", c.line.count()},
          {"buffer_bytes", c.buffer.count()},
          {"latency_ps", c.latency.count()},
          {"read_limit", c.read_limit.count()},
          {"provision", c.provision.count()},
          {"link", c.link.count()},
          {"link_efficiency", c.link_efficiency},
          {"controllers", c.controllers},
          {"controller_rate", c.controller_rate.count()},
          {"flit_bytes", c.flit.count()},
          {"port", c.port.count()},
          {"packet_bytes", c.packet.count()},
          {"packet_header_bytes", c.packet_header.count()}};
}

}  // namespace

std::string engine_text(const EngineFigures& f) {
  const cdma::Transfer& e = f.event;
  const Closed closed(f);
  std::string out = fmt::format(
      "{} of {} through the compressing engine, units {}\n{}: {} over the link, ratio {:.3f}\n\n",
      f.direction == cdma::Direction::offload ? "Offload" : "Prefetch", bytes(e.raw.count()),
      f.config.placement == cdma::Placement::mc ? "at the memory controllers" : "in the copy engine",
      f.source, bytes(e.compressed.count()), e.ratio());
  Table table({{"", Align::left}, {"line by line"}, {"closed form"}});
  table.row({"raw bandwidth", rate(e.rate()), rate(closed.sustained.rate)});
  table.row({"time", time(e.time), time(closed.time)});
  table.row({"link busy", percent(e.link_share()), percent(closed.link_share)});
  table.row({"crossbar to the copy engine", rate(e.crossbar_rate()), rate(closed.crossbar_rate)});
  const bool offload = f.direction == cdma::Direction::offload;
  table.row(
      {offload ? "DRAM reads, mean" : "DRAM writes, mean", rate(e.rate()), rate(closed.sustained.rate)});
  table.row({"  fullest microsecond", rate(e.peak_rate())});
  table.row({"buffer, most in use", fmt::format("{} B", grouped(e.peak_buffer.count())),
             fmt::format("{} B", grouped(f.config.buffer.count()))});
  return out + table.text() +
         fmt::format("\n  limited by {}; the link alone would ask for {}\n",
                     limit_text(closed.sustained.limit), rate(cdma::requested_rate(f.config, e.ratio())));
}

std::string engine_json(const EngineFigures& f) {
  const cdma::Transfer& e = f.event;
  const Closed closed(f);
  const Json json{{"direction", cdma::name_of(f.direction)},
                  {"placement", cdma::name_of(f.config.placement)},
                  {"source", f.source},
                  {"raw_bytes", e.raw.count()},
                  {"compressed_bytes", e.compressed.count()},
                  {"ratio", e.ratio()},
                  {"config", config_json(f.config)},
                  {"closed",
                   {{"rate", closed.sustained.rate},
                    {"time_ps", closed.time.count()},
                    {"link_share", closed.link_share},
                    {"crossbar_rate", closed.crossbar_rate},
                    {"limit", cdma::name_of(closed.sustained.limit)},
                    {"requested_rate", cdma::requested_rate(f.config, e.ratio())}}},
                  {"event",
                   {{"rate", e.rate()},
                    {"time_ps", e.time.count()},
                    {"link_share", e.link_share()},
                    {"crossbar_rate", e.crossbar_rate()},
                    {"crossbar_bytes", e.crossbar.count()},
                    {"mean_read_rate", e.rate()},
                    {"peak_read_rate", e.peak_rate()},
                    {"peak_buffer_bytes", e.peak_buffer.count()},
                    {"packets", e.packets}}}};
  return json.dump(2) + "\n";
}

}  // namespace wg::report
