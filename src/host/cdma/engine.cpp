#include "host/cdma/engine.hpp"

namespace wg::host::cdma {
namespace {

double per_second(Bytes bytes, Picoseconds time) {
  return time.count() == 0 ? 0.0
                           : static_cast<double>(bytes.count()) * 1e12 / static_cast<double>(time.count());
}

}  // namespace

double Transfer::rate() const { return per_second(raw, time); }
double Transfer::crossbar_rate() const { return per_second(crossbar, time); }
double Transfer::peak_rate() const { return per_second(peak_window, kPeakWindow); }

double Transfer::ratio() const {
  // A few bytes at a high ratio can round to none.
  const std::uint64_t over_link = compressed.count() == 0 ? 1 : compressed.count();
  return raw.count() == 0 ? 1.0 : static_cast<double>(raw.count()) / static_cast<double>(over_link);
}

double Transfer::link_share() const {
  return time.count() == 0 ? 0.0 : static_cast<double>(link_busy.count()) / static_cast<double>(time.count());
}

Transfer transfer(const EngineConfig& config, Direction direction, Bytes raw, LineSource& lines) {
  return direction == Direction::offload ? offload(config, raw, lines) : prefetch(config, raw, lines);
}

}  // namespace wg::host::cdma
