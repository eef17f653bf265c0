// What a driver remembers from kernel to kernel, as bytes and back; and what copies of the program do to it.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "host/uvm/driver.hpp"

namespace wg::host::uvm {

void refuse_two_sizes(const config::UvmConfig& config) {
  if (config.oversubscription != 0 && config.memory.count() != 0) {
    throw Error({.where = "uvm.oversubscription",
                 .expected = "this or uvm.memory, not both",
                 .found = fmt::format("uvm.memory of {} bytes as well", config.memory.count())});
  }
}

void UvmDriver::install(std::uint32_t object, std::uint64_t first, std::uint64_t count,
                        std::uint64_t now_ps) {
  Plan whole;
  whole.add(memory_.space(), object, first, first + count);
  for (const std::uint32_t block : whole.blocks()) {
    PageMask missing = whole.pages(block) - memory_.resident(block);
    if (memory_.cost(block, missing) > memory_.free()) {
      PageMask fits;
      std::uint64_t left = memory_.chunks() ? 0 : memory_.free();
      missing.each([&](std::uint32_t page) {
        if (left > 0) {
          fits.set(page);
          --left;
        }
      });
      missing = fits;
    }
    if (missing.any()) {
      memory_.arrive(block, missing, Cause::hint, tick_, now_ps);
      evictor_->serviced(memory_, block, missing);
    }
  }
}

void UvmDriver::link_taken(bool to_device, std::uint64_t until_ps) {
  std::uint64_t& free = to_device ? free_ps_ : out_free_ps_;
  free = std::max(free, until_ps);
}

void UvmDriver::empty() {
  std::vector<std::uint32_t> blocks;
  memory_.each([&](const ResidentBlock& at) { blocks.push_back(at.block); });
  for (const std::uint32_t block : blocks) {
    const PageMask pages = memory_.resident(block);
    memory_.leave(block, pages, Cause::hint_out, tick_, false);
    evictor_->left(memory_, block, pages);
  }
}

void UvmDriver::archive(Archive& archive) {
  memory_.archive(archive);
  if (tracker_) {
    tracker_->archive(archive);
  }
  prefetcher_->archive(archive);
  if (full_prefetcher_) {
    full_prefetcher_->archive(archive);
  }
  evictor_->archive(archive);
  thrashing_.archive(archive);
  archive(remote_);
  archive(access_counts_);
  archive(tick_);
  archive(free_ps_);
  archive(out_free_ps_);
  archive(in_bottom_half_);
  archive(first_batch_);
  report_.archive(archive);
}

}  // namespace wg::host::uvm
