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
      for (std::size_t i = 0; i < interval.counters.size(); ++i) {
        const CounterInfo* info = interval.counters[i].info;
        const bool in_place = i < out.size() && out[i] == info;
        if (!in_place && std::find(out.begin(), out.end(), info) == out.end()) {
          out.push_back(info);
        }
      }
    }
  }
  return out;
}

/// `place` is where the column most likely stands.
std::string cell(const gpu::Interval& interval, const CounterInfo* column, std::size_t place) {
  const auto& counters = interval.counters;
  auto at = place < counters.size() && counters[place].info == column
                ? counters.begin() + static_cast<std::ptrdiff_t>(place)
                : std::find_if(
                      counters.begin(), counters.end(),
                      [column](const CounterValue& counter) { return counter.info == column; });
  return at == counters.end() ? std::string{}
                              : std::visit([](auto value) { return fmt::format("{}", value); }, at->value);
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
      for (std::size_t i = 0; i < names.size(); ++i) {
        out += ',' + cell(interval, names[i], i);
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace wg::report
