#include "report/split_text.hpp"

#include <fmt/format.h>

#include "report/table.hpp"

namespace wg::report {

std::string text(const gpu::SplitEstimate& split) {
  Table table({{"threads"}, {"speedup"}});
  for (std::size_t i = 0; i < gpu::SplitEstimate::kThreads.size(); ++i) {
    table.row({fmt::format("{}", gpu::SplitEstimate::kThreads[i]), fmt::format("{:.2f}x", split.speedup(i))});
  }
  return fmt::format(
      "Estimated from the lengths of the pieces of {} epochs, timed on one thread; {:.1f} % of the time "
      "cannot "
      "be divided. Threads\nthat share caches and memory bandwidth slow each other, which this does not "
      "know.\n{}",
      split.epochs(), 100 * split.serial_share(), table.text());
}

}  // namespace wg::report
