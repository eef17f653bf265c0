#include "host/uvm/counters.hpp"

namespace wg::host::uvm {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

constexpr std::array kSums = {
    &PageCounters::accesses,       &PageCounters::remote,      &PageCounters::raw_faults,
    &PageCounters::coalesced,      &PageCounters::duplicates,  &PageCounters::unique_faults,
    &PageCounters::flushed,        &PageCounters::dropped,     &PageCounters::used,
    &PageCounters::prefetch_used,  &PageCounters::left_unused, &PageCounters::again,
    &PageCounters::again_distance, &PageCounters::throttles,   &PageCounters::pins,
    &PageCounters::stall_ps,       &PageCounters::wait_ps};

constexpr std::array kReportSums = {
    &UvmReport::kernels,     &UvmReport::batches,      &UvmReport::bottom_halves, &UvmReport::block_services,
    &UvmReport::evictions,   &UvmReport::transfers_in, &UvmReport::transfers_out, &UvmReport::link_in_ps,
    &UvmReport::link_out_ps, &UvmReport::time_ps,      &UvmReport::service_ps};

}  // namespace

PageCounters& PageCounters::operator+=(const PageCounters& other) {
  for (std::size_t i = 0; i < kCauses; ++i) {
    moved[i] += other.moved[i];
  }
  for (const auto member : kSums) {
    this->*member += other.*member;
  }
  end_unused += other.end_unused;
  return *this;
}

PageCounters PageCounters::since(const PageCounters& before) const {
  PageCounters out = *this;
  for (std::size_t i = 0; i < kCauses; ++i) {
    out.moved[i] -= before.moved[i];
  }
  for (const auto member : kSums) {
    out.*member -= before.*member;
  }
  return out;
}

UvmReport UvmReport::since(const UvmReport& before) const {
  UvmReport out = *this;
  for (const auto member : kReportSums) {
    out.*member -= before.*member;
  }
  for (std::size_t i = 0; i < batch_sizes.size(); ++i) {
    out.batch_sizes[i] -= before.batch_sizes[i];
  }
  for (std::size_t i = 0; i < run_sizes.size(); ++i) {
    out.run_sizes[i] -= before.run_sizes[i];
  }
  for (const auto member : {&TimeSplit::batch_ps, &TimeSplit::block_ps, &TimeSplit::page_ps,
                            &TimeSplit::copy_in_ps, &TimeSplit::evict_ps}) {
    out.split.*member -= before.split.*member;
  }
  out.total = total.since(before.total);
  for (std::size_t i = 0; i < out.objects.size() && i < before.objects.size(); ++i) {
    out.objects[i].pages = objects[i].pages.since(before.objects[i].pages);
  }
  return out;
}

void UvmReport::archive(Archive& archive) {
  for (const auto member : kReportSums) {
    archive(this->*member);
  }
  archive(batch_sizes);
  archive(run_sizes);
  archive(split);
}

double accuracy(const PageCounters& counters) {
  return share(counters.prefetch_used, counters.of(Cause::prefetch));
}

double coverage(const PageCounters& counters) { return share(counters.prefetch_used, counters.used); }

double unused_share(const PageCounters& counters) {
  return share(counters.left_unused + counters.end_unused, counters.arrived());
}

}  // namespace wg::host::uvm
