#include "host/uvm/allocations.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>

#include "host/uvm/trace_pages.hpp"

namespace wg::host::uvm {
namespace {

/// Ranges of pages by their first one; the value is the end.
using Ranges = std::map<std::uint64_t, std::uint64_t>;

void add_range(Ranges& ranges, std::uint64_t first, std::uint64_t end) {
  auto at = ranges.upper_bound(first);
  if (at != ranges.begin() && std::prev(at)->second >= first) {
    --at;
    first = at->first;
    end = std::max(end, at->second);
  }
  while (at != ranges.end() && at->first <= end) {
    end = std::max(end, at->second);
    at = ranges.erase(at);
  }
  ranges[first] = end;
}

/// Pages that kernels touch, each once.
class Touched {
 public:
  void walk(const trace::Kernel& kernel) {
    const auto source = kernel.open();
    const auto decoder = kernel.decoder();
    trace::CtaBlob blob;
    trace::CtaTrace cta;
    std::vector<std::uint64_t> scratch;
    while (source->next(blob)) {
      decoder->decode(blob, cta);
      for (const trace::DynInst& inst : cta.insts) {
        pages_of(kernel.header(), cta, inst, decoder->instructions()[inst.inst], scratch,
                 [&](std::uint64_t page, bool) { add(page); });
      }
    }
  }
  [[nodiscard]] std::vector<std::uint64_t> sorted() const {
    std::vector<std::uint64_t> pages(all_.begin(), all_.end());
    std::sort(pages.begin(), pages.end());
    return pages;
  }

 private:
  void add(std::uint64_t page) {
    std::uint64_t& last = recent_[page % recent_.size()];
    if (last != page + 1) {
      last = page + 1;
      all_.insert(page);
    }
  }
  std::array<std::uint64_t, 4096> recent_{};  ///< page + 1, in front of the set
  std::unordered_set<std::uint64_t> all_;
};

Ranges copied(const trace::Workload& workload) {
  Ranges ranges;
  for (const trace::Command& command : workload.commands) {
    const auto* copy = std::get_if<trace::Copy>(&command);
    if (copy != nullptr && copy->bytes.count() != 0) {
      add_range(ranges, copy->address / kPageBytes,
                (copy->address + copy->bytes.count() - 1) / kPageBytes + 1);
    }
  }
  return ranges;
}

}  // namespace

std::vector<Allocation> allocations_of(const trace::Workload& workload) {
  Ranges ranges = copied(workload);
  Touched touched;
  for (const trace::Command& command : workload.commands) {
    if (const auto* kernel = std::get_if<std::shared_ptr<const trace::Kernel>>(&command)) {
      touched.walk(**kernel);
    }
  }
  Ranges rest;
  for (const std::uint64_t page : touched.sorted()) {
    const auto after = ranges.upper_bound(page);
    if (after != ranges.begin() && page < std::prev(after)->second) {
      continue;
    }
    const auto last = rest.empty() ? rest.end() : std::prev(rest.end());
    const bool joins = last != rest.end() && page - last->second < kBlockPages &&
                       ranges.lower_bound(last->first) == ranges.upper_bound(page);
    joins ? last->second = page + 1 : rest[page] = page + 1;
  }
  ranges.insert(rest.begin(), rest.end());
  std::vector<Allocation> out;
  for (const auto& [first, end] : ranges) {
    out.push_back({first, end});
  }
  return out;
}

}  // namespace wg::host::uvm
