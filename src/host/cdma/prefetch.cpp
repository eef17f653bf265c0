#include <algorithm>
#include <cassert>
#include <deque>
#include <vector>

#include "host/cdma/timing.hpp"

namespace wg::host::cdma {
namespace {

using detail::duration;

/// The packets of a stream as they come over the link. Their total size is not known in advance, so a packet
/// is taken to be full; bytes beyond the stream's end cost nothing when it is short.
class Packets {
 public:
  explicit Packets(const EngineConfig& c) : c_(c), latency_(duration(c.latency)) {}

  /// When the `bytes` bytes of a line that ends at `end` are in the buffer, which holds at least a packet and
  /// a line, or nothing would move.
  std::uint64_t arrived(std::uint64_t end, std::uint64_t bytes) {
    while (received_ < end) {
      request(std::max(c_.buffer.count(), c_.packet.count() + bytes));
    }
    return last_arrival_;
  }
  /// The bytes up to `end` have left the buffer at `at`. Times and ends do not decrease.
  void forwarded(std::uint64_t end, std::uint64_t at) {
    if (!freed_.empty() && freed_.back().end == end) {
      return;
    }
    freed_.push_back({end, at});
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Time of the link for a stream of `bytes`, whose last packet is short.
  [[nodiscard]] std::uint64_t busy(std::uint64_t bytes) const {
    return time_of(bytes + count_ * c_.packet_header.count());
  }

 private:
  struct Freed {
    std::uint64_t end = 0;
    std::uint64_t at = 0;
  };
  [[nodiscard]] std::uint64_t time_of(std::uint64_t bytes) const {
    return duration(static_cast<double>(bytes), c_.link_rate());
  }
  void request(std::uint64_t buffer) {
    const std::uint64_t end = received_ + c_.packet.count();
    // The packet may be asked for when all but a buffer's worth before its end has left.
    while (end > buffer + freed_end_) {
      assert(!freed_.empty());
      freed_end_ = freed_.front().end;
      freed_at_ = freed_.front().at;
      freed_.pop_front();
    }
    const std::uint64_t time = time_of(c_.packet.count() + c_.packet_header.count());
    last_arrival_ = link_.take(freed_at_ + latency_, time) + time;
    received_ = end;
    ++count_;
  }

  const EngineConfig& c_;
  std::uint64_t latency_;
  detail::Server link_;
  std::deque<Freed> freed_;  ///< lines that left and do not yet matter
  std::uint64_t freed_end_ = 0;
  std::uint64_t freed_at_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t last_arrival_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace

Transfer prefetch(const EngineConfig& c, Bytes raw, LineSource& source) {
  Transfer out;
  out.raw = raw;
  out.lines = (raw.count() + c.line.count() - 1) / c.line.count();
  const bool at_controllers = c.placement == Placement::mc;
  const double line_bytes = static_cast<double>(c.line.count());
  const std::uint64_t unit_time = duration(line_bytes, c.unit_rate());
  std::uint64_t write_time = duration(line_bytes, static_cast<double>(c.controller_rate.count()));
  if (at_controllers) {
    write_time = std::max(write_time, unit_time * c.controllers);
  }
  const std::uint64_t expansion = detail::cycles(c, static_cast<double>(c.decompress_latency()));
  const std::uint64_t parse_time = detail::cycles(c, 1.0 / c.parse_lines);
  const std::uint64_t interval = detail::line_interval(c);

  Packets packets(c);
  const detail::Controllers map(c.controllers);
  std::vector<detail::Server> controllers(c.controllers);
  detail::Server parser, pace, port, unit;
  detail::PeakMeter peak;
  std::uint64_t end = 0;   // of the stream so far
  std::uint64_t sent = 0;  // when the line before left; lines leave in order
  std::uint64_t last = 0;  // when the last line is written
  for (std::uint64_t line = 0; line < out.lines; ++line) {
    const std::uint64_t bytes = source.next().bytes;
    end += bytes;
    std::uint64_t at = parser.take(packets.arrived(end, bytes), parse_time) + parse_time;
    at = pace.take(at, interval);
    if (!at_controllers) {
      at = unit.take(at, unit_time) + expansion;
    }
    const std::uint64_t crossing = crossbar_bytes(c, bytes);
    out.crossbar += Bytes{crossing};
    if (c.port.count() != 0) {
      const std::uint64_t time = duration(static_cast<double>(crossing), static_cast<double>(c.port.count()));
      at = port.take(at, time) + time;
    }
    detail::Server& controller = controllers[map.of(line)];
    const std::uint64_t queue = kAhead * write_time;
    at = std::max({at, sent, controller.free() > queue ? controller.free() - queue : 0});
    sent = at;
    packets.forwarded(end, at);
    const std::uint64_t begin = controller.take(at + (at_controllers ? expansion : 0), write_time);
    peak.add(begin, std::min(c.line.count(), raw.count() - line * c.line.count()));
    last = std::max(last, begin + write_time);
    out.peak_buffer = std::max(out.peak_buffer, Bytes{packets.count() * c.packet.count() - (end - bytes)});
  }
  out.compressed = Bytes{end};
  out.packets = packets.count();
  out.time = Picoseconds{(last + 500) / 1000};
  out.link_busy = Picoseconds{(packets.busy(end) + 500) / 1000};
  out.peak_window = Bytes{peak.peak()};
  return out;
}

}  // namespace wg::host::cdma
