// Prefetchers without state of their own.
#include <algorithm>

#include "base/rng.hpp"
#include "host/uvm/prefetchers.hpp"

namespace wg::host::uvm {
namespace {

class None final : public Prefetcher {
 public:
  void plan(const Memory&, const FaultGroup&, Plan&) override {}
};

/// The aligned piece of the object around each fault.
class Piece final : public Prefetcher {
 public:
  explicit Piece(std::uint64_t pages) : pages_(pages) {}
  void plan(const Memory& memory, const FaultGroup& group, Plan& out) override {
    const BlockShape at = memory.space().shape(group.block);
    group.faulted.each([&](std::uint32_t page) {
      const std::uint64_t first = (at.first + page) / pages_ * pages_;
      out.add(memory.space(), at.object, first, first + pages_);
    });
  }

 private:
  std::uint64_t pages_;
};

/// The fault's page and those behind it.
class Window final : public Prefetcher {
 public:
  explicit Window(std::uint64_t pages) : pages_(pages) {}
  void plan(const Memory& memory, const FaultGroup& group, Plan& out) override {
    const BlockShape at = memory.space().shape(group.block);
    group.faulted.each([&](std::uint32_t page) {
      out.add(memory.space(), at.object, at.first + page, at.first + page + pages_);
    });
  }

 private:
  std::uint64_t pages_;
};

/// One more page of the same block, if the one drawn is not there yet.
class Random final : public Prefetcher {
 public:
  explicit Random(std::uint64_t seed) : rng_(seed) {}
  void plan(const Memory& memory, const FaultGroup& group, Plan& out) override {
    const std::uint32_t pages = memory.space().shape(group.block).pages;
    const PageMask resident = memory.resident(group.block);
    group.faulted.each([&](std::uint32_t) {
      const auto page = static_cast<std::uint32_t>(rng_.below(pages));
      if (!resident.test(page)) {
        out.add(group.block, PageMask::range(page, page + 1));
      }
    });
  }
  void archive(Archive& archive) override { archive(rng_); }

 private:
  Rng rng_;
};

class WholeBlock final : public Prefetcher {
 public:
  void plan(const Memory& memory, const FaultGroup& group, Plan& out) override {
    out.add(group.block, PageMask::range(0, memory.space().shape(group.block).pages));
  }
};

}  // namespace

std::unique_ptr<Prefetcher> make_none(const PartContext&) { return std::make_unique<None>(); }
std::unique_ptr<Prefetcher> make_sequential(const PartContext& context) {
  return std::make_unique<Piece>(context.config.leaf.count() / kPageBytes);
}
std::unique_ptr<Prefetcher> make_window(const PartContext& context) {
  return std::make_unique<Window>(context.config.window.count() / kPageBytes);
}
std::unique_ptr<Prefetcher> make_random(const PartContext& context) {
  return std::make_unique<Random>(context.config.seed);
}
std::unique_ptr<Prefetcher> make_whole_block(const PartContext&) { return std::make_unique<WholeBlock>(); }

}  // namespace wg::host::uvm
