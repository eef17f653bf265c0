// What the training timeline needs to know of a GPU, taken from its machine file.
#pragma once

#include <cstdint>
#include <string>

#include "config/machine.hpp"
#include "host/cdma/model.hpp"

namespace wg::dnn {

struct Card {
  std::string name;
  double flops = 0;          ///< FP32 operations per second, a multiply-add being two
  double dram = 0;           ///< bytes per second
  std::uint64_t memory = 0;  ///< bytes
  double link = 0;           ///< data bytes per second from device to host
};

/// Peak FP32 rate is SMs x lanes x clock x 2, DRAM bandwidth channels x bus x clock.
Card card_of(const config::Machine& machine);

/// The compressing engine for a card. The paper's engine belongs to a DRAM of 336 GB/s; its provision
/// (200 GB/s), read limit (236 GB/s), units and buffer scale with the card's DRAM bandwidth (assumed).
host::cdma::EngineConfig engine_for(const Card& card, double link);

}  // namespace wg::dnn
