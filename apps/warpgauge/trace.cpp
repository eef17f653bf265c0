#include <optional>

#include "base/error.hpp"
#include "open.hpp"
#include "options.hpp"
#include "places.hpp"
#include "report/trace_text.hpp"
#include "stoppable.hpp"
#include "trace/convert.hpp"

namespace wg::app {

int trace_info(const TraceArguments& a) {
  const trace::Workload workload = open_workload(a.path, a.sm);
  print(report::workload_text(workload));
  if (!a.headers_only) {
    std::optional<trace::KernelSummary> sum;
    for (const trace::Kernel* kernel : report::kernels_of(workload)) {
      const trace::KernelSummary one = trace::summarize(*kernel);
      sum ? trace::merge(*sum, one) : static_cast<void>(sum = one);
    }
    print(report::summary_text(sum.value_or(trace::KernelSummary{})));
  }
  return 0;
}

int trace_check(const TraceArguments& a) {
  const trace::CheckReport found = trace::check_trace(a.path);
  print(report::check_text(found, a.path));
  return static_cast<int>(found.good() ? ExitCode::ok : ExitCode::bad_input);
}

int trace_cat(const TraceArguments& a) {
  print(report::cta_text(open_workload(a.path, a.sm), a.kernel, a.cta));
  return 0;
}

int trace_convert(const TraceArguments& a) {
  const trace::Workload workload = open_workload(a.path, a.sm);
  refuse_files_in_use(workload.files, {a.out});
  trace::convert(stoppable(workload, a.out + " was not written"), a.out, a.tracer_version);
  return 0;
}

}  // namespace wg::app
