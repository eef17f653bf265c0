#include "host/uvm/timeline.hpp"

#include <algorithm>
#include <utility>

#include "host/uvm/driver.hpp"

namespace wg::host::uvm {
namespace {

void add_to(TimelineStep& to, const TimelineStep& from) {
  to.batches += from.batches;
  to.faults += from.faults;
  to.fault_pages += from.fault_pages;
  to.prefetch_pages += from.prefetch_pages;
  to.evicted_pages += from.evicted_pages;
  to.service_ps += from.service_ps;
}

}  // namespace

void Timeline::add(const Batch& batch, std::uint64_t time_ps) {
  while (time_ps / step_ps_ >= kMost) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (i % 2 == 0) {
        steps_[i / 2] = steps_[i];
      } else {
        add_to(steps_[i / 2], steps_[i]);
      }
    }
    steps_.resize((steps_.size() + 1) / 2);
    step_ps_ *= 2;
  }
  const auto at = static_cast<std::size_t>(time_ps / step_ps_);
  if (at >= steps_.size()) {
    steps_.resize(at + 1);
  }
  add_to(steps_[at], {1, batch.raw, batch.fault_pages, batch.prefetch_pages, batch.evicted_pages,
                      batch.end_ps - batch.start_ps});
}

void Timeline::assign(std::uint64_t step_ps, std::vector<TimelineStep> steps) {
  step_ps_ = std::max<std::uint64_t>(step_ps, 1);  // a damaged file may say 0
  steps_ = std::move(steps);
}

}  // namespace wg::host::uvm
