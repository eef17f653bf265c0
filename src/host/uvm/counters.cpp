#include "host/uvm/counters.hpp"

namespace wg::host::uvm {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

PageCounters& PageCounters::operator+=(const PageCounters& other) {
  for (std::size_t i = 0; i < kCauses; ++i) {
    moved[i] += other.moved[i];
  }
  for (const auto member :
       {&PageCounters::accesses, &PageCounters::remote, &PageCounters::raw_faults, &PageCounters::coalesced,
        &PageCounters::duplicates, &PageCounters::unique_faults, &PageCounters::flushed,
        &PageCounters::dropped, &PageCounters::used, &PageCounters::prefetch_used, &PageCounters::left_unused,
        &PageCounters::end_unused, &PageCounters::again, &PageCounters::again_distance,
        &PageCounters::throttles, &PageCounters::pins, &PageCounters::stall_ps}) {
    this->*member += other.*member;
  }
  return *this;
}

double accuracy(const PageCounters& counters) {
  return share(counters.prefetch_used, counters.of(Cause::prefetch));
}

double coverage(const PageCounters& counters) { return share(counters.prefetch_used, counters.used); }

double unused_share(const PageCounters& counters) {
  return share(counters.left_unused + counters.end_unused, counters.arrived());
}

}  // namespace wg::host::uvm
