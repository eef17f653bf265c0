// The published tree rule: with one geometry for all objects, and with Forest's by pattern.
#include <algorithm>

#include "base/error.hpp"
#include "host/uvm/leaf_tree.hpp"
#include "host/uvm/prefetchers.hpp"

namespace wg::host::uvm {
namespace {

/// Trees lie at multiples of their span from the object's start; the last one ends with the object. A leaf
/// counts as migrated when all its pages are resident.
class LeafTrees {
 public:
  explicit LeafTrees(std::uint32_t threshold) : threshold_(threshold) {}

  void plan(const Memory& memory, const FaultGroup& group, TreeGeometry geometry, Plan& out) {
    const BlockShape at = memory.space().shape(group.block);
    std::uint64_t planned = 0;  // pages before this one have had their tree's turn
    group.faulted.each([&](std::uint32_t page) {
      if (at.first + page < planned) {
        return;
      }
      const std::uint64_t root = (at.first + page) / geometry.tree_pages * geometry.tree_pages;
      planned = root + geometry.tree_pages;
      tree(memory, group, at, geometry, root, out);
    });
  }

 private:
  void tree(const Memory& memory, const FaultGroup& group, const BlockShape& at, TreeGeometry geometry,
            std::uint64_t root, Plan& out) {
    const Object& object = memory.space().objects()[at.object];
    const std::uint64_t end = std::min(root + geometry.tree_pages, object.pages);
    leaves_.assign((end - root + geometry.leaf_pages - 1) / geometry.leaf_pages, 0);
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const std::uint64_t first = root + i * geometry.leaf_pages;
      leaves_[i] = whole(memory, object, first, std::min(first + geometry.leaf_pages, end)) ? 1 : 0;
    }
    before_ = leaves_;
    group.faulted.each([&](std::uint32_t page) {
      const std::uint64_t place = at.first + page;
      if (place >= root && place < end) {
        leaves_[(place - root) / geometry.leaf_pages] = 1;
      }
    });
    fill_tree(leaves_, threshold_);
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i] != before_[i]) {
        const std::uint64_t first = root + i * geometry.leaf_pages;
        out.add(memory.space(), at.object, first, std::min(first + geometry.leaf_pages, end));
      }
    }
  }

  /// Pages [first, end) of `object` are all resident.
  static bool whole(const Memory& memory, const Object& object, std::uint64_t first, std::uint64_t end) {
    while (first < end) {
      const BlockPage at = memory.space().locate(object, first);
      const ResidentBlock* block = memory.find(at.block);
      const auto count = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(end - first, memory.space().shape(at.block).pages - at.page));
      if (block == nullptr || block->resident.count(at.page, at.page + count) != count) {
        return false;
      }
      first += count;
    }
    return true;
  }

  std::uint32_t threshold_;
  std::vector<std::uint8_t> leaves_;
  std::vector<std::uint8_t> before_;
};

/// What trees of one geometry keep: a count of migrated leaves in each node, two bytes each.
std::uint64_t tree_bytes(std::uint64_t pages, TreeGeometry geometry) {
  constexpr std::uint64_t kCounter = 2;
  const std::uint64_t leaves = (pages + geometry.leaf_pages - 1) / geometry.leaf_pages;
  return 2 * leaves * kCounter;
}

class Tbn final : public Prefetcher {
 public:
  explicit Tbn(const config::UvmConfig& config)
      : geometry_{static_cast<std::uint32_t>(config.tree.count() / kPageBytes),
                  static_cast<std::uint32_t>(config.leaf.count() / kPageBytes)},
        trees_(config.tbn_threshold) {}
  void plan(const Memory& memory, const FaultGroup& group, Plan& out) override {
    trees_.plan(memory, group, geometry_, out);
  }
  [[nodiscard]] std::uint64_t metadata_bytes(const Memory& memory) const override {
    return tree_bytes(memory.space().pages(), geometry_);
  }

 private:
  TreeGeometry geometry_;
  LeafTrees trees_;
};

class Forest final : public Prefetcher {
 public:
  explicit Forest(const PartContext& context)
      : tracker_(*context.tracker), trees_(context.config.tbn_threshold) {}
  void plan(const Memory& memory, const FaultGroup& group, Plan& out) override {
    const std::uint32_t object = memory.space().shape(group.block).object;
    trees_.plan(memory, group, geometry_of(tracker_.pattern(object)), out);
  }
  /// Base trees have 16 KiB leaves whatever the pattern; then the tracker's tables.
  [[nodiscard]] std::uint64_t metadata_bytes(const Memory& memory) const override {
    return tree_bytes(memory.space().pages(), geometry_of(Pattern::dense_cold)) + tracker_.metadata_bytes();
  }

 private:
  const ForestTracker& tracker_;
  LeafTrees trees_;
};

/// On a fault, all pages that will be used next, in order, as many as memory holds. With chunks: as far as
/// the blocks used next fit, and only in those that have or find room, as bringing a block ahead would push
/// out one in use.
class Oracle final : public Prefetcher {
 public:
  explicit Oracle(const Future& future) : future_(future) {}
  void plan(const Memory& memory, const FaultGroup& group, Plan& out) override {
    const Space& space = memory.space();
    Plan seen = out;
    std::uint64_t left = memory.capacity();
    std::uint64_t room = memory.free();
    for (std::uint64_t tick = group.tick; tick < future_.accesses(); ++tick) {
      const std::uint64_t number = future_.page_at(tick);
      const auto& objects = space.objects();
      const auto after =
          std::upper_bound(objects.begin(), objects.end(), number,
                           [](std::uint64_t page, const Object& object) { return page < object.first_page; });
      if (number >= space.pages()) {
        break;  // of an object that does not exist yet
      }
      const Object& object = *(after - 1);
      const BlockPage at = space.locate(object, number - object.first_page);
      if (seen.pages(at.block).test(at.page)) {
        continue;
      }
      const std::uint64_t whole = space.shape(at.block).pages;
      const std::uint64_t cost = !memory.chunks() ? 1 : seen.has(at.block) ? 0 : whole;
      if (cost > left) {
        break;
      }
      left -= cost;
      const PageMask page = PageMask::range(at.page, at.page + 1);
      seen.add(at.block, page);
      if (memory.chunks() && !out.has(at.block) && memory.find(at.block) == nullptr) {
        if (whole > room) {
          continue;
        }
        room -= whole;
      }
      out.add(at.block, page);
    }
  }

 private:
  const Future& future_;
};

}  // namespace

std::unique_ptr<Prefetcher> make_tbn(const PartContext& context) {
  return std::make_unique<Tbn>(context.config);
}
std::unique_ptr<Prefetcher> make_forest(const PartContext& context) {
  return std::make_unique<Forest>(context);
}
std::unique_ptr<Prefetcher> make_oracle(const PartContext& context) {
  if (context.future == nullptr) {
    throw Error({.where = "uvm.prefetcher",
                 .expected = "a page stream whose future is known",
                 .found = "oracle in a run that sees it only once"});
  }
  return std::make_unique<Oracle>(*context.future);
}

}  // namespace wg::host::uvm
