// Nanoseconds per record of kernels written as code: decodes whole kernels again and again, best of repeats.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "kernels/catalogue.hpp"

namespace {

struct Timing {
  std::uint64_t records = 0;
  double nanoseconds = 0;
};

/// One pass over all CTAs of the kernel.
Timing pass(const wg::trace::Kernel& kernel, wg::trace::CtaDecoder& decoder, wg::trace::CtaTrace& cta) {
  const auto source = kernel.open();
  wg::trace::CtaBlob blob;
  Timing timing;
  const auto begin = std::chrono::steady_clock::now();
  while (source->next(blob)) {
    decoder.decode(blob, cta);
    timing.records += cta.insts.size();
  }
  timing.nanoseconds =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  return timing;
}

void measure(const std::string& uri, std::uint32_t sm_version) {
  constexpr int kRepeats = 20;
  const wg::trace::Workload workload = wg::kernels::open_builder(uri, sm_version);
  for (const wg::trace::Command& command : workload.commands) {
    const auto* kernel = std::get_if<std::shared_ptr<const wg::trace::Kernel>>(&command);
    if (kernel == nullptr) {
      continue;
    }
    const auto decoder = (*kernel)->decoder();
    wg::trace::CtaTrace cta;
    Timing best = pass(**kernel, *decoder, cta);
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      best.nanoseconds = std::min(best.nanoseconds, pass(**kernel, *decoder, cta).nanoseconds);
    }
    fmt::print("{:<36} {:>10} records {:>7.2f} ns each\n", uri, best.records,
               best.nanoseconds / static_cast<double>(best.records));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::string> uris(argv + 1, argv + argc);
    if (uris.empty()) {
      for (const wg::kernels::Entry& entry : wg::kernels::catalogue()) {
        uris.push_back("kernel:" + std::string(entry.name));
      }
    }
    for (const std::string& uri : uris) {
      measure(uri, 80);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "kernels_emit: {}\n", error.what());
    return 2;
  }
  return 0;
}
