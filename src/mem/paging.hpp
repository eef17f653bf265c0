// Managed memory as SMs see it, and what SMs and the host tell each other about its pages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace wg::mem {

inline constexpr std::uint32_t kPageShift = 12;  ///< pages of 4 KiB

/// SM -> host: a fault entry, or the news that a resident page is used.
struct PageEvent {
  std::uint64_t arrival = 0;    ///< ps since the kernel began
  std::uint64_t page = 0;       ///< address >> kPageShift
  std::uint64_t waited_ps = 0;  ///< use: how long the instruction had waited for the page
  std::uint32_t sequence = 0;
  std::uint16_t source = 0;  ///< SM
  bool fault = false;
  bool write = false;
};

/// Host -> SMs: try again what waits for pages.
struct PageReplay {
  std::uint64_t arrival = 0;
  std::uint32_t sequence = 0;
  std::uint16_t source = 0;
  bool evicted = false;  ///< pages have left since the last one: forget translations and L1 contents
};

/// From `time_ps` on, `count` pages from `page` are (not) on the device.
struct PageChange {
  std::uint64_t time_ps = 0;
  std::uint64_t page = 0;
  std::uint64_t count = 0;
  bool resident = false;
};

/// Which managed pages are on the device at a given time. All SMs read one view while an epoch runs; between
/// epochs the engine adds changes, which lie in the future of all of them.
class PageView {
 public:
  /// Pages [first, end) are managed, none of them resident. Ranges do not overlap.
  void manage(std::uint64_t first, std::uint64_t end) {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), first,
                         [](std::uint64_t page, const Range& range) { return page < range.first; });
    ranges_.insert(after, {first, end, bits_});
    bits_ += end - first;
    words_.resize((bits_ + 63) / 64);
  }
  /// No page is resident and no change is to come.
  void clear() {
    std::fill(words_.begin(), words_.end(), 0);
    pending_.clear();
  }
  /// At once. The pages begin in one managed range; those beyond its end, which an allocation rounded up may
  /// have, nobody touches.
  void set(std::uint64_t page, std::uint64_t count, bool resident) {
    const Range* range = find(page);
    if (range == nullptr) {
      return;
    }
    count = std::min(count, range->end - page);
    for (std::uint64_t bit = range->bit + page - range->first; count > 0; ++bit, --count) {
      const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
      words_[bit / 64] = resident ? words_[bit / 64] | mask : words_[bit / 64] & ~mask;
    }
  }
  /// Changes to come, in order of time and after all earlier ones.
  void add(std::span<const PageChange> changes) {
    pending_.insert(pending_.end(), changes.begin(), changes.end());
  }
  /// Nobody asks any more for a time before `now_ps`.
  void settle(std::uint64_t now_ps) {
    std::size_t done = 0;
    for (; done < pending_.size() && pending_[done].time_ps <= now_ps; ++done) {
      set(pending_[done].page, pending_[done].count, pending_[done].resident);
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(done));
  }

  enum class State : std::uint8_t { unmanaged, resident, absent };
  [[nodiscard]] State state(std::uint64_t page, std::uint64_t now_ps) const {
    const Range* range = find(page);
    if (range == nullptr) {
      return State::unmanaged;
    }
    const std::uint64_t bit = range->bit + page - range->first;
    bool here = (words_[bit / 64] >> (bit % 64) & 1) != 0;
    for (const PageChange& change : pending_) {
      if (change.time_ps > now_ps) {
        break;
      }
      here = page - change.page < change.count ? change.resident : here;
    }
    return here ? State::resident : State::absent;
  }

 private:
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    std::uint64_t bit = 0;  ///< of its first page
  };
  [[nodiscard]] const Range* find(std::uint64_t page) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), page,
                         [](std::uint64_t at, const Range& range) { return at < range.first; });
    return after == ranges_.begin() || page >= (after - 1)->end ? nullptr : &*(after - 1);
  }

  std::vector<Range> ranges_;  ///< by first page
  std::vector<std::uint64_t> words_;
  std::uint64_t bits_ = 0;
  std::vector<PageChange> pending_;
};

}  // namespace wg::mem
