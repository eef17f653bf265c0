#include "host/uvm/cost.hpp"

#include <cmath>
#include <numbers>

namespace wg::host::uvm {

std::uint64_t copy_ps(const config::UvmConfig& config, std::uint64_t pages, bool to_device) {
  const double bytes = static_cast<double>(pages * kPageBytes);
  if (config.transfer == "curve") {
    constexpr double kSteepness = 0.07292;  // per KiB, UVMSmart
    const double peak = static_cast<double>(config.curve_peak);
    const double rate = peak * 2 / std::numbers::pi * std::atan(kSteepness * bytes / 1024);
    return static_cast<std::uint64_t>(std::llround(bytes / rate * 1e12));
  }
  const double rate = static_cast<double>(to_device ? config.to_device : config.to_host);
  return config.copy_ns * 1000 + static_cast<std::uint64_t>(std::llround(bytes / rate * 1e12));
}

std::uint64_t copies_ps(const config::UvmConfig& config, std::span<const PageRun> runs, bool to_device) {
  std::uint64_t sum = 0;
  for (const PageRun& run : runs) {
    sum += copy_ps(config, run.count, to_device);
  }
  return sum;
}

}  // namespace wg::host::uvm
