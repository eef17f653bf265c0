// A page stream: what GPU and CPU do to managed memory, in time order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/uvm/advice.hpp"
#include "host/uvm/future.hpp"

namespace wg::host::uvm {

enum class EventKind : std::uint8_t { gpu, cpu, object, kernel, prefetch, advise };

/// One event. Which members mean something depends on its kind.
struct Event {
  EventKind kind = EventKind::gpu;
  bool write = false;     ///< gpu, cpu
  bool to_device = true;  ///< prefetch
  Advice advice = Advice::unset;
  std::uint32_t object = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t page = 0;      ///< gpu, cpu; prefetch, advise: the first one
  std::uint64_t count = 0;     ///< prefetch, advise: pages; object: bytes
  std::uint64_t accesses = 1;  ///< gpu: what the visit counts for with Forest, 1 to 1,000,000
  std::uint64_t base = 0;      ///< object: device address, only its place in 2 MiB matters
  std::string name;            ///< object, kernel; what it holds for others means nothing
};

class EventSource {
 public:
  virtual ~EventSource() = default;
  /// Overwrites `out` and returns true, or returns false after the last event. Throws wg::Error.
  virtual bool next(Event& out) = 0;
  /// Where the last event stood, for messages.
  [[nodiscard]] virtual std::string where() const = 0;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void put(const Event& event) = 0;
};

/// A stream in memory.
class EventList final : public EventSink {
 public:
  void put(const Event& event) override { events_.push_back(event); }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Event> events_;
};

/// Reads a list, which must outlive it.
class ListSource final : public EventSource {
 public:
  explicit ListSource(const EventList& list) : list_(list) {}
  bool next(Event& out) override {
    if (at_ == list_.events().size()) {
      return false;
    }
    out = list_.events()[at_++];
    return true;
  }
  [[nodiscard]] std::string where() const override { return "event " + std::to_string(at_); }

 private:
  const EventList& list_;
  std::size_t at_ = 0;
};

/// Refuses events that make no sense after those before them: unknown or repeated objects, pages outside
/// their object, empty objects or ranges, time that runs backwards.
class EventCheck {
 public:
  /// Throws wg::Error at `source.where()`.
  void check(const Event& event, const EventSource& source);
  /// Of all objects so far.
  [[nodiscard]] std::uint64_t pages() const { return pages_; }

 private:
  std::vector<std::uint64_t> objects_;  ///< pages
  std::uint64_t pages_ = 0;
  std::uint64_t time_ns_ = 0;
};

/// The accesses of a whole stream, for oracle and Belady. `round` as UvmConfig::alloc_round.
Future read_future(EventSource& source, bool round);

}  // namespace wg::host::uvm
