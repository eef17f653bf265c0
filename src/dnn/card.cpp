#include "dnn/card.hpp"

#include <cmath>

namespace wg::dnn {
namespace {

constexpr double kPaperDram = 336e9;  // GB/s of the paper's Titan X

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

}  // namespace

Card card_of(const config::Machine& m) {
  Card card;
  card.name = m.name;
  const double lanes = 32.0 / m.timing(isa::InstClass::fp32).interval;
  card.flops = 2.0 * m.sm.count * m.sm.subcores * lanes * static_cast<double>(m.clock.sm.count());
  card.dram =
      static_cast<double>(m.dram.channels * m.dram.bus.count()) * static_cast<double>(m.clock.dram.count());
  card.memory = m.memory.count();
  card.link = static_cast<double>(m.link.to_host);
  return card;
}

host::cdma::EngineConfig engine_for(const Card& card, double link) {
  host::cdma::EngineConfig engine;
  const double scale = card.dram / kPaperDram;
  engine.link = BytesPerSecond{whole(link)};
  engine.read_limit = BytesPerSecond{whole(static_cast<double>(engine.read_limit.count()) * scale)};
  engine.provision = BytesPerSecond{whole(static_cast<double>(engine.provision.count()) * scale)};
  engine.buffer = Bytes{whole(static_cast<double>(engine.buffer.count()) * scale)};
  engine.controller_rate = BytesPerSecond{whole(card.dram / engine.controllers)};
  // More units rather than faster ones, so that they never hold back what the engine is provided for.
  engine.units = static_cast<std::uint32_t>(std::ceil(engine.units * scale - 0.01));
  engine.parse_lines = static_cast<std::uint32_t>(std::ceil(engine.parse_lines * scale - 0.01));
  return engine;
}

}  // namespace wg::dnn
