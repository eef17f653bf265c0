// Speed of the trace reader over a whole trace: the serial source, and decoding on one thread.
//   trace_read TRACE [repeats]
// Prints the best of `repeats` (3) for each stage.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "base/error.hpp"
#include "trace/workload.hpp"

namespace {

using Seconds = std::chrono::duration<double>;

double now() { return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Pass {
  double source_seconds = 0;
  double decode_seconds = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t memory_lines = 0;
};

Pass read_kernel(const wg::trace::Kernel& kernel) {
  Pass pass;
  const auto source = kernel.open();
  const auto decoder = kernel.decoder();
  wg::trace::CtaBlob blob;
  wg::trace::CtaTrace cta;
  for (;;) {
    const double begin = now();
    const bool more = source->next(blob);
    const double read = now();
    pass.source_seconds += read - begin;
    if (!more) {
      return pass;
    }
    decoder->decode(blob, cta);
    pass.decode_seconds += now() - read;
    pass.bytes += blob.text.size();
    pass.lines += cta.insts.size();
    for (const wg::trace::DynInst& inst : cta.insts) {
      pass.memory_lines += inst.address != wg::trace::DynInst::kNoAddress ? 1U : 0U;
    }
  }
}

Pass read_all(const wg::trace::Workload& workload) {
  Pass total;
  for (const wg::trace::Command& command : workload.commands) {
    if (const auto* kernel = std::get_if<std::shared_ptr<const wg::trace::Kernel>>(&command)) {
      const Pass pass = read_kernel(**kernel);
      total.source_seconds += pass.source_seconds;
      total.decode_seconds += pass.decode_seconds;
      total.bytes += pass.bytes;
      total.lines += pass.lines;
      total.memory_lines += pass.memory_lines;
    }
  }
  return total;
}

void print(const char* stage, double seconds, const Pass& pass) {
  const double lines = static_cast<double>(pass.lines);
  fmt::print("{:8} {:9.3f} ms {:8.2f} Mlines/s {:8.1f} MB/s {:7.1f} ns/line\n", stage, seconds * 1e3,
             lines / seconds / 1e6, static_cast<double>(pass.bytes) / seconds / 1e6, seconds * 1e9 / lines);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: trace_read TRACE [repeats]\n");
    return 1;
  }
  try {
    const wg::trace::Workload workload = wg::trace::open_trace(argv[1]);
    const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3;
    Pass best = read_all(workload);
    for (int i = 1; i < repeats; ++i) {
      const Pass pass = read_all(workload);
      best.source_seconds = std::min(best.source_seconds, pass.source_seconds);
      best.decode_seconds = std::min(best.decode_seconds, pass.decode_seconds);
    }
    fmt::print("{} lines, {} with addresses, {:.1f} MB of text\n", best.lines, best.memory_lines,
               static_cast<double>(best.bytes) / 1e6);
    print("source", best.source_seconds, best);
    print("decode", best.decode_seconds, best);
  } catch (const wg::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
