#include "host/link.hpp"

namespace wg::host {

std::uint64_t HostLink::duration_ps(const trace::Copy& copy) const {
  if (!config_.timed || copy.kind == trace::CopyKind::device_to_device) {
    return 0;
  }
  const std::uint64_t rate =
      copy.kind == trace::CopyKind::host_to_device ? config_.to_device : config_.to_host;
  __extension__ typedef unsigned __int128 Wide;
  constexpr Wide kPicosecondsPerSecond = 1'000'000'000'000U;
  const auto transfer =
      static_cast<std::uint64_t>((copy.bytes.count() * kPicosecondsPerSecond + rate - 1) / rate);
  return config_.latency_ns * 1000 + transfer;
}

}  // namespace wg::host
