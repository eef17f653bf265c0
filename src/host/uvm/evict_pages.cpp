// Evictors of single pages, and Forest's.
#include <algorithm>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "host/uvm/evictors.hpp"
#include "host/uvm/leaf_tree.hpp"
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

/// Of the least recent object the leaf that holds its least recently accessed page. A page counts as accessed
/// when it arrives: without that, leaves just brought would go first.
class Forest final : public Evictor {
 public:
  explicit Forest(const ForestTracker& tracker) : tracker_(tracker) {}
  void serviced(const Memory& memory, std::uint32_t block, const PageMask& arrived) override {
    const std::uint32_t object = memory.space().shape(block).object;
    if (object >= blocks_.size()) {
      blocks_.resize(object + 1);
      arrivals_.resize(object + 1);
    }
    if (arrived.any()) {
      blocks_[object].insert(block);
      std::vector<std::uint32_t>& stamps = arrivals_[object];
      stamps.resize(memory.space().objects()[object].pages);
      const std::uint64_t first = memory.space().shape(block).first;
      arrived.each([&](std::uint32_t page) { stamps[first + page] = tracker_.now(object); });
    }
  }
  void left(const Memory& memory, std::uint32_t block, const PageMask&) override {
    if (memory.find(block) == nullptr) {
      blocks_[memory.space().shape(block).object].erase(block);
    }
  }
  /// The access-time register of each page; the rest is the tracker's.
  [[nodiscard]] std::uint64_t metadata_bytes(const Memory& memory) const override {
    return memory.space().pages() * sizeof(std::uint32_t);
  }
  void archive(Archive& archive) override {
    archive(blocks_);
    archive(arrivals_);
  }
  Victim choose(const Memory& memory, const Plan& keep) override {
    std::vector<std::uint32_t> objects;
    for (std::uint32_t object = 0; object < blocks_.size(); ++object) {
      objects.push_back(object);
    }
    std::stable_sort(objects.begin(), objects.end(), [&](std::uint32_t a, std::uint32_t b) {
      return tracker_.recency(a) < tracker_.recency(b);
    });
    for (const std::uint32_t object : objects) {
      const Victim found = oldest_leaf(memory, keep, object);
      if (found.pages.any()) {
        return found;
      }
    }
    return {};
  }

 private:
  Victim oldest_leaf(const Memory& memory, const Plan& keep, std::uint32_t object) const {
    std::uint32_t best = std::numeric_limits<std::uint32_t>::max();
    BlockPage oldest;
    PageMask able;
    for (const std::uint32_t block : blocks_[object]) {
      const PageMask here =
          memory.chunks() && keep.has(block) ? PageMask() : memory.resident(block) - keep.pages(block);
      const std::uint64_t first = memory.space().shape(block).first;
      here.each([&](std::uint32_t page) {
        const std::uint32_t stamp =
            std::max(tracker_.stamp(object, first + page), arrivals_[object][first + page]);
        if (able.none() || stamp < best) {
          best = stamp;
          oldest = {block, page};
          able = here;
        }
      });
    }
    if (able.none() || memory.chunks()) {
      return {oldest.block, able};
    }
    const TreeGeometry geometry = geometry_of(tracker_.pattern(object));
    return {oldest.block, swept(memory, oldest.block, able, oldest.page, geometry)};
  }
  /// The leaf of `page`, and the part of its tree in this block that then is less than half full.
  static PageMask swept(const Memory& memory, std::uint32_t block, const PageMask& able, std::uint32_t page,
                        TreeGeometry geometry) {
    const std::uint32_t tree = std::min(geometry.tree_pages, kBlockPages);
    const std::uint32_t root = page / tree * tree;
    const std::uint32_t end = std::min(root + tree, memory.space().shape(block).pages);
    const PageMask resident = memory.resident(block);
    const auto leaf_at = [&](std::size_t i) {
      const std::uint32_t from = root + static_cast<std::uint32_t>(i) * geometry.leaf_pages;
      return PageMask::range(from, std::min(from + geometry.leaf_pages, end));
    };
    std::vector<std::uint8_t> set((end - root + geometry.leaf_pages - 1) / geometry.leaf_pages);
    std::vector<std::uint8_t> fixed(set.size());
    for (std::size_t i = 0; i < set.size(); ++i) {
      set[i] = (resident & leaf_at(i)).any() ? 1 : 0;
      fixed[i] = set[i] != 0 && (able & leaf_at(i)).none() ? 1 : 0;
    }
    set[(page - root) / geometry.leaf_pages] = 0;
    empty_tree(set, fixed);
    PageMask out;
    for (std::size_t i = 0; i < set.size(); ++i) {
      out |= set[i] == 0 ? able & leaf_at(i) : PageMask();
    }
    return out;
  }

  const ForestTracker& tracker_;
  std::vector<std::set<std::uint32_t>> blocks_;       ///< resident ones, by object
  std::vector<std::vector<std::uint32_t>> arrivals_;  ///< by object and page
};

}  // namespace

std::unique_ptr<Evictor> make_lru_page(const PartContext& context) {
  return std::make_unique<LruPage>(context.config.reserve_percent);
}
std::unique_ptr<Evictor> make_random_page(const PartContext& context) {
  return std::make_unique<RandomPage>(context.config.seed);
}
std::unique_ptr<Evictor> make_forest_evictor(const PartContext& context) {
  return std::make_unique<Forest>(*context.tracker);
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
