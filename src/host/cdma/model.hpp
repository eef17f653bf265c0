// The compressing DMA engine (cDMA) as figures, and how fast it goes in closed form.
//
// Source: Rhu et al., "Compressing DMA Engine: Leveraging Activation Sparsity for Training Deep Neural
// Networks", HPCA 2018, arXiv 1705.01626, called "the paper" in this folder. Defaults are its Titan X.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.hpp"

namespace wg::host::cdma {

/// Where lines are compressed and expanded.
enum class Placement : std::uint8_t {
  mc,   ///< beside the memory controllers, the paper's choice: the crossbar carries compressed lines
  dma,  ///< in the copy engine: the crossbar carries whole lines
};

enum class Direction : std::uint8_t {
  offload,   ///< device to host, compresses
  prefetch,  ///< host to device, expands
};

std::string_view name_of(Placement placement);
std::string_view name_of(Direction direction);
/// Throws wg::Error (usage) that lists the names when there is no such placement.
Placement placement_named(std::string_view name);

/// Cycles of compression that EngineConfig::latency includes, those of the default unit: the paper's 350 ns
/// are all of a request's time. A deeper unit adds its further cycles.
inline constexpr std::uint64_t kIncluded = 6;

struct EngineConfig {
  Placement placement = Placement::mc;
  std::uint32_t units = 6;              ///< in all; one beside each of six memory controllers
  Bytes bytes_per_cycle{32};            ///< raw bytes a unit takes or gives per cycle of `clock`
  Hertz clock{1'050'000'000};           ///< of the units; assumed: 6 x 32 B at it are the 200 GB/s provided
  std::uint32_t compress_stages = 3;    ///< compare, prefix sum, shift; assumed
  std::uint32_t decompress_cycles = 2;  ///< until the first bytes of a line come out
  std::uint32_t parse_lines = 2;        ///< masks that the copy engine reads per cycle to find line ends
  Bytes line{128};                      ///< what one request reads
  Bytes buffer{70'000};                 ///< of the copy engine: 200 GB/s x 350 ns
  Picoseconds latency{350'000};         ///< from a request to its line, unloaded, without compression
  BytesPerSecond read_limit{236'000'000'000};  ///< DRAM bandwidth left over: 336 less 100 GB/s of the kernels
  BytesPerSecond provision{200'000'000'000};   ///< most raw bandwidth the engine asks for
  BytesPerSecond link{16'000'000'000};         ///< PCIe 3.0 x16
  double link_efficiency = 1;     ///< share of `link` that carries data, in (0, 1]; vDNN measured 0.8
  std::uint32_t controllers = 6;  ///< memory controllers that lines spread over
  BytesPerSecond controller_rate{56'000'000'000};  ///< of one: 336 GB/s by 6
  Bytes flit{32};                                  ///< the crossbar moves whole flits
  BytesPerSecond port{0};  ///< of the crossbar to the copy engine; 0 = no limit, counted only
  Bytes packet{256};       ///< payload of a link packet (TLP)
  Bytes packet_header{0};  ///< of a link packet; 0 where `link_efficiency` covers it

  /// Bytes per second of data over the link.
  [[nodiscard]] double link_rate() const { return static_cast<double>(link.count()) * link_efficiency; }
  /// Raw bytes per second that all units take together.
  [[nodiscard]] double unit_rate() const {
    return static_cast<double>(units * bytes_per_cycle.count()) * static_cast<double>(clock.count());
  }
  /// Cycles from a line's first sector until its last one is compressed: stages + sectors - 1.
  [[nodiscard]] std::uint64_t compress_latency() const { return compress_stages + sectors() - 1; }
  /// Cycles from a compressed line's arrival until its last sector is out: decompress_cycles + sectors.
  [[nodiscard]] std::uint64_t decompress_latency() const { return decompress_cycles + sectors(); }
  /// Pieces of `bytes_per_cycle` in a line.
  [[nodiscard]] std::uint64_t sectors() const {
    return (line.count() + bytes_per_cycle.count() - 1) / bytes_per_cycle.count();
  }
};

/// Throws wg::Error that lists everything out of range; `where` names the source of the figures.
void check(const EngineConfig& config, std::string_view where);
/// Beyond these a ratio is taken for a mistake.
inline constexpr double kLeastRatio = 0.01;
inline constexpr double kMostRatio = 10'000;
/// Throws wg::Error unless `ratio` is between them.
void check_ratio(double ratio, std::string_view where);

/// What holds the engine back.
enum class Limit : std::uint8_t {
  link,       ///< ratio x link
  provision,  ///< what the engine asks for at most
  read,       ///< DRAM bandwidth left over
  units,      ///< what the units compress or expand
  buffer,     ///< bytes in flight over the latency
  parse,      ///< prefetch only: finding where lines end
  port,       ///< the crossbar to the copy engine, where it has a limit
};

std::string_view name_of(Limit limit);

struct Sustained {
  double rate = 0;  ///< raw bytes per second
  Limit limit = Limit::link;
};

/// Offload: min(ratio x link, provision, read_limit, units, buffer / latency), where the read limit is at
/// most what the controllers give. Prefetch, where compressed bytes wait in the buffer: the same but for
/// ratio x buffer / latency, and clock x parse_lines x line. Both: port x line / flits of a line of the mean
/// size, where there is a port. `ratio` is raw over compressed bytes, above 0;
/// ties go to the first in the order of Limit.
Sustained sustained(const EngineConfig& config, double ratio, Direction direction = Direction::offload);

/// Time to move `raw` bytes at the sustained rate. With the paper's figures that is the largest of raw /
/// (ratio x link), raw / 200 GB/s and raw / 236 GB/s. No fixed cost of a copy is in it.
Picoseconds transfer_time(const EngineConfig& config, Bytes raw, double ratio,
                          Direction direction = Direction::offload);

/// Bytes per second of DRAM that the link alone would ask for: ratio x link.
double requested_rate(const EngineConfig& config, double ratio);

/// Crossbar bytes of one line that compresses to `compressed` bytes: whole flits of what crosses it.
std::uint64_t crossbar_bytes(const EngineConfig& config, std::uint64_t compressed);

}  // namespace wg::host::cdma
