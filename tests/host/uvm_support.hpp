// Replays of generated or hand-made streams, in one call.
#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"
#include "host/uvm/generate.hpp"
#include "host/uvm/replay.hpp"

namespace wg::host::uvm {

inline constexpr std::uint64_t kMi = 1024 * 1024;

inline EventList generated(std::string_view name, const GenerateOptions& options = {}) {
  EventList list;
  generate(name, options, list);
  return list;
}

/// One object and GPU reads of its pages in this order.
inline EventList reads(std::uint64_t bytes, const std::vector<std::uint64_t>& pages, std::uint64_t base = 0) {
  EventList list;
  Event event;
  event.kind = EventKind::object;
  event.count = bytes;
  event.base = base;
  event.name = "a";
  list.put(event);
  event.kind = EventKind::gpu;
  for (const std::uint64_t page : pages) {
    event.page = page;
    list.put(event);
  }
  return list;
}

/// One fault at a time, each in a batch of its own.
inline config::UvmConfig serial(const std::string& prefetcher, const std::string& evictor = "driver") {
  config::UvmConfig config;
  config.prefetcher = prefetcher;
  config.evictor = evictor;
  config.outstanding = 1;
  return config;
}

inline UvmReport replayed(const config::UvmConfig& config, const EventList& list,
                          std::uint64_t memory = 1024 * kMi, std::vector<Batch>* batches = nullptr) {
  ListSource once(list);
  const Future future = read_future(once, config.alloc_round == "pow2-64k");
  ListSource source(list);
  ReplayOptions options;
  options.memory = Bytes{memory};
  options.future = &future;
  if (batches != nullptr) {
    options.batch_served = [batches](const Batch& batch) { batches->push_back(batch); };
  }
  return replay(config, source, options);
}

}  // namespace wg::host::uvm
