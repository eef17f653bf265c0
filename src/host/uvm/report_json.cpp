// A report as JSON and back.
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/uvm/counters.hpp"

namespace wg::host::uvm {
namespace {

using Json = nlohmann::ordered_json;

template <class S>
struct Row {
  const char* key;
  std::uint64_t S::* member;
  bool time = false;  ///< picoseconds, printed as nanoseconds
};

constexpr std::array kCounterRows = {Row<PageCounters>{"accesses", &PageCounters::accesses},
                                     Row<PageCounters>{"remote_accesses", &PageCounters::remote},
                                     Row<PageCounters>{"faults_raw", &PageCounters::raw_faults},
                                     Row<PageCounters>{"faults_coalesced", &PageCounters::coalesced},
                                     Row<PageCounters>{"faults_duplicate", &PageCounters::duplicates},
                                     Row<PageCounters>{"faults_flushed", &PageCounters::flushed},
                                     Row<PageCounters>{"faults_unique", &PageCounters::unique_faults},
                                     Row<PageCounters>{"pages_dropped", &PageCounters::dropped},
                                     Row<PageCounters>{"pages_used", &PageCounters::used},
                                     Row<PageCounters>{"pages_prefetched_used", &PageCounters::prefetch_used},
                                     Row<PageCounters>{"pages_left_unused", &PageCounters::left_unused},
                                     Row<PageCounters>{"pages_end_unused", &PageCounters::end_unused},
                                     Row<PageCounters>{"pages_returned", &PageCounters::again},
                                     Row<PageCounters>{"return_distance_sum", &PageCounters::again_distance},
                                     Row<PageCounters>{"throttles", &PageCounters::throttles},
                                     Row<PageCounters>{"pins", &PageCounters::pins},
                                     Row<PageCounters>{"stall_ns", &PageCounters::stall_ps, true},
                                     Row<PageCounters>{"wait_ns", &PageCounters::wait_ps, true}};

constexpr std::array kReportRows = {Row<UvmReport>{"batches", &UvmReport::batches},
                                    Row<UvmReport>{"bottom_halves", &UvmReport::bottom_halves},
                                    Row<UvmReport>{"kernels", &UvmReport::kernels},
                                    Row<UvmReport>{"block_services", &UvmReport::block_services},
                                    Row<UvmReport>{"evictions", &UvmReport::evictions},
                                    Row<UvmReport>{"transfers_in", &UvmReport::transfers_in},
                                    Row<UvmReport>{"transfers_out", &UvmReport::transfers_out},
                                    Row<UvmReport>{"link_in_ns", &UvmReport::link_in_ps, true},
                                    Row<UvmReport>{"link_out_ns", &UvmReport::link_out_ps, true},
                                    Row<UvmReport>{"time_ns", &UvmReport::time_ps, true},
                                    Row<UvmReport>{"service_ns", &UvmReport::service_ps, true},
                                    Row<UvmReport>{"gpu_stall_ns", &UvmReport::stall_ps, true},
                                    Row<UvmReport>{"peak_pages", &UvmReport::peak_pages},
                                    Row<UvmReport>{"end_pages", &UvmReport::end_pages},
                                    Row<UvmReport>{"chunk_waste_pages", &UvmReport::chunk_waste_pages},
                                    Row<UvmReport>{"prefetcher_bytes", &UvmReport::prefetcher_bytes},
                                    Row<UvmReport>{"evictor_bytes", &UvmReport::evictor_bytes}};

constexpr std::array kSplitRows = {Row<TimeSplit>{"service_batch_ns", &TimeSplit::batch_ps, true},
                                   Row<TimeSplit>{"service_block_ns", &TimeSplit::block_ps, true},
                                   Row<TimeSplit>{"service_page_ns", &TimeSplit::page_ps, true},
                                   Row<TimeSplit>{"service_copy_ns", &TimeSplit::copy_in_ps, true},
                                   Row<TimeSplit>{"service_evict_ns", &TimeSplit::evict_ps, true}};

constexpr std::array kStepRows = {Row<TimelineStep>{"batches", &TimelineStep::batches},
                                  Row<TimelineStep>{"faults", &TimelineStep::faults},
                                  Row<TimelineStep>{"pages_in_fault", &TimelineStep::fault_pages},
                                  Row<TimelineStep>{"pages_in_prefetch", &TimelineStep::prefetch_pages},
                                  Row<TimelineStep>{"pages_out_eviction", &TimelineStep::evicted_pages},
                                  Row<TimelineStep>{"service_ns", &TimelineStep::service_ps, true}};

constexpr std::array<const char*, kCauses> kCauseKeys = {
    "pages_in_fault",     "pages_in_prefetch", "pages_in_hint", "pages_in_counter",
    "pages_out_eviction", "pages_out_cpu",     "pages_out_hint"};

Json value_of(std::uint64_t value, bool time) {
  return time ? Json(static_cast<double>(value) * 1e-3) : Json(value);
}

std::uint64_t number_of(const Json& value, bool time) {
  return time ? static_cast<std::uint64_t>(std::llround(value.get<double>() * 1e3))
              : value.get<std::uint64_t>();
}

template <class S, std::size_t N>
void write(Json& out, const S& from, const std::array<Row<S>, N>& rows) {
  for (const Row<S>& row : rows) {
    out[row.key] = value_of(from.*row.member, row.time);
  }
}

template <class S, std::size_t N>
void read(const Json& in, S& to, const std::array<Row<S>, N>& rows) {
  for (const Row<S>& row : rows) {
    to.*row.member = number_of(in.at(row.key), row.time);
  }
}

Json counters_json(const PageCounters& counters) {
  Json out = Json::object();
  write(out, counters, kCounterRows);
  for (std::size_t i = 0; i < kCauses; ++i) {
    out[kCauseKeys[i]] = counters.moved[i];
  }
  out["prefetch_accuracy"] = accuracy(counters);
  out["prefetch_coverage"] = coverage(counters);
  out["unused_share"] = unused_share(counters);
  return out;
}

void read_counters(const Json& in, PageCounters& counters) {
  read(in, counters, kCounterRows);
  for (std::size_t i = 0; i < kCauses; ++i) {
    counters.moved[i] = in.at(kCauseKeys[i]).get<std::uint64_t>();
  }
}

/// Columns of one length.
Json timeline_json(const Timeline& timeline) {
  Json out = {{"step_ns", value_of(timeline.step_ps(), true)}};
  for (const Row<TimelineStep>& row : kStepRows) {
    Json& column = out[row.key] = Json::array();
    for (const TimelineStep& step : timeline.steps()) {
      column.push_back(value_of(step.*row.member, row.time));
    }
  }
  return out;
}

Timeline read_timeline(const Json& in) {
  std::vector<TimelineStep> steps(in.at(kStepRows[0].key).size());
  for (const Row<TimelineStep>& row : kStepRows) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i].*row.member = number_of(in.at(row.key).at(i), row.time);
    }
  }
  Timeline timeline;
  timeline.assign(number_of(in.at("step_ns"), true), std::move(steps));
  return timeline;
}

}  // namespace

std::string report_json(const UvmReport& r) {
  Json objects = Json::array();
  for (const ObjectReport& object : r.objects) {
    Json one = {{"name", object.name}, {"bytes", object.bytes}};
    if (!object.pattern.empty()) {
      one["pattern"] = object.pattern;
    }
    one.update(counters_json(object.pages));
    objects.push_back(std::move(one));
  }
  Json totals = counters_json(r.total);
  write(totals, r, kReportRows);
  write(totals, r.split, kSplitRows);
  totals["batch_size_log2"] = r.batch_sizes;
  totals["copy_pages_log2"] = r.run_sizes;
  const Json out = {{"prefetcher", r.prefetcher},           {"evictor", r.evictor},
                    {"memory_pages", r.memory_pages},       {"footprint_pages", r.footprint_pages},
                    {"totals", std::move(totals)},          {"objects", std::move(objects)},
                    {"timeline", timeline_json(r.timeline)}};
  return out.dump(2) + "\n";
}

UvmReport report_from_json(const std::string& text) {
  const Json in = Json::parse(text);
  UvmReport r;
  in.at("prefetcher").get_to(r.prefetcher);
  in.at("evictor").get_to(r.evictor);
  in.at("memory_pages").get_to(r.memory_pages);
  in.at("footprint_pages").get_to(r.footprint_pages);
  const Json& totals = in.at("totals");
  read_counters(totals, r.total);
  read(totals, r, kReportRows);
  read(totals, r.split, kSplitRows);
  totals.at("batch_size_log2").get_to(r.batch_sizes);
  totals.at("copy_pages_log2").get_to(r.run_sizes);
  for (const Json& one : in.at("objects")) {
    ObjectReport& object = r.objects.emplace_back();
    one.at("name").get_to(object.name);
    one.at("bytes").get_to(object.bytes);
    object.pattern = one.value("pattern", "");
    read_counters(one, object.pages);
  }
  r.timeline = read_timeline(in.at("timeline"));
  return r;
}

}  // namespace wg::host::uvm
