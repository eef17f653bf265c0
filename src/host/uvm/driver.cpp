#include "host/uvm/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "host/uvm/cost.hpp"

namespace wg::host::uvm {
namespace {

Replay replay_of(const std::string& name) {
  return name == "block"   ? Replay::block
         : name == "batch" ? Replay::batch
         : name == "once"  ? Replay::once
                           : Replay::batch_flush;
}

std::size_t log2_class(std::uint64_t value, std::size_t classes) {
  return std::min(static_cast<std::size_t>(std::bit_width(value)) - 1, classes - 1);
}

}  // namespace

/// The faults of one batch in one block, and what is decided about them.
struct UvmDriver::Group {
  FaultGroup faults;
  std::uint32_t object = 0;
  PageMask asked;
};

UvmDriver::UvmDriver(const config::UvmConfig& config, Bytes capacity, const Future* future)
    : config_(config),
      replay_(replay_of(config.replay)),
      memory_(capacity.count() / kPageBytes, counts_in_chunks(config)),
      thrashing_(config),
      page_out_ps_(copy_ps(config, 1, false)) {
  const std::uint64_t least = memory_.chunks() ? kBlockPages : 1;
  if (memory_.capacity() < least) {
    throw Error({.where = "uvm.memory",
                 .expected = fmt::format("at least {} KiB", least * kPageBytes / 1024),
                 .found = fmt::format("{} bytes", capacity.count())});
  }
  if (needs_tracker(config.prefetcher) || needs_tracker(config.prefetcher_full) ||
      needs_tracker(config.evictor)) {
    tracker_ = std::make_unique<ForestTracker>(config_);
  }
  const PartContext context{config_, tracker_.get(), future};
  prefetcher_ = make_prefetcher(config.prefetcher, context);
  if (config.prefetcher_full != "same") {
    full_prefetcher_ = make_prefetcher(config.prefetcher_full, context);
  }
  evictor_ = make_evictor(config.evictor, context);
  watched_ = evictor_->watches();
  report_.prefetcher = config.prefetcher;
  report_.evictor = config.evictor;
  report_.memory_pages = memory_.capacity();
}

UvmDriver::~UvmDriver() = default;

std::uint32_t UvmDriver::add_object(std::string name, std::uint64_t bytes, std::uint64_t base) {
  const std::uint32_t id =
      memory_.add_object(std::move(name), bytes, base, config_.alloc_round == "pow2-64k");
  if (tracker_) {
    tracker_->add_object(memory_.space().objects()[id]);
  }
  return id;
}

Access UvmDriver::access(std::uint32_t object, std::uint64_t page, bool write, std::uint64_t tick,
                         std::uint64_t now_ps, std::uint64_t weight) {
  const BlockPage at = memory_.space().locate(memory_.space().objects()[object], page);
  ResidentBlock* block = memory_.find(at.block);
  const bool resident = block != nullptr && block->resident.test(at.page);
  if (resident && block->ready_ps > now_ps && block->arriving.test(at.page)) {
    return Access::fault;
  }
  if (!resident) {
    const auto remote = remote_.empty() ? remote_.end() : remote_.find(at.block);
    if (remote == remote_.end() || !remote->second.test(at.page)) {
      return Access::fault;
    }
  }
  tick_ = std::max(tick_, tick);
  ++memory_.counters()[object].accesses;
  if (tracker_) {
    tracker_->accessed(object, page, weight);
  }
  if (!resident) {
    now_ps_ = now_ps;
    remote_access(object, at, page, tick);
    return Access::remote;
  }
  memory_.use(*block, object, at.page, write);
  if (watched_) {
    evictor_->accessed(memory_, at, tick);
  }
  return Access::hit;
}

bool UvmDriver::push(const Fault& fault) {
  if (buffer_.size() >= config_.buffer) {
    return false;
  }
  ++memory_.counters()[fault.object].raw_faults;
  buffer_.push_back(fault);
  return true;
}

std::uint64_t UvmDriver::next_start() const { return std::max(free_ps_, buffer_.front().time_ps); }

void UvmDriver::fetch(std::uint64_t start_ps) {
  fetched_.clear();
  while (!buffer_.empty() && buffer_.front().time_ps <= start_ps && fetched_.size() < config_.batch) {
    const Fault fault = buffer_.front();
    buffer_.pop_front();
    ++batch_.raw;
    const bool again = config_.coalesce && !fetched_.empty() && fetched_.back().object == fault.object &&
                       fetched_.back().page == fault.page;
    if (again) {
      ++batch_.coalesced;
      ++memory_.counters()[fault.object].coalesced;
      fetched_.back().write = fetched_.back().write || fault.write;
    } else {
      fetched_.push_back(fault);
    }
  }
  const auto before = [](const Fault& a, const Fault& b) {
    return a.object != b.object ? a.object < b.object : a.page < b.page;
  };
  if (!std::is_sorted(fetched_.begin(), fetched_.end(), before)) {
    std::stable_sort(fetched_.begin(), fetched_.end(), before);
  }
}

const Batch& UvmDriver::service(std::uint64_t start_ps) {
  batch_ = Batch{};
  evicted_from_.clear();
  batch_.number = report_.batches++;
  batch_.start_ps = start_ps;
  report_.bottom_halves += start_ps > free_ps_ || in_bottom_half_ == 0 ? 1 : 0;
  in_bottom_half_ = start_ps > free_ps_ ? 1 : (in_bottom_half_ + 1) % config_.batches;
  now_ps_ = start_ps + config_.batch_ns * 1000;
  wake_ps_ = kNever;
  fetch(start_ps);
  report_.batch_sizes[log2_class(batch_.raw, report_.batch_sizes.size())] += 1;
  if (first_batch_) {
    now_ps_ += config_.first_fault_ns * 1000;
  }
  report_.split.batch_ps += now_ps_ - start_ps;
  const Space& space = memory_.space();
  for (std::size_t i = 0; i < fetched_.size();) {
    Group group;
    group.object = fetched_[i].object;
    const Object& object = space.objects()[group.object];
    group.faults.block = space.locate(object, fetched_[i].page).block;
    group.faults.tick = kNever;
    PageCounters& counters = memory_.counters()[group.object];
    for (; i < fetched_.size() && fetched_[i].object == group.object; ++i) {
      const BlockPage at = space.locate(object, fetched_[i].page);
      if (at.block != group.faults.block) {
        break;
      }
      const auto remote = remote_.find(at.block);
      const bool known = group.asked.test(at.page) || memory_.resident(at.block).test(at.page) ||
                         (remote != remote_.end() && remote->second.test(at.page));
      batch_.duplicates += known ? 1 : 0;
      counters.duplicates += known ? 1 : 0;
      if (!known) {
        group.asked.set(at.page);
        group.faults.tick = std::min(group.faults.tick, fetched_[i].tick);
      }
    }
    if (group.asked.any()) {
      serve(group);
    }
  }
  first_batch_ = false;
  const bool idle = batch_.mapped.empty() && wake_ps_ != kNever;
  batch_.end_ps = std::max({now_ps_, idle ? wake_ps_ : 0, start_ps + 1});
  batch_.reread_put = batch_.duplicates * 100 > batch_.raw * 50;
  for (Mapped& mapped : batch_.mapped) {
    if (replay_ != Replay::block) {
      mapped.time_ps = batch_.end_ps;
    }
    const Object& object = space.objects()[mapped.object];
    memory_.set_ready(space.locate(object, mapped.first).block, mapped.time_ps);
  }
  report_.service_ps += now_ps_ - start_ps;
  free_ps_ = batch_.end_ps;
  const std::uint64_t wanted = memory_.capacity() * config_.free_percent / 100;
  if (memory_.free() < wanted) {
    Plan fresh;  // what the GPU has not had the chance to use
    for (const Mapped& mapped : batch_.mapped) {
      fresh.add(space, mapped.object, mapped.first, mapped.first + mapped.count);
    }
    while (memory_.free() < wanted && evict_one(fresh, true)) {
    }
  }
  return batch_;
}

void UvmDriver::sort_out(Group& group) {
  const BlockAdvice* advice = advice_.find(group.faults.block);
  PageCounters& counters = memory_.counters()[group.object];
  group.asked.each([&](std::uint32_t page) {
    const std::uint64_t number =
        thrashing_.idle() ? 0 : memory_.space().page_number(group.faults.block, page);
    const Thrashing::Hint hint = thrashing_.idle() ? Thrashing::Hint::none : thrashing_.hint(number, now_ps_);
    if (hint == Thrashing::Hint::throttle) {
      ++counters.throttles;
      wake_ps_ = std::min(wake_ps_, thrashing_.nap_end(number));
    } else if (goes_remote(group.faults.block, page, hint)) {
      counters.pins += hint == Thrashing::Hint::pin ? 1 : 0;
      remote_[group.faults.block].set(page);
      ++counters.unique_faults;
      ++batch_.unique;
      const std::uint64_t first = memory_.space().shape(group.faults.block).first;
      batch_.mapped.push_back({group.object, first + page, 1, now_ps_});
    } else {
      group.faults.faulted.set(page);
      thrashing_.moved(number, false, now_ps_);
    }
  });
  if (!thrashing_.idle()) {
    for (std::uint32_t page = 0; page < memory_.space().shape(group.faults.block).pages; ++page) {
      if (thrashing_.marked(memory_.space().page_number(group.faults.block, page), now_ps_)) {
        group.faults.thrashing.set(page);
      }
    }
  }
  if (advice != nullptr && (advice->preferred_gpu & group.faults.faulted).any()) {
    group.faults.preferred = Preferred::destination;
  }
}

bool UvmDriver::goes_remote(std::uint32_t block, std::uint32_t page, Thrashing::Hint hint) const {
  const BlockAdvice* advice = advice_.find(block);
  const bool advised =
      advice != nullptr && (advice->preferred_cpu.test(page) || advice->accessed_by.test(page));
  return advised || hint == Thrashing::Hint::pin || config_.remote == "always" ||
         config_.remote == "adaptive" || (config_.remote == "oversubscribed" && memory_.was_full());
}

void UvmDriver::serve(Group& group) {
  ++report_.block_services;
  ++batch_.blocks;
  now_ps_ += config_.block_ns * 1000;
  report_.split.block_ps += config_.block_ns * 1000;
  sort_out(group);
  const std::uint32_t faulted = group.faults.faulted.count();
  if (faulted == 0) {
    return;
  }
  memory_.counters()[group.object].unique_faults += faulted;
  batch_.unique += faulted;
  if (!memory_.touched_before(group.faults.block) && !first_batch_) {
    now_ps_ += config_.new_block_ns * 1000;
    report_.split.block_ps += config_.new_block_ns * 1000;
  }
  now_ps_ += config_.fault_ns * 1000 * faulted;
  report_.split.page_ps += config_.fault_ns * 1000 * faulted;
  Plan plan;
  plan.add(group.faults.block, group.faults.faulted);
  prefetcher().plan(memory_, group.faults, plan);
  bring(plan, group.faults, Cause::prefetch);
}

Prefetcher& UvmDriver::prefetcher() {
  return full_prefetcher_ && memory_.was_full() ? *full_prefetcher_ : *prefetcher_;
}

void UvmDriver::bring(const Plan& plan, const FaultGroup& group, Cause extra) {
  for (const std::uint32_t block : plan.blocks()) {
    const PageMask faulted = block == group.block ? group.faulted - memory_.resident(block) : PageMask();
    PageMask fits = make_room(block, faulted, plan);
    if (fits != faulted) {
      // What the plan wants is in the way of what the GPU waits for.
      Plan least;
      least.add(block, faulted);
      fits = make_room(block, faulted, least);
    }
    copy_in(block, fits, Cause::fault);
    PageMask missing = plan.pages(block) - memory_.resident(block) - faulted;
    const auto remote = remote_.find(block);
    if (remote != remote_.end() && extra == Cause::prefetch) {
      missing -= remote->second;
    }
    const PageMask more = make_room(block, missing, plan);
    copy_in(block, more, extra);
    if ((fits | more).any() || memory_.find(block) != nullptr) {
      evictor_->serviced(memory_, block, fits | more);
    }
    const BlockShape shape = memory_.space().shape(block);
    (fits | more).each_run([&](const PageRun& run) {
      batch_.mapped.push_back({shape.object, shape.first + run.first, run.count, now_ps_});
    });
  }
}

/// Evicts until `pages` of the block fit. Returns those that do.
PageMask UvmDriver::make_room(std::uint32_t block, const PageMask& pages, const Plan& keep) {
  while (memory_.cost(block, pages) > memory_.free()) {
    if (!evict_one(keep, false)) {
      if (memory_.chunks()) {
        return {};
      }
      PageMask fits;
      std::uint64_t left = memory_.free();
      pages.each([&](std::uint32_t page) {
        if (left > 0) {
          fits.set(page);
          --left;
        }
      });
      return fits;
    }
  }
  return pages;
}

/// A background eviction takes only the link's time.
bool UvmDriver::evict_one(const Plan& keep, bool background) {
  const Victim victim = evictor_->choose(memory_, keep);
  if (victim.pages.none()) {
    return false;
  }
  const PageMask copied = leave(victim.block, victim.pages, Cause::eviction);
  const std::uint64_t copying = copy_out(copied);
  ++report_.evictions;
  ++batch_.evictions;
  batch_.evicted_pages += victim.pages.count();
  const std::uint64_t before = now_ps_;
  // Unmapping and shootdown are of address ranges: once for all that leaves a block in one batch.
  const bool first =
      std::find(evicted_from_.begin(), evicted_from_.end(), victim.block) == evicted_from_.end();
  const std::uint64_t unmapping = first ? (config_.evict_ns + config_.invalidate_ns) * 1000 : 0;
  if (first) {
    evicted_from_.push_back(victim.block);
  }
  if (background) {
    out_free_ps_ = std::max(out_free_ps_, now_ps_) + copying;
  } else if (config_.duplex) {
    now_ps_ += unmapping;
    out_free_ps_ = std::max(out_free_ps_, now_ps_) + copying;
  } else {
    now_ps_ = std::max(now_ps_, out_free_ps_) + unmapping + copying;
    out_free_ps_ = now_ps_;
  }
  report_.split.evict_ps += now_ps_ - before;
  if (tell_unmapped_) {
    const BlockShape shape = memory_.space().shape(victim.block);
    victim.pages.each_run([&](const PageRun& run) {
      batch_.unmapped.push_back({shape.object, shape.first + run.first, run.count, before});
    });
  }
  return true;
}

PageMask UvmDriver::leave(std::uint32_t block, const PageMask& pages, Cause cause) {
  const BlockAdvice* advice = advice_.find(block);
  const PageMask twice = advice == nullptr ? PageMask() : pages & advice->read_mostly;
  PageMask copied;
  if (twice.any()) {
    copied |= memory_.leave(block, twice, cause, tick_, false);
  }
  if ((pages - twice).any()) {
    copied |= memory_.leave(block, pages - twice, cause, tick_,
                            cause != Cause::eviction || config_.write_back_clean);
  }
  evictor_->left(memory_, block, pages);
  return copied;
}

void UvmDriver::copy_in(std::uint32_t block, const PageMask& pages, Cause cause) {
  if (pages.none()) {
    return;
  }
  std::uint64_t copying = 0;
  std::uint32_t runs = 0;
  pages.each_run([&](const PageRun& run) {
    copying += copy_ps(config_, run.count, true);
    report_.run_sizes[log2_class(run.count, report_.run_sizes.size())] += 1;
    ++runs;
  });
  const std::uint64_t handling = config_.page_ps * pages.count();
  now_ps_ += handling + copying;
  now_ps_ = config_.duplex ? std::max(now_ps_, out_free_ps_) : now_ps_;
  report_.split.page_ps += handling;
  report_.split.copy_in_ps += copying;
  report_.link_in_ps += copying;
  report_.transfers_in += runs;
  batch_.transfers_in += runs;
  (cause == Cause::fault ? batch_.fault_pages : batch_.prefetch_pages) += pages.count();
  const auto remote = remote_.find(block);
  if (remote != remote_.end()) {
    remote->second -= pages;
  }
  memory_.arrive(block, pages, cause, tick_, kNever);
}

std::uint64_t UvmDriver::copy_out(const PageMask& pages) {
  std::uint64_t copying = 0;
  std::uint32_t runs = 0;
  pages.each_run([&](const PageRun& run) {
    copying += run.count == 1 ? page_out_ps_ : copy_ps(config_, run.count, false);
    ++runs;
  });
  report_.transfers_out += runs;
  report_.link_out_ps += copying;
  batch_.transfers_out += runs;
  return copying;
}

std::uint64_t UvmDriver::flush(std::uint64_t until_ps) {
  std::uint64_t count = 0;
  while (!buffer_.empty() && buffer_.front().time_ps <= until_ps) {
    ++memory_.counters()[buffer_.front().object].flushed;
    buffer_.pop_front();
    ++count;
  }
  return count;
}

UvmReport UvmDriver::report(std::uint64_t now_ps) const {
  UvmReport out = report_;
  const Space& space = memory_.space();
  std::vector<PageCounters> counters = memory_.counters();
  memory_.each([&](const ResidentBlock& block) {
    counters[space.shape(block.block).object].end_unused += (block.resident - block.used).count();
    out.end_pages += block.resident.count();
  });
  out.chunk_waste_pages = memory_.charged() - out.end_pages;
  out.peak_pages = memory_.peak();
  out.footprint_pages = space.pages();
  out.evictor_bytes = evictor_->metadata_bytes(memory_);
  out.prefetcher_bytes = prefetcher_->metadata_bytes(memory_);
  out.time_ps = now_ps;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const Object& object = space.objects()[i];
    const std::string pattern =
        tracker_ ? std::string(name_of(tracker_->pattern(static_cast<std::uint32_t>(i)))) : "";
    out.objects.push_back({object.name, object.bytes, pattern, counters[i]});
    out.total += counters[i];
  }
  out.stall_ps = out.total.stall_ps;
  return out;
}

}  // namespace wg::host::uvm
