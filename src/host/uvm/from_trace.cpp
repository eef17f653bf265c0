#include "host/uvm/from_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "host/uvm/allocations.hpp"
#include "host/uvm/trace_pages.hpp"

namespace wg::host::uvm {
namespace {

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
          pages_of(kernel.header(), slot.cta, inst, decoder->instructions()[inst.inst], pages,
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

}  // namespace

void stream_from_trace(const trace::Workload& workload, const FromTraceOptions& options, EventSink& out) {
  const std::vector<Allocation> ranges = allocations_of(workload);
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
