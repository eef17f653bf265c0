// What the native trace format saves: converts traces and reads both forms.
//   trace_convert FOLDER TRACE...
// Writes one .wgt after the other to FOLDER. A line for each trace: bytes of text, bytes of .wgt, their
// ratio, milliseconds of processor time to read all of the text and of the .wgt (best of five, one thread),
// their ratio.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "trace/native.hpp"
#include "trace/workload.hpp"

namespace {

/// Seconds of processor time: what else the computer does must not decide.
double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Loaded {
  std::uint64_t text_bytes = 0;
  std::uint64_t insts = 0;
  std::uint64_t check = 0;  ///< of masks and addresses
};

/// Opens the trace and decodes all of it.
Loaded load(const std::string& path, bool check) {
  Loaded out;
  const wg::trace::Workload workload = wg::trace::open_trace(path);
  wg::trace::CtaBlob blob;
  wg::trace::CtaTrace cta;
  for (const wg::trace::Command& command : workload.commands) {
    const auto* const kernel = std::get_if<std::shared_ptr<const wg::trace::Kernel>>(&command);
    if (kernel == nullptr) {
      continue;
    }
    const auto source = (*kernel)->open();
    const auto decoder = (*kernel)->decoder();
    while (source->next(blob)) {
      decoder->decode(blob, cta);
      out.text_bytes += blob.text.size();
      out.insts += cta.insts.size();
      if (!check) {
        continue;
      }
      for (const std::uint64_t address : cta.addresses) {
        out.check = out.check * 31 + address;
      }
      for (const wg::trace::DynInst& inst : cta.insts) {
        out.check = out.check * 31 + inst.mask + decoder->instructions()[inst.inst].pc;
      }
    }
  }
  return out;
}

double best_seconds(const std::string& path) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < 5; ++i) {
    const double begin = now();
    load(path, false);
    best = std::min(best, now() - begin);
  }
  return best;
}

void measure(const std::string& folder, const std::string& path) {
  const std::string native = folder + "/trace.wgt";
  wg::trace::write_native(wg::trace::open_trace(path), native);
  const Loaded text = load(path, true);
  const Loaded again = load(native, true);
  if (again.insts != text.insts || again.check != text.check) {
    throw wg::Error(wg::Problem{path, "equal records from both forms", "others", ""}, wg::ExitCode::internal);
  }
  const std::uint64_t size = std::filesystem::file_size(native);
  const double text_seconds = best_seconds(path);
  const double native_seconds = best_seconds(native);
  fmt::print("{:12} {:10} {:7.1f} {:10.2f} {:8.3f} {:7.1f}  {}\n", text.text_bytes, size,
             static_cast<double>(text.text_bytes) / static_cast<double>(size), text_seconds * 1e3,
             native_seconds * 1e3, text_seconds / native_seconds, path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: trace_convert FOLDER TRACE...\n");
    return 1;
  }
  try {
    fmt::print("{:>12} {:>10} {:>7} {:>10} {:>8} {:>7}  trace\n", "text bytes", ".wgt bytes", "ratio",
               "text ms", ".wgt ms", "ratio");
    for (int i = 2; i < argc; ++i) {
      measure(argv[1], argv[i]);
    }
  } catch (const wg::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
