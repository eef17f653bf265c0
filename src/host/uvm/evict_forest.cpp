// Forest's evictor: objects out of use first, then the oldest leaf as its object counts time.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "host/uvm/evictors.hpp"
#include "host/uvm/leaf_tree.hpp"
#include "host/uvm/recency.hpp"

namespace wg::host::uvm {
namespace {

constexpr std::uint32_t kUnitPages = 4;  ///< the smallest leaf, 16 KiB
constexpr std::uint32_t kBlockUnits = kBlockPages / kUnitPages;

/// Objects without an access among the last `uvm.forest_idle` accesses of the GPU go first, the least recent
/// before the others. Objects in use are compared by their oldest leaves: that of the object which has had
/// most accesses since goes. A leaf is as old as its last access or arrival.
class Forest final : public Evictor {
 public:
  Forest(const ForestTracker& tracker, std::uint64_t idle) : tracker_(tracker), idle_(idle) {}
  [[nodiscard]] bool watches() const override { return true; }
  void accessed(const Memory& memory, BlockPage at, std::uint64_t) override {
    touch(memory, at.block, at.page / kUnitPages);
  }
  void serviced(const Memory& memory, std::uint32_t block, const PageMask& arrived) override {
    for (std::uint32_t unit = 0; unit < kBlockUnits; ++unit) {
      if ((arrived & pages_of(unit)).any()) {
        touch(memory, block, unit);
      }
    }
  }
  void left(const Memory& memory, std::uint32_t block, const PageMask& pages) override {
    const std::uint32_t object = memory.space().shape(block).object;
    const PageMask resident = memory.resident(block);
    for (std::uint32_t unit = 0; unit < kBlockUnits; ++unit) {
      if ((pages & pages_of(unit)).any() && (resident & pages_of(unit)).none()) {
        objects_[object].order.remove(id(memory, object, block, unit));
      }
    }
  }
  /// The access-time register of each page; the rest is the tracker's.
  [[nodiscard]] std::uint64_t metadata_bytes(const Memory& memory) const override {
    return memory.space().pages() * sizeof(std::uint32_t);
  }
  void archive(Archive& archive) override {
    std::uint64_t count = objects_.size();
    archive(count);
    objects_.resize(count);
    for (Units& object : objects_) {
      object.order.archive(archive);
      archive(object.used);
    }
  }
  Victim choose(const Memory& memory, const Plan& keep) override {
    std::optional<Leaf> best;
    bool best_idle = false;
    std::uint64_t best_age = 0;
    for (std::uint32_t object = 0; object < objects_.size(); ++object) {
      const std::uint64_t unused = tracker_.clock() - tracker_.recency(object);
      const bool idle = unused > idle_ || idle_ == 0;
      if (best && best_idle && (!idle || unused <= best_age)) {
        continue;
      }
      const std::optional<Leaf> leaf = oldest_leaf(memory, keep, object);
      if (!leaf) {
        continue;
      }
      const std::uint64_t age = idle ? unused : tracker_.accesses(object) - leaf->used;
      if (!best || idle > best_idle || age > best_age) {
        best = leaf;
        best_idle = idle;
        best_age = age;
      }
    }
    if (!best) {
      return {};
    }
    const PageMask able = able_of(memory, keep, best->block);
    if (memory.chunks()) {
      return {best->block, able};
    }
    const std::uint32_t object = memory.space().shape(best->block).object;
    return {best->block, swept(memory, best->block, able, best->page, geometry_of(tracker_.pattern(object)))};
  }

 private:
  /// Units of 16 KiB of an object, numbered through its blocks.
  struct Units {
    Recency order;                    ///< those with a resident page
    std::vector<std::uint64_t> used;  ///< accesses to the object at each one's last access or arrival
  };
  struct Leaf {
    std::uint32_t block = 0;
    std::uint32_t page = 0;  ///< one of its pages
    std::uint64_t used = 0;
  };

  static PageMask pages_of(std::uint32_t unit) {
    return PageMask::range(unit * kUnitPages, (unit + 1) * kUnitPages);
  }
  static std::uint32_t id(const Memory& memory, std::uint32_t object, std::uint32_t block,
                          std::uint32_t unit) {
    return (block - memory.space().objects()[object].first_block) * kBlockUnits + unit;
  }
  static PageMask able_of(const Memory& memory, const Plan& keep, std::uint32_t block) {
    return memory.chunks() && keep.has(block) ? PageMask() : memory.resident(block) - keep.pages(block);
  }
  void touch(const Memory& memory, std::uint32_t block, std::uint32_t unit) {
    const std::uint32_t object = memory.space().shape(block).object;
    if (object >= objects_.size()) {
      objects_.resize(object + 1);
    }
    Units& units = objects_[object];
    const std::uint32_t at = id(memory, object, block, unit);
    units.order.touch(at);
    if (at >= units.used.size()) {
      units.used.resize(at + 1);
    }
    units.used[at] = tracker_.accesses(object);
  }

  /// Walks from the oldest unit on; the first leaf of which no unit is left is the one whose last use is
  /// longest ago.
  std::optional<Leaf> oldest_leaf(const Memory& memory, const Plan& keep, std::uint32_t object) const {
    const Units& units = objects_[object];
    const std::uint32_t first_block = memory.space().objects()[object].first_block;
    const std::uint32_t leaf_units = geometry_of(tracker_.pattern(object)).leaf_pages / kUnitPages;
    std::unordered_map<std::uint32_t, std::uint32_t> left;  // units still to come, by leaf
    for (std::uint32_t at = units.order.first(); at != Recency::kNone; at = units.order.next(at)) {
      const std::uint32_t block = first_block + at / kBlockUnits;
      const PageMask able = able_of(memory, keep, block);
      const std::uint32_t unit = at % kBlockUnits;
      if ((able & pages_of(unit)).none()) {
        continue;
      }
      const std::uint32_t leaf = unit / leaf_units * leaf_units;
      const auto [found, fresh] = left.try_emplace(at - unit + leaf, 0);
      if (fresh) {
        for (std::uint32_t other = leaf; other < leaf + leaf_units; ++other) {
          found->second += (able & pages_of(other)).any() ? 1U : 0U;
        }
      }
      if (--found->second == 0) {
        return Leaf{block, unit * kUnitPages, units.used[at]};
      }
    }
    return {};
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
  std::uint64_t idle_;
  std::vector<Units> objects_;
};

}  // namespace

std::unique_ptr<Evictor> make_forest_evictor(const PartContext& context) {
  return std::make_unique<Forest>(*context.tracker, context.config.forest_idle);
}

}  // namespace wg::host::uvm
