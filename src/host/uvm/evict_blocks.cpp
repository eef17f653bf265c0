// Evictors that order blocks by recency: whole blocks, and leaves of the least recent one.
#include <algorithm>

#include "host/uvm/evictors.hpp"
#include "host/uvm/leaf_tree.hpp"
#include "host/uvm/recency.hpp"

namespace wg::host::uvm {
namespace {

constexpr std::uint64_t kListEntry = 16;  // two pointers

/// What may go of a block: all of it or nothing when memory counts chunks.
PageMask evictable(const Memory& memory, std::uint32_t block, const Plan& keep) {
  if (memory.chunks() && keep.has(block)) {
    return {};
  }
  return memory.resident(block) - keep.pages(block);
}

/// The least recent block with something to give, after passing over `reserve_percent` of the list.
std::uint32_t least_recent(const Recency& order, const Memory& memory, const Plan& keep,
                           std::uint32_t reserve_percent) {
  std::uint64_t skip = std::uint64_t{order.size()} * reserve_percent / 100;
  std::uint32_t fallback = Recency::kNone;
  for (std::uint32_t block = order.first(); block != Recency::kNone; block = order.next(block)) {
    if (evictable(memory, block, keep).none()) {
      continue;
    }
    if (skip == 0) {
      return block;
    }
    fallback = fallback == Recency::kNone ? block : fallback;
    --skip;
  }
  return fallback;
}

/// Whole blocks; by fault (the driver) or by access.
class Blocks final : public Evictor {
 public:
  Blocks(bool by_access, std::uint32_t reserve) : by_access_(by_access), reserve_(reserve) {}
  void accessed(const Memory&, BlockPage at, std::uint64_t) override { order_.touch(at.block); }
  [[nodiscard]] bool watches() const override { return by_access_; }
  void serviced(const Memory&, std::uint32_t block, const PageMask&) override { order_.touch(block); }
  void left(const Memory& memory, std::uint32_t block, const PageMask&) override {
    if (memory.find(block) == nullptr) {
      order_.remove(block);
    }
  }
  [[nodiscard]] std::uint64_t metadata_bytes(const Memory& memory) const override {
    return memory.space().blocks() * kListEntry;
  }
  void archive(Archive& archive) override { order_.archive(archive); }
  Victim choose(const Memory& memory, const Plan& keep) override {
    const std::uint32_t block = least_recent(order_, memory, keep, reserve_);
    return block == Recency::kNone ? Victim{} : Victim{block, evictable(memory, block, keep)};
  }

 private:
  bool by_access_;
  std::uint32_t reserve_;
  Recency order_;
};

/// Leaves: the least recently accessed one of the least recently accessed block, alone or with the part of
/// its tree that then is less than half full.
class Leaves final : public Evictor {
 public:
  Leaves(bool tree, const config::UvmConfig& config)
      : tree_(tree),
        leaf_(static_cast<std::uint32_t>(
            std::min<std::uint64_t>(config.leaf.count() / kPageBytes, kBlockPages))),
        reserve_(config.reserve_percent) {}
  [[nodiscard]] bool watches() const override { return true; }
  void accessed(const Memory&, BlockPage at, std::uint64_t) override {
    order_.touch(at.block);
    stamp(at.block, at.page / leaf_);
  }
  void serviced(const Memory&, std::uint32_t block, const PageMask& arrived) override {
    order_.touch(block);
    for (std::uint32_t first = 0; first < kBlockPages; first += leaf_) {
      if (arrived.any(first, first + leaf_)) {
        stamp(block, first / leaf_);
      }
    }
  }
  void left(const Memory& memory, std::uint32_t block, const PageMask&) override {
    if (memory.find(block) == nullptr) {
      order_.remove(block);
    }
  }
  [[nodiscard]] std::uint64_t metadata_bytes(const Memory& memory) const override {
    return memory.space().blocks() * (kListEntry + kBlockPages / leaf_ * sizeof(std::uint64_t));
  }
  void archive(Archive& archive) override {
    order_.archive(archive);
    archive(stamps_);
    archive(clock_);
  }
  Victim choose(const Memory& memory, const Plan& keep) override {
    const std::uint32_t block = least_recent(order_, memory, keep, reserve_);
    if (block == Recency::kNone) {
      return {};
    }
    const PageMask able = evictable(memory, block, keep);
    if (memory.chunks()) {
      return {block, able};
    }
    const std::uint32_t leaves = kBlockPages / leaf_;
    std::uint32_t oldest = leaves;
    for (std::uint32_t i = 0; i < leaves; ++i) {
      if (able.any(i * leaf_, (i + 1) * leaf_) &&
          (oldest == leaves || stamps_[block * leaves + i] < stamps_[block * leaves + oldest])) {
        oldest = i;
      }
    }
    return {block, tree_ ? swept(memory, block, able, oldest)
                         : able & PageMask::range(oldest * leaf_, (oldest + 1) * leaf_)};
  }

 private:
  void stamp(std::uint32_t block, std::uint32_t leaf) {
    const std::size_t at = std::size_t{block} * (kBlockPages / leaf_) + leaf;
    if (at >= stamps_.size()) {
      stamps_.resize(at + kBlockPages / leaf_);
    }
    stamps_[at] = ++clock_;
  }
  PageMask swept(const Memory& memory, std::uint32_t block, const PageMask& able, std::uint32_t victim) {
    const std::uint32_t pages = memory.space().shape(block).pages;
    const PageMask resident = memory.resident(block);
    std::vector<std::uint8_t> set((pages + leaf_ - 1) / leaf_);
    std::vector<std::uint8_t> fixed(set.size());
    for (std::uint32_t i = 0; i < set.size(); ++i) {
      const PageMask leaf = PageMask::range(i * leaf_, std::min((i + 1) * leaf_, kBlockPages));
      set[i] = (resident & leaf).any() ? 1 : 0;
      fixed[i] = (able & leaf).none() && set[i] != 0 ? 1 : 0;
    }
    set[victim] = 0;
    empty_tree(set, fixed);
    PageMask out;
    for (std::uint32_t i = 0; i < set.size(); ++i) {
      if (set[i] == 0) {
        out |= able & PageMask::range(i * leaf_, std::min((i + 1) * leaf_, kBlockPages));
      }
    }
    return out;
  }

  bool tree_;
  std::uint32_t leaf_;
  std::uint32_t reserve_;
  Recency order_;
  std::vector<std::uint64_t> stamps_;  ///< by block and leaf
  std::uint64_t clock_ = 0;
};

}  // namespace

std::unique_ptr<Evictor> make_driver_evictor(const PartContext& context) {
  return std::make_unique<Blocks>(false, context.config.reserve_percent);
}
std::unique_ptr<Evictor> make_lru(const PartContext& context) {
  return std::make_unique<Blocks>(true, context.config.reserve_percent);
}
std::unique_ptr<Evictor> make_tbne(const PartContext& context) {
  return std::make_unique<Leaves>(true, context.config);
}
std::unique_ptr<Evictor> make_sequential_local(const PartContext& context) {
  return std::make_unique<Leaves>(false, context.config);
}

}  // namespace wg::host::uvm
