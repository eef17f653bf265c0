// Evictors of single pages.
#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "host/uvm/evictors.hpp"
#include "host/uvm/recency.hpp"

namespace wg::host::uvm {
namespace {

bool may_go(const Memory& memory, BlockPage at, const Plan& keep) {
  return memory.chunks() ? !keep.has(at.block) : !keep.pages(at.block).test(at.page);
}

/// The page alone; with chunks, its whole block.
Victim victim(const Memory& memory, BlockPage at) {
  return {at.block, memory.chunks() ? memory.resident(at.block) : PageMask::range(at.page, at.page + 1)};
}

class LruPage final : public Evictor {
 public:
  explicit LruPage(std::uint32_t reserve) : reserve_(reserve) {}
  [[nodiscard]] bool watches() const override { return true; }
  void accessed(const Memory&, BlockPage at, std::uint64_t) override { order_.touch(id(at)); }
  void serviced(const Memory&, std::uint32_t block, const PageMask& arrived) override {
    arrived.each([&](std::uint32_t page) { order_.touch(id({block, page})); });
  }
  void left(const Memory&, std::uint32_t block, const PageMask& pages) override {
    pages.each([&](std::uint32_t page) { order_.remove(id({block, page})); });
  }
  [[nodiscard]] std::uint64_t metadata_bytes(const Memory& memory) const override {
    constexpr std::uint64_t kListEntry = 16;  // two pointers
    return memory.space().pages() * kListEntry;
  }
  void archive(Archive& archive) override { order_.archive(archive); }
  Victim choose(const Memory& memory, const Plan& keep) override {
    std::uint64_t skip = std::uint64_t{order_.size()} * reserve_ / 100;
    std::uint32_t found = Recency::kNone;
    for (std::uint32_t at = order_.first(); at != Recency::kNone; at = order_.next(at)) {
      if (may_go(memory, page(at), keep)) {
        found = found == Recency::kNone || skip == 0 ? at : found;
        if (skip == 0) {
          break;
        }
        --skip;
      }
    }
    return found == Recency::kNone ? Victim{} : victim(memory, page(found));
  }

 private:
  static std::uint32_t id(BlockPage at) { return at.block * kBlockPages + at.page; }
  static BlockPage page(std::uint32_t id) { return {id / kBlockPages, id % kBlockPages}; }
  std::uint32_t reserve_;
  Recency order_;
};

class RandomPage final : public Evictor {
 public:
  explicit RandomPage(std::uint64_t seed) : rng_(seed) {}
  void serviced(const Memory&, std::uint32_t block, const PageMask& arrived) override {
    arrived.each([&](std::uint32_t page) { pages_.push_back({block, page}); });
  }
  /// Gone pages stay in the list until they are drawn.
  void left(const Memory&, std::uint32_t, const PageMask&) override {}
  void archive(Archive& archive) override {
    archive(rng_);
    archive(pages_);
  }
  Victim choose(const Memory& memory, const Plan& keep) override {
    std::size_t refused = 0;  // pages that must stay, moved to the end of the list
    while (refused < pages_.size()) {
      const std::size_t open = pages_.size() - refused;
      const auto at = static_cast<std::size_t>(rng_.below(open));
      const BlockPage page = pages_[at];
      if (!memory.resident(page.block).test(page.page)) {
        std::swap(pages_[at], pages_[open - 1]);
        std::swap(pages_[open - 1], pages_.back());
        pages_.pop_back();
      } else if (may_go(memory, page, keep)) {
        return victim(memory, page);
      } else {
        std::swap(pages_[at], pages_[open - 1]);
        ++refused;
      }
    }
    return {};
  }

 private:
  Rng rng_;
  std::vector<BlockPage> pages_;  ///< those resident, some twice, and some that left
};

/// The page whose next use is farthest ahead (Belady 1966).
class Belady final : public Evictor {
 public:
  explicit Belady(const Future& future) : future_(future) {}
  [[nodiscard]] bool watches() const override { return true; }
  void accessed(const Memory& memory, BlockPage at, std::uint64_t tick) override {
    put(memory, at, future_.next(tick));
  }
  void serviced(const Memory& memory, std::uint32_t block, const PageMask& arrived) override {
    arrived.each([&](std::uint32_t page) {
      const BlockPage at{block, page};
      const std::uint64_t known = next_of(memory, at);
      order_.insert({known, id(at)});
    });
  }
  void left(const Memory& memory, std::uint32_t block, const PageMask& pages) override {
    pages.each([&](std::uint32_t page) {
      const BlockPage at{block, page};
      order_.erase({next_of(memory, at), id(at)});
    });
  }
  void archive(Archive& archive) override {
    archive(order_);
    archive(next_);
  }
  Victim choose(const Memory& memory, const Plan& keep) override {
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      const BlockPage page{at->second / kBlockPages, at->second % kBlockPages};
      if (may_go(memory, page, keep)) {
        return victim(memory, page);
      }
    }
    return {};
  }

 private:
  static std::uint32_t id(BlockPage at) { return at.block * kBlockPages + at.page; }
  std::uint64_t next_of(const Memory& memory, BlockPage at) {
    return id(at) < next_.size() && next_[id(at)] != kUnknown
               ? next_[id(at)]
               : future_.first(memory.space().page_number(at.block, at.page));
  }
  void put(const Memory& memory, BlockPage at, std::uint64_t next) {
    order_.erase({next_of(memory, at), id(at)});
    if (id(at) >= next_.size()) {
      next_.resize(id(at) + kBlockPages, kUnknown);
    }
    next_[id(at)] = next;
    order_.insert({next, id(at)});
  }

  static constexpr std::uint64_t kUnknown = kNotAgain - 1;
  const Future& future_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> order_;
  std::vector<std::uint64_t> next_;  ///< by block and page, after the first access
};

}  // namespace

std::unique_ptr<Evictor> make_lru_page(const PartContext& context) {
  return std::make_unique<LruPage>(context.config.reserve_percent);
}
std::unique_ptr<Evictor> make_random_page(const PartContext& context) {
  return std::make_unique<RandomPage>(context.config.seed);
}
std::unique_ptr<Evictor> make_belady(const PartContext& context) {
  if (context.future == nullptr) {
    throw Error({.where = "uvm.evictor",
                 .expected = "a page stream whose future is known",
                 .found = "belady in a run that sees it only once"});
  }
  return std::make_unique<Belady>(*context.future);
}

}  // namespace wg::host::uvm
