#include "host/uvm/event.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/units.hpp"

namespace wg::host::uvm {
namespace {

constexpr std::uint64_t kMostAccesses = 1'000'000;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;  // 64 TiB

}  // namespace

void EventCheck::check(const Event& event, const EventSource& source) {
  const auto refuse = [&](std::string expected, std::string found) {
    throw Error({.where = source.where(), .expected = std::move(expected), .found = std::move(found)});
  };
  if (event.kind == EventKind::object) {
    if (event.object != objects_.size()) {
      refuse(fmt::format("object {} next: they are numbered from 0 in order", objects_.size()),
             fmt::format("object {}", event.object));
    }
    if (event.count == 0 || event.count > kMostBytes) {
      refuse("an allocation of 1 byte to 64 TiB", fmt::format("{} bytes", event.count));
    }
    objects_.push_back((event.count + kPageBytes - 1) / kPageBytes);
    pages_ += objects_.back();
    return;
  }
  if (event.time_ns < time_ns_) {
    refuse(fmt::format("a time of at least {} ns, that of the event before", time_ns_),
           fmt::format("{} ns", event.time_ns));
  }
  if (event.time_ns > kNever / 4000) {
    refuse("a time below 2^62 ps", fmt::format("{} ns", event.time_ns));
  }
  time_ns_ = event.time_ns;
  if (event.kind == EventKind::kernel) {
    return;
  }
  if (event.object >= objects_.size()) {
    refuse(objects_.empty() ? "an object declared before it is used"
                            : fmt::format("an object from 0 to {}", objects_.size() - 1),
           fmt::format("object {}", event.object));
  }
  if (event.kind == EventKind::gpu && (event.accesses == 0 || event.accesses > kMostAccesses)) {
    refuse(fmt::format("1 to {} accesses", kMostAccesses), fmt::format("{}", event.accesses));
  }
  const std::uint64_t pages = objects_[event.object];
  const bool range = event.kind == EventKind::prefetch || event.kind == EventKind::advise;
  if (event.page >= pages) {
    refuse(fmt::format("a page from 0 to {} of object {}", pages - 1, event.object),
           fmt::format("page {}", event.page));
  }
  if (range && (event.count == 0 || event.count > pages - event.page)) {
    refuse(
        fmt::format("1 to {} pages from page {} of object {}", pages - event.page, event.page, event.object),
        fmt::format("{} pages", event.count));
  }
}

Future read_future(EventSource& source, bool round) {
  Future future;
  Space space;
  EventCheck check;
  Event event;
  while (source.next(event)) {
    check.check(event, source);
    if (event.kind == EventKind::object) {
      space.add(event.name, event.count, event.base, round);
    } else if (event.kind == EventKind::gpu) {
      future.add(space.objects()[event.object].first_page + event.page);
    }
  }
  future.close();
  return future;
}

}  // namespace wg::host::uvm
