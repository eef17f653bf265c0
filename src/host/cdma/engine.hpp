// The engine line by line: requests, memory controllers, compression, crossbar, reordering, link.
//
// Offload. A line is requested when the buffer has room for it uncompressed and the request clock, the lesser
// of provision and read limit, allows. Its controller (lines spread by a hash that rotates each group) reads
// and compresses it; after `latency` and the latency of compression it is in the buffer, gives back what it
// saved, and waits for the lines before it. The stream leaves in packets, whose bytes free the buffer when
// they are gone. A last packet, or one without which nothing could go on, may be short. An incompressible
// line may take a mask more than was reserved for it.
//
// Prefetch is the mirror. Packets are asked for when the buffer has room and arrive after `latency` at the
// link's rate; the copy engine finds where lines end, `parse_lines` per cycle, and sends them over the
// crossbar; controllers expand and write them. A controller takes as many lines ahead as kAhead.
//
// Memory is bounded by the buffer, whatever the size of the copy. Results depend on the arguments only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/units.hpp"
#include "host/cdma/lines.hpp"
#include "host/cdma/model.hpp"

namespace wg::host::cdma {

/// Lines that may wait at a controller during a prefetch. Assumed.
inline constexpr std::uint64_t kAhead = 16;
/// Length of the windows in which the peak of DRAM bandwidth is looked for.
inline constexpr Picoseconds kPeakWindow{1'000'000};

struct TransferOptions {
  Picoseconds jitter{0};   ///< offload: each line is late by a random time below it
  std::uint64_t seed = 1;  ///< of the jitter
  /// Offload: told the stream piece by piece, in order, when payloads are known. May be empty.
  std::function<void(std::span<const std::byte>)> sink{};
};

struct Transfer {
  Bytes raw{0};
  Bytes compressed{0};
  Bytes crossbar{0};     ///< whole flits between memory controllers and copy engine
  Bytes peak_buffer{0};  ///< most that was reserved or held
  Bytes peak_window{0};  ///< most DRAM bytes in one kPeakWindow
  Picoseconds time{0};   ///< from the first request until the last byte has left or is written
  Picoseconds link_busy{0};
  std::uint64_t lines = 0;
  std::uint64_t packets = 0;
  std::uint64_t reordered = 0;  ///< lines that arrived before one that was requested earlier

  /// Raw bytes per second; 0 for an empty copy. That is also the mean DRAM bandwidth.
  [[nodiscard]] double rate() const;
  [[nodiscard]] double ratio() const;          ///< raw over compressed; 1 for an empty copy
  [[nodiscard]] double link_share() const;     ///< of the time that the link was busy
  [[nodiscard]] double crossbar_rate() const;  ///< bytes per second
  [[nodiscard]] double peak_rate() const;      ///< DRAM bytes per second in the fullest window
};

/// Moves `raw` bytes; `lines` gives ceil(raw / line) lines. Asserts what check() checks.
Transfer offload(const EngineConfig& config, Bytes raw, LineSource& lines,
                 const TransferOptions& options = {});
Transfer prefetch(const EngineConfig& config, Bytes raw, LineSource& lines);
Transfer transfer(const EngineConfig& config, Direction direction, Bytes raw, LineSource& lines);

}  // namespace wg::host::cdma
