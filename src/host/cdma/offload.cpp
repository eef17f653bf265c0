#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "base/rng.hpp"
#include "host/cdma/reorder.hpp"
#include "host/cdma/timing.hpp"

namespace wg::host::cdma {
namespace {

using detail::duration;

enum class Step : std::uint8_t {
  crossed,  ///< a line has come over the crossbar; `value` is its number
  ready,    ///< a line is compressed and in the buffer; `value` is its number
  sent,     ///< `value` bytes have left over the link
};

struct Event {
  std::uint64_t at = 0;
  std::uint64_t order = 0;  ///< ties: first made, first served
  Step step = Step::crossed;
  std::uint64_t value = 0;
  friend bool operator>(const Event& a, const Event& b) {
    return std::tie(a.at, a.order) > std::tie(b.at, b.order);
  }
};

/// One copy from device to host.
class Offload {
 public:
  Offload(const EngineConfig& config, Bytes raw, LineSource& lines, const TransferOptions& options)
      : c_(config),
        source_(lines),
        options_(options),
        raw_(raw.count()),
        lines_((raw_ + c_.line.count() - 1) / c_.line.count()),
        interval_(detail::line_interval(c_)),
        flight_(flight(config)),
        map_(c_.controllers),
        controllers_(c_.controllers),
        credits_(static_cast<std::int64_t>(c_.buffer.count())),
        rng_(options.seed) {
    const double line = static_cast<double>(c_.line.count());
    read_time_ = duration(line, static_cast<double>(c_.controller_rate.count()));
    unit_time_ = duration(line, c_.unit_rate());
    if (at_controllers()) {
      // Reading and compressing follow each other without a gap: the slower one sets the pace.
      read_time_ = std::max(read_time_, unit_time_ * c_.controllers);
    }
  }

  Transfer go() {
    while (reorder_.taken() < lines_ || !events_.empty() || pending_ > 0) {
      const std::uint64_t issue = next_issue();
      if (!events_.empty() && events_.top().at < issue) {
        const Event event = events_.top();
        events_.pop();
        now_ = event.at;
        handle(event);
      } else if (issue != kNever) {
        now_ = issue;
        request();
      } else {
        send(pending_);  // nothing else can happen
      }
    }
    out_.raw = Bytes{raw_};
    out_.lines = lines_;
    out_.time = Picoseconds{(now_ + 500) / 1000};
    out_.link_busy = Picoseconds{(link_busy_ + 500) / 1000};
    out_.peak_window = Bytes{peak_.peak()};
    return out_;
  }

 private:
  [[nodiscard]] bool at_controllers() const { return c_.placement == Placement::mc; }
  /// From a controller's turn until its line is in the buffer, unloaded.
  static std::uint64_t flight(const EngineConfig& c) {
    const auto extra = static_cast<double>(c.compress_latency()) - static_cast<double>(kIncluded);
    const double seconds =
        static_cast<double>(c.latency.count()) * 1e-12 + extra / static_cast<double>(c.clock.count());
    return static_cast<std::uint64_t>(std::llround(std::max(seconds, 0.0) * detail::kFemto));
  }
  [[nodiscard]] std::uint64_t next_issue() const {
    const bool can = reorder_.requested() < lines_ && credits_ >= static_cast<std::int64_t>(c_.line.count());
    return can ? std::max(next_slot_, now_) : kNever;
  }

  void request() {
    const std::uint64_t line = reorder_.requested();
    reorder_.request(source_.next());
    take_credits(static_cast<std::int64_t>(c_.line.count()));
    next_slot_ = now_ + interval_;
    const std::uint64_t begin = controllers_[map_.of(line)].take(now_, read_time_);
    const std::uint64_t line_bytes = c_.line.count();
    peak_.add(begin, std::min(line_bytes, raw_ - line * line_bytes));
    const std::uint64_t late = options_.jitter.count() == 0 ? 0 : rng_.below(duration(options_.jitter));
    push(begin + flight_ + late, Step::crossed, line);
  }

  void handle(const Event& event) {
    switch (event.step) {
      case Step::crossed:
        return cross(event.value);
      case Step::ready:
        return arrive(event.value);
      case Step::sent:
        take_credits(-static_cast<std::int64_t>(event.value));
    }
  }

  void cross(std::uint64_t line) {
    const std::uint64_t bytes = crossbar_bytes(c_, reorder_.bytes(line));
    out_.crossbar += Bytes{bytes};
    std::uint64_t at = now_;
    if (c_.port.count() != 0) {
      const std::uint64_t time = duration(static_cast<double>(bytes), static_cast<double>(c_.port.count()));
      at = port_.take(at, time) + time;
    }
    if (!at_controllers()) {
      at = unit_.take(at, unit_time_);  // its latency is in flight_
    }
    push(at, Step::ready, line);
  }

  void arrive(std::uint64_t line) {
    take_credits(static_cast<std::int64_t>(reorder_.bytes(line)) -
                 static_cast<std::int64_t>(c_.line.count()));
    out_.reordered += reorder_.arrive(line) ? 1U : 0U;
    while (reorder_.ready()) {
      const Line next = reorder_.take();
      out_.compressed += Bytes{next.bytes};
      pending_ += next.bytes;
      if (options_.sink && !next.payload.empty()) {
        options_.sink(next.payload);
      }
    }
    while (pending_ >= c_.packet.count()) {
      send(c_.packet.count());
    }
    if (reorder_.taken() == lines_ && pending_ > 0) {
      send(pending_);
    }
  }

  /// Hands a packet to the link.
  void send(std::uint64_t bytes) {
    assert(bytes > 0 && bytes <= pending_);
    pending_ -= bytes;
    ++out_.packets;
    const std::uint64_t time =
        duration(static_cast<double>(bytes + c_.packet_header.count()), c_.link_rate());
    link_busy_ += time;
    push(link_.take(now_, time) + time, Step::sent, bytes);
  }

  void take_credits(std::int64_t bytes) {
    credits_ -= bytes;
    const auto used = static_cast<std::uint64_t>(static_cast<std::int64_t>(c_.buffer.count()) - credits_);
    out_.peak_buffer = std::max(out_.peak_buffer, Bytes{used});
  }

  void push(std::uint64_t at, Step step, std::uint64_t value) { events_.push({at, ++order_, step, value}); }

  const EngineConfig& c_;
  LineSource& source_;
  const TransferOptions& options_;
  std::uint64_t raw_;
  std::uint64_t lines_;
  std::uint64_t interval_;  ///< between two requests
  std::uint64_t flight_;
  std::uint64_t read_time_ = 0;
  std::uint64_t unit_time_ = 0;  ///< of a line, were all units one

  detail::Controllers map_;
  std::vector<detail::Server> controllers_;
  detail::Server port_, unit_, link_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Reorder reorder_;
  detail::PeakMeter peak_;
  std::int64_t credits_;       ///< free bytes of the buffer; below 0 while incompressible lines overfill it
  std::uint64_t pending_ = 0;  ///< bytes of the stream not yet handed to the link
  std::uint64_t now_ = 0;
  std::uint64_t next_slot_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t link_busy_ = 0;
  Rng rng_;
  Transfer out_;
};

}  // namespace

Transfer offload(const EngineConfig& config, Bytes raw, LineSource& lines, const TransferOptions& options) {
  return Offload(config, raw, lines, options).go();
}

}  // namespace wg::host::cdma
