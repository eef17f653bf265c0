#include "report/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"

namespace wg::report {

double seconds_left(const gpu::Progress& progress, double seconds) {
  const double part = progress.ctas_total == 0 ? 0
                                               : static_cast<double>(progress.ctas_done) /
                                                     static_cast<double>(progress.ctas_total);
  const double finished = static_cast<double>(std::max<std::uint64_t>(progress.kernel_index, 1) - 1);
  const double done = finished + std::min(part, 1.0);
  if (done <= 0) {
    return -1;
  }
  return std::max(0.0, seconds * (static_cast<double>(progress.kernel_count) - done) / done);
}

std::string progress_line(const gpu::Progress& progress, double seconds, std::size_t columns) {
  const auto rate = [seconds](std::uint64_t amount) {
    return seconds > 0 ? static_cast<double>(amount) / seconds : 0.0;
  };
  const double left = seconds_left(progress, seconds);
  const std::string line =
      fmt::format("kernel {}/{} {}  CTAs {}/{}  {}  {}  ETA {}", progress.kernel_index, progress.kernel_count,
                  cut(readable_name(progress.kernel_name), 24), grouped(progress.ctas_done),
                  grouped(progress.ctas_total), si(rate(progress.total_cycles), "cycles/s"),
                  si(rate(progress.total_warp_instructions), "warp-inst/s"), left < 0 ? "-" : duration(left));
  return cut(line, columns);
}

}  // namespace wg::report
