#include "host/uvm/from_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <unordered_set>

#include "base/error.hpp"
#include "host/uvm/page_mask.hpp"

namespace wg::host::uvm {
namespace {

/// Calls `touch(page, write)` for the pages of one instruction, each once.
template <class Touch>
void pages_of(const trace::CtaTrace& cta, const trace::DynInst& inst, const isa::StaticInst& what,
              std::vector<std::uint64_t>& pages, Touch&& touch) {
  const bool memory = what.cls == isa::InstClass::load || what.cls == isa::InstClass::store ||
                      what.cls == isa::InstClass::atomic || what.cls == isa::InstClass::reduction ||
                      what.cls == isa::InstClass::ldgsts;
  const bool global = what.space == isa::Space::global || what.space == isa::Space::generic;
  if (!memory || !global || inst.mask == 0 || inst.address == trace::DynInst::kNoAddress) {
    return;
  }
  const trace::AddressForm form = cta.form(inst);
  const auto lanes = static_cast<std::uint32_t>(std::popcount(inst.mask));
  pages.clear();
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    pages.push_back(form.at(lane) / kPageBytes);
  }
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  const bool write = what.cls != isa::InstClass::load && what.cls != isa::InstClass::ldgsts;
  for (const std::uint64_t page : pages) {
    touch(page, write);
  }
}

/// Hands out the accesses of a kernel: CTAs side by side, their warps taking turns instruction by
/// instruction.
template <class Touch>
void walk(const trace::Kernel& kernel, std::uint32_t ctas, Touch&& touch) {
  struct Running {
    trace::CtaTrace cta;
    std::vector<std::uint32_t> done;       ///< instructions, by warp
    std::vector<std::uint64_t> last_page;  ///< by warp
  };
  const auto source = kernel.open();
  const auto decoder = kernel.decoder();
  std::vector<Running> running(ctas);
  trace::CtaBlob blob;
  std::vector<std::uint64_t> pages;
  for (bool more = true; more;) {
    std::size_t count = 0;
    while (count < running.size() && (more = source->next(blob))) {
      Running& slot = running[count++];
      decoder->decode(blob, slot.cta);
      slot.done.assign(slot.cta.warps.size(), 0);
      slot.last_page.assign(slot.cta.warps.size(), kNotAgain);
    }
    for (bool alive = count > 0; alive;) {
      alive = false;
      for (std::size_t i = 0; i < count; ++i) {
        Running& slot = running[i];
        for (std::size_t w = 0; w < slot.cta.warps.size(); ++w) {
          const trace::WarpTrace& warp = slot.cta.warps[w];
          if (slot.done[w] == warp.count) {
            continue;
          }
          alive = true;
          const trace::DynInst& inst = slot.cta.insts[warp.first + slot.done[w]++];
          pages_of(slot.cta, inst, decoder->instructions()[inst.inst], pages,
                   [&](std::uint64_t page, bool write) {
                     if (page != slot.last_page[w] || write) {
                       slot.last_page[w] = page;
                       touch(page, write);
                     }
                   });
        }
      }
    }
  }
}

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

Ranges objects_of(const trace::Workload& workload, std::uint32_t ctas) {
  Ranges ranges;
  std::unordered_set<std::uint64_t> touched;
  for (const trace::Command& command : workload.commands) {
    if (const auto* copy = std::get_if<trace::Copy>(&command)) {
      if (copy->bytes.count() != 0) {
        add_range(ranges, copy->address / kPageBytes,
                  (copy->address + copy->bytes.count() - 1) / kPageBytes + 1);
      }
    } else {
      walk(*std::get<std::shared_ptr<const trace::Kernel>>(command), ctas,
           [&](std::uint64_t page, bool) { touched.insert(page); });
    }
  }
  Ranges rest;
  for (const std::uint64_t page : std::set<std::uint64_t>(touched.begin(), touched.end())) {
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
  return ranges;
}

}  // namespace

void stream_from_trace(const trace::Workload& workload, const FromTraceOptions& options, EventSink& out) {
  const Ranges ranges = objects_of(workload, options.ctas);
  if (ranges.empty()) {
    throw Error({.where = workload.name, .expected = "kernels that touch global memory", .found = "none"});
  }
  std::map<std::uint64_t, std::uint32_t> ids;
  Event event;
  for (const auto& [first, end] : ranges) {
    event.kind = EventKind::object;
    event.object = static_cast<std::uint32_t>(ids.size());
    event.count = (end - first) * kPageBytes;
    event.base = first * kPageBytes;
    event.name = fmt::format("{:#x}", first * kPageBytes);
    out.put(event);
    ids[first] = event.object;
  }
  event = Event{};
  for (const trace::Command& command : workload.commands) {
    const auto* kernel = std::get_if<std::shared_ptr<const trace::Kernel>>(&command);
    if (kernel == nullptr) {
      continue;
    }
    event.kind = EventKind::kernel;
    event.name = (*kernel)->header().name;
    std::replace_if(event.name.begin(), event.name.end(), [](char c) { return c == ' ' || c == '#'; }, '_');
    event.name = event.name.empty() ? "kernel" : event.name.substr(0, 255);
    out.put(event);
    event.kind = EventKind::gpu;
    walk(**kernel, options.ctas, [&](std::uint64_t page, bool write) {
      const auto at = std::prev(ids.upper_bound(page));
      event.object = at->second;
      event.page = page - at->first;
      event.write = write;
      out.put(event);
      event.time_ns += options.gap_ns;
    });
  }
}

}  // namespace wg::host::uvm
