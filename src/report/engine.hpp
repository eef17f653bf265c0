// What the compressing DMA engine does with one copy: both models beside each other, for people and scripts.
#pragma once

#include <string>

#include "host/cdma/engine.hpp"
#include "host/cdma/model.hpp"

namespace wg::report {

struct EngineFigures {
  host::cdma::EngineConfig config;
  host::cdma::Direction direction = host::cdma::Direction::offload;
  std::string source;  ///< of the line sizes: "ratio 2.6", "density 0.38", a file
  host::cdma::Transfer event;
};

/// Rate, limit, load of link and crossbar, DRAM bandwidth, buffer.
std::string engine_text(const EngineFigures& figures);

/// One object: `direction`, `placement`, `source`, `raw_bytes`, `compressed_bytes`, `ratio`, `config`, then
/// `closed` and `event` with `rate` (raw bytes per second), `time_ps`, `link_share`, `crossbar_rate` and,
/// `closed` alone, `limit` and `requested_rate`, `event` alone, `crossbar_bytes`, `mean_read_rate`,
/// `peak_read_rate`, `peak_buffer_bytes`, `packets`.
std::string engine_json(const EngineFigures& figures);

}  // namespace wg::report
