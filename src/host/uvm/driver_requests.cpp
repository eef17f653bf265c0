// What reaches the driver besides GPU faults: CPU accesses, hints, access counters, kernel boundaries.
#include <algorithm>

#include "host/uvm/cost.hpp"
#include "host/uvm/driver.hpp"

namespace wg::host::uvm {
namespace {

constexpr std::uint64_t kAdaptiveScale = 8;  ///< UVMSmart: ts

}  // namespace

std::uint64_t UvmDriver::counter_threshold() const {
  if (config_.remote != "adaptive") {
    return config_.counters ? config_.counter_threshold : kNever;
  }
  // UVMSmart: 1 + ts * occupancy, and more once memory was full. Its count of round trips is not kept.
  const std::uint64_t occupancy = kAdaptiveScale * memory_.charged() / memory_.capacity();
  return memory_.was_full() ? kAdaptiveScale * 2 : 1 + occupancy;
}

void UvmDriver::remote_access(std::uint32_t object, BlockPage at, std::uint64_t page, std::uint64_t tick) {
  ++memory_.counters()[object].remote;
  const std::uint64_t threshold = counter_threshold();
  if (threshold == kNever) {
    return;
  }
  const std::uint64_t granule = config_.counter_granule.count() / kPageBytes;
  const Object& owner = memory_.space().objects()[object];
  const std::uint64_t first = page / granule * granule;
  std::uint32_t& count = access_counts_[(std::uint64_t{object} << 40) + page / granule];
  if (++count < threshold) {
    return;
  }
  count = 0;
  // The driver does this beside what the GPU waits for: it costs link time but no stall.
  const std::uint64_t now = now_ps_;
  Plan plan;
  plan.add(memory_.space(), object, first, std::min(first + granule, owner.pages));
  FaultGroup group;
  group.block = at.block;
  group.tick = tick;
  bring(plan, group, Cause::counter);
  for (const std::uint32_t block : plan.blocks()) {
    memory_.set_ready(block, now);
  }
  now_ps_ = now;
}

std::uint64_t UvmDriver::cpu_access(std::uint32_t object, std::uint64_t page, bool write,
                                    std::uint64_t now_ps) {
  const BlockPage at = memory_.space().locate(memory_.space().objects()[object], page);
  if (!memory_.resident(at.block).test(at.page)) {
    return now_ps;
  }
  const BlockAdvice* advice = advice_.find(at.block);
  if (!write && advice != nullptr && advice->read_mostly.test(at.page)) {
    return now_ps;
  }
  const std::uint64_t copying = copy_out(leave(at.block, PageMask::range(at.page, at.page + 1), Cause::cpu));
  thrashing_.moved(memory_.space().page_number(at.block, at.page), true, now_ps);
  out_free_ps_ = std::max(out_free_ps_, now_ps) + copying;
  return out_free_ps_ + (config_.block_ns + config_.invalidate_ns) * 1000 + config_.page_ps;
}

std::uint64_t UvmDriver::prefetch(std::uint32_t object, std::uint64_t first, std::uint64_t count,
                                  bool to_device, std::uint64_t now_ps) {
  Plan whole;
  whole.add(memory_.space(), object, first, first + count);
  now_ps_ = std::max(now_ps, free_ps_);
  batch_ = Batch{};
  evicted_from_.clear();
  for (const std::uint32_t block : whole.blocks()) {
    if (to_device) {
      Plan plan;
      plan.add(block, whole.pages(block));
      FaultGroup none;
      none.block = block;
      bring(plan, none, Cause::hint);
      memory_.set_ready(block, now_ps_);
    } else if (const PageMask here = memory_.resident(block) & whole.pages(block); here.any()) {
      now_ps_ += copy_out(leave(block, here, Cause::hint_out)) + config_.invalidate_ns * 1000;
    }
  }
  free_ps_ = now_ps_;
  return now_ps_;
}

void UvmDriver::advise(std::uint32_t object, std::uint64_t first, std::uint64_t count, Advice advice) {
  Plan range;
  range.add(memory_.space(), object, first, first + count);
  for (const std::uint32_t block : range.blocks()) {
    advice_.add(block, range.pages(block), advice);
    if (advice == Advice::preferred_gpu || advice == Advice::unset) {
      const auto remote = remote_.find(block);
      if (remote != remote_.end()) {
        remote->second -= range.pages(block);
      }
    }
  }
}

void UvmDriver::kernel(const std::string& name) {
  ++report_.kernels;
  if (tracker_) {
    tracker_->kernel(name);
  }
}

}  // namespace wg::host::uvm
