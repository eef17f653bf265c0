#include "report/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace wg::report {
namespace {

/// RFC 4180: quoted when it holds a comma, a quote or a line break.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string out = "\"";
  for (const char c : text) {
    out += c == '"' ? "\"\"" : std::string(1, c);
  }
  return out + '"';
}

/// Every counter that occurs, in the order of first appearance.
std::vector<const CounterInfo*> columns(const gpu::RunResult& result) {
  std::vector<const CounterInfo*> out;
  for (const gpu::KernelResult& kernel : result.kernels) {
    for (const gpu::Interval& interval : kernel.timeline) {
      for (const CounterValue& counter : interval.counters) {
        if (std::find(out.begin(), out.end(), counter.info) == out.end()) {
          out.push_back(counter.info);
        }
      }
    }
  }
  return out;
}

std::string cell(const gpu::Interval& interval, const CounterInfo* column) {
  for (const CounterValue& counter : interval.counters) {
    if (counter.info == column) {
      return std::visit([](auto value) { return fmt::format("{}", value); }, counter.value);
    }
  }
  return {};
}

}  // namespace

std::string timeline_csv(const gpu::RunResult& result) {
  const std::vector<const CounterInfo*> names = columns(result);
  std::string out = "kernel,name,begin_cycle,end_cycle";
  for (const CounterInfo* column : names) {
    out += fmt::format(",{}", column->name);
  }
  out += '\n';
  for (const gpu::KernelResult& kernel : result.kernels) {
    for (const gpu::Interval& interval : kernel.timeline) {
      out += fmt::format("{},{},{},{}", kernel.index, field(kernel.name), interval.begin_cycle,
                         interval.end_cycle);
      for (const CounterInfo* column : names) {
        out += ',' + cell(interval, column);
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace wg::report
