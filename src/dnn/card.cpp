#include "dnn/card.hpp"

namespace wg::dnn {

Card card_of(const config::Machine& m) {
  Card card;
  card.name = m.name;
  const double lanes = 32.0 / m.timing(isa::InstClass::fp32).interval;
  card.flops = 2.0 * m.sm.count * m.sm.subcores * lanes * static_cast<double>(m.clock.sm.count());
  card.dram =
      static_cast<double>(m.dram.channels * m.dram.bus.count()) * static_cast<double>(m.clock.dram.count());
  card.memory = m.memory.count();
  return card;
}

}  // namespace wg::dnn
