// The part that decides which pages come along with faulted ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "config/uvm.hpp"
#include "host/uvm/driver_rule.hpp"
#include "host/uvm/forest_tracker.hpp"
#include "host/uvm/future.hpp"
#include "host/uvm/memory.hpp"
#include "host/uvm/plan.hpp"

namespace wg::host::uvm {

/// The faults of one batch in one block.
struct FaultGroup {
  std::uint32_t block = 0;
  PageMask faulted;  ///< will migrate; none of them resident
  PageMask thrashing;
  Preferred preferred = Preferred::none;
  std::uint64_t tick = 0;  ///< the earliest access that waits, counted in GPU accesses
};

class Prefetcher {
 public:
  virtual ~Prefetcher() = default;
  /// Adds the pages that come along; resident and faulted ones may be among them, pages beyond the object
  /// must not.
  virtual void plan(const Memory& memory, const FaultGroup& group, Plan& out) = 0;
  /// What it remembers from decision to decision.
  virtual void archive(Archive&) {}
  /// Bytes of state that the real thing would keep.
  [[nodiscard]] virtual std::uint64_t metadata_bytes(const Memory&) const { return 0; }
};

/// What parts may look at. All of it outlives them; the pointers are null where a run has no such thing.
struct PartContext {
  const config::UvmConfig& config;
  const ForestTracker* tracker = nullptr;
  const Future* future = nullptr;
};

/// Throws wg::Error naming all prefetchers when there is none of this name, or when it needs a context that
/// is missing.
std::unique_ptr<Prefetcher> make_prefetcher(std::string_view name, const PartContext& context);
std::vector<std::string> prefetcher_names();

/// Whether a part of this name needs ForestTracker or Future.
bool needs_tracker(std::string_view part);
bool needs_future(std::string_view part);

}  // namespace wg::host::uvm
