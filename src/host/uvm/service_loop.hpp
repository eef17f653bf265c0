// When batches of the driver begin and end, and what follows each: the same for page streams and for the
// cycle-level machine.
#pragma once

#include <algorithm>
#include <cstdint>

#include "host/uvm/driver.hpp"

namespace wg::host::uvm {

class ServiceLoop {
 public:
  enum class Step : std::uint8_t {
    began,  ///< a batch; `batch()` tells what it does
    ended,  ///< a batch, and nothing is replayed
    replay  ///< a batch has ended: what waits for pages is tried again
  };

  /// `driver` outlives the loop.
  explicit ServiceLoop(UvmDriver& driver) : driver_(&driver) {}

  /// A batch is being served or waits.
  [[nodiscard]] bool busy() const { return in_flight_ || driver_->pending(); }
  /// Time (ps) of the next step; kNever when not busy.
  [[nodiscard]] std::uint64_t next() const {
    return in_flight_           ? batch_->end_ps
           : driver_->pending() ? std::max(driver_->next_start(), last_ps_)
                                : kNever;
  }
  /// Takes the next step at `at_ps`, which is next().
  Step step(std::uint64_t at_ps) {
    last_ps_ = at_ps;
    if (!in_flight_) {
      batch_ = &driver_->service(at_ps);
      in_flight_ = true;
      return Step::began;
    }
    in_flight_ = false;
    if (driver_->replay() == Replay::once && driver_->pending()) {
      return Step::ended;
    }
    if (driver_->replay() == Replay::batch_flush) {
      driver_->flush(batch_->reread_put ? at_ps : batch_->start_ps);
    }
    return Step::replay;
  }
  /// The one that began last.
  [[nodiscard]] const Batch& batch() const { return *batch_; }

 private:
  UvmDriver* driver_;
  const Batch* batch_ = nullptr;
  std::uint64_t last_ps_ = 0;
  bool in_flight_ = false;
};

}  // namespace wg::host::uvm
