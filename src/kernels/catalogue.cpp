#include "kernels/catalogue.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "base/error.hpp"
#include "kernels/builder_kernel.hpp"
#include "kernels/entries.hpp"

namespace wg::kernels {
namespace {

Entry with_launches(Entry entry) {
  entry.arguments.push_back(integer("launches", 1, 1, 10'000, "", "how many times the kernel is launched"));
  return entry;
}

std::vector<Entry> all_entries() {
  std::vector<Entry> entries{chain_entry(),
                             throughput_entry(),
                             register_banks_entry(),
                             icache_entry(),
                             constant_entry(),
                             chase_entry(),
                             bandwidth_entry(),
                             shared_latency_entry(),
                             shared_conflict_entry(),
                             shared_bandwidth_entry(),
                             atomic_entry(),
                             barrier_entry(),
                             empty_entry(),
                             ffmakernel_entry(),
                             vecadd_entry(),
                             gemm_entry(),
                             reduce_entry(),
                             stencil_entry(),
                             gather_entry(),
                             transpose_entry(),
                             fill_entry(),
                             scalarprod_entry(),
                             walsh_entry(),
                             histogram_entry(),
                             polybench_entry(),
                             backprop_entry(),
                             hotspot_entry(),
                             shape_vecadd_entry(),
                             shape_gemm_entry(),
                             shape_chase_entry(),
                             shape_gather_entry(),
                             shape_reduce_entry(),
                             shape_stencil_entry(),
                             shape_ffma_entry()};
  std::ranges::transform(entries, entries.begin(), with_launches);
  return entries;
}

}  // namespace

std::span<const Entry> catalogue() {
  static const std::vector<Entry> entries = all_entries();
  return entries;
}

std::string_view name_of(Group group) {
  switch (group) {
    case Group::microbenchmark:
      return "microbenchmark";
    case Group::application:
      return "application";
    case Group::shape:
      return "shape";
  }
  return {};
}

Plan plan_of(const std::string& uri, std::uint32_t sm_version) {
  const Request request = parse_uri(uri);
  const Entry& entry = *request.entry;
  isa::Generation generation{};
  if (!isa::generation_of(sm_version, generation)) {
    throw Error(Problem{uri, "an SM version such as 70 or 90", std::to_string(sm_version), ""});
  }
  if (sm_version < entry.min_sm) {
    throw Error(Problem{uri, fmt::format("a machine of sm_{} or later", entry.min_sm),
                        fmt::format("sm_{}", sm_version), "choose another kernel or machine"});
  }
  return entry.build(request.arguments, Dialect{sm_version});
}

trace::Workload open_builder(const std::string& uri, std::uint32_t sm_version) {
  const Request request = parse_uri(uri);
  Plan plan = plan_of(uri, sm_version);
  const std::string normal = request.uri();
  trace::Workload workload;
  workload.name = uri;
  workload.hash = XXH3_64bits(normal.data(), normal.size());
  workload.commands.assign(plan.inputs.begin(), plan.inputs.end());
  std::uint64_t id = 0;
  for (std::uint64_t launch = 0; launch < request.arguments.number("launches"); ++launch) {
    for (const KernelCode& code : plan.kernels) {
      workload.commands.emplace_back(make_kernel(code, sm_version, ++id));
    }
  }
  return workload;
}

double MeasurePair::value(std::uint64_t cycles_shorter, std::uint64_t cycles_longer) const {
  const double cycles = static_cast<double>(cycles_longer) - static_cast<double>(cycles_shorter);
  const auto count = static_cast<double>(steps);
  return rate ? count / cycles : cycles / count;
}

std::optional<MeasurePair> measure_pair(const std::string& uri) {
  const Request request = parse_uri(uri);
  const std::optional<Measure>& measure = request.entry->measure;
  if (!measure) {
    return std::nullopt;
  }
  const auto argument = std::ranges::find(request.entry->arguments, measure->argument, &Argument::name);
  Request shorter = request;
  Request longer = request;
  shorter.arguments.set(*argument, std::to_string(measure->shorter));
  longer.arguments.set(*argument, std::to_string(measure->longer));
  const std::uint64_t steps = measure->steps(longer.arguments) - measure->steps(shorter.arguments);
  if (steps == 0) {
    return std::nullopt;
  }
  return MeasurePair{shorter.uri(), longer.uri(), steps, measure->step, measure->rate};
}

}  // namespace wg::kernels
