// What the training timeline needs to know of a GPU, taken from its machine file.
#pragma once

#include <cstdint>
#include <string>

#include "config/machine.hpp"

namespace wg::dnn {

struct Card {
  std::string name;
  double flops = 0;          ///< FP32 operations per second, a multiply-add being two
  double dram = 0;           ///< bytes per second
  std::uint64_t memory = 0;  ///< bytes
};

/// Peak FP32 rate is SMs x lanes x clock x 2, DRAM bandwidth channels x bus x clock.
Card card_of(const config::Machine& machine);

}  // namespace wg::dnn
