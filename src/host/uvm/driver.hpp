// The fault service of the UVM driver: fault buffer, batches, prefetch, eviction, mapping, replay.
//
// Whoever has GPU accesses drives it: `access` asks the page table, `push` writes a fault entry, `service`
// works off one batch. The stream replay does so, and a cycle-level machine can. Times are picoseconds on one
// clock that must not run backwards; ticks count GPU accesses.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/archive.hpp"
#include "host/uvm/advice.hpp"
#include "host/uvm/evictor.hpp"
#include "host/uvm/thrashing.hpp"

namespace wg::host::uvm {

/// Throws wg::Error when both uvm.memory and uvm.oversubscription say how large the device is.
void refuse_two_sizes(const config::UvmConfig& config);

enum class Access : std::uint8_t { hit, remote, fault };
enum class Replay : std::uint8_t { block, batch, batch_flush, once };

/// An entry of the fault buffer.
struct Fault {
  std::uint64_t time_ps = 0;
  std::uint64_t tick = 0;
  std::uint64_t page = 0;  ///< of the object
  std::uint32_t object = 0;
  bool write = false;
};

/// A run of pages of one block that became usable.
struct Mapped {
  std::uint32_t object = 0;
  std::uint64_t first = 0;  ///< page of the object
  std::uint32_t count = 0;
  std::uint64_t time_ps = 0;
};

/// What one batch did.
struct Batch {
  std::uint64_t number = 0;
  std::uint64_t start_ps = 0;
  std::uint64_t end_ps = 0;
  std::uint32_t raw = 0, coalesced = 0, duplicates = 0, unique = 0;
  std::uint32_t blocks = 0;
  std::uint32_t fault_pages = 0, prefetch_pages = 0;
  std::uint32_t evictions = 0, evicted_pages = 0;
  std::uint32_t transfers_in = 0, transfers_out = 0;
  bool reread_put = false;       ///< many duplicates: a flush looks again for the newest entry
  std::vector<Mapped> mapped;    ///< in the order of service
  std::vector<Mapped> unmapped;  ///< evicted, in order, with when they go; only after tell_unmapped()
};

class UvmDriver {
 public:
  /// `capacity` of device memory for managed pages. `future` is for the parts that know it and outlives the
  /// driver. Throws wg::Error for a part that does not exist or lacks what it needs, or too little memory.
  UvmDriver(const config::UvmConfig& config, Bytes capacity, const Future* future = nullptr);
  ~UvmDriver();
  UvmDriver(const UvmDriver&) = delete;
  UvmDriver& operator=(const UvmDriver&) = delete;

  /// `bytes` > 0; `base` is a device address, of which only the place in its 2 MiB matters.
  std::uint32_t add_object(std::string name, std::uint64_t bytes, std::uint64_t base = 0);

  /// The GPU's view of a page at `now_ps`. Counts and records the access unless the answer is `fault`;
  /// Forest's tracker takes it for `weight` accesses.
  Access access(std::uint32_t object, std::uint64_t page, bool write, std::uint64_t tick,
                std::uint64_t now_ps, std::uint64_t weight = 1);
  /// False when the buffer is full: try again after a batch.
  bool push(const Fault& fault);
  [[nodiscard]] bool pending() const { return !buffer_.empty(); }
  /// When the next batch can begin; there must be one pending.
  [[nodiscard]] std::uint64_t next_start() const;
  /// Works off the batch that begins at `start_ps`, next_start() or later. Valid until the next call.
  const Batch& service(std::uint64_t start_ps);
  /// From now on batches say which pages they evict.
  void tell_unmapped() { tell_unmapped_ = true; }
  /// Discards entries written until `until_ps`. Returns how many.
  std::uint64_t flush(std::uint64_t until_ps);
  [[nodiscard]] Replay replay() const { return replay_; }

  /// The CPU touches a page. Returns when it can go on.
  std::uint64_t cpu_access(std::uint32_t object, std::uint64_t page, bool write, std::uint64_t now_ps);
  /// cudaMemPrefetchAsync. Returns when it is done.
  std::uint64_t prefetch(std::uint32_t object, std::uint64_t first, std::uint64_t count, bool to_device,
                         std::uint64_t now_ps);
  /// cudaMemAdvise.
  void advise(std::uint32_t object, std::uint64_t first, std::uint64_t count, Advice advice);
  /// A copy by the program wrote these pages at `now_ps`: as many as fit without an eviction are on the
  /// device now, the others stay on the host.
  void install(std::uint32_t object, std::uint64_t first, std::uint64_t count, std::uint64_t now_ps);
  /// The program's own copies take the link until `until_ps`.
  void link_taken(bool to_device, std::uint64_t until_ps);
  /// When the link to the device (to the host) is free, as far as is known.
  [[nodiscard]] std::uint64_t link_free(bool to_device) const { return to_device ? free_ps_ : out_free_ps_; }
  /// All pages leave without a trace in the history, as if the run began here.
  void empty();
  /// Writes the state, or reads one that a driver with the same configuration and objects wrote.
  void archive(Archive& archive);
  void kernel(const std::string& name);

  [[nodiscard]] const Memory& memory() const { return memory_; }
  void stalled(std::uint32_t object, std::uint64_t ps) { memory_.counters()[object].stall_ps += ps; }
  /// An access has waited this long for its page.
  void waited(std::uint32_t object, std::uint64_t ps) { memory_.counters()[object].wait_ps += ps; }
  /// Everything counted so far; `now_ps` is the run's end.
  [[nodiscard]] UvmReport report(std::uint64_t now_ps) const;

 private:
  struct Group;
  void fetch(std::uint64_t start_ps);
  void serve(Group& group);
  void sort_out(Group& group);
  void bring(const Plan& plan, const FaultGroup& group, Cause extra);
  PageMask make_room(std::uint32_t block, const PageMask& pages, const Plan& keep);
  bool evict_one(const Plan& keep, bool background);
  void copy_in(std::uint32_t block, const PageMask& pages, Cause cause);
  std::uint64_t copy_out(const PageMask& pages);
  bool goes_remote(std::uint32_t block, std::uint32_t page, Thrashing::Hint hint) const;
  void remote_access(std::uint32_t object, BlockPage at, std::uint64_t page, std::uint64_t tick);
  [[nodiscard]] std::uint64_t counter_threshold() const;
  Prefetcher& prefetcher();
  PageMask leave(std::uint32_t block, const PageMask& pages, Cause cause);

  config::UvmConfig config_;
  Replay replay_;
  Memory memory_;
  std::unique_ptr<ForestTracker> tracker_;
  std::unique_ptr<Prefetcher> prefetcher_;
  std::unique_ptr<Prefetcher> full_prefetcher_;
  std::unique_ptr<Evictor> evictor_;
  bool watched_ = false;
  bool tell_unmapped_ = false;
  Thrashing thrashing_;
  std::uint64_t page_out_ps_;  ///< copy of one page to the host
  AdviceTable advice_;
  std::unordered_map<std::uint32_t, PageMask> remote_;              ///< mapped over the link, by block
  std::unordered_map<std::uint64_t, std::uint32_t> access_counts_;  ///< by granule of the page number
  std::deque<Fault> buffer_;
  std::vector<Fault> fetched_;
  Batch batch_;
  std::vector<std::uint32_t> evicted_from_;  ///< blocks, in this batch or hint
  std::uint64_t now_ps_ = 0;                 ///< inside a service
  std::uint64_t tick_ = 0;                   ///< of the last access
  std::uint64_t free_ps_ = 0;                ///< when the driver is done with its last batch
  std::uint64_t out_free_ps_ = 0;            ///< when the engine to the host is free
  std::uint64_t wake_ps_ = 0;                ///< earliest end of a nap in this batch
  std::uint32_t in_bottom_half_ = 0;
  bool first_batch_ = true;
  UvmReport report_;
};

}  // namespace wg::host::uvm
