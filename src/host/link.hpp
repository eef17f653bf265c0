// The plain host link: how long a memory copy takes when nothing else uses the link.
#pragma once

#include <cstdint>

#include "config/machine.hpp"
#include "trace/workload.hpp"

namespace wg::host {

class HostLink {
 public:
  explicit HostLink(const config::LinkConfig& config) : config_(config) {}

  /// Time (ps) from issuing a copy until its last byte has landed: a fixed cost plus bytes over the bandwidth
  /// of its direction. 0 when the link is not timed. A copy inside the device does not use the link.
  [[nodiscard]] std::uint64_t duration_ps(const trace::Copy& copy) const;

 private:
  config::LinkConfig config_;
};

}  // namespace wg::host
