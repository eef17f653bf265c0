// NVIDIA's prefetcher: the rule of driver_rule.hpp and its count of faults per block.
#include <unordered_map>

#include "host/uvm/prefetchers.hpp"

namespace wg::host::uvm {
namespace {

class TbnDriver final : public Prefetcher {
 public:
  explicit TbnDriver(const config::UvmConfig& config)
      : rule_{config.threshold, config.clamp_fix}, min_faults_(config.min_faults) {}

  void plan(const Memory& memory, const FaultGroup& group, Plan& out) override {
    if (min_faults_ > 1) {
      std::uint32_t& faults = faults_[group.block];
      faults += group.faulted.count();
      if (faults < min_faults_) {
        return;
      }
    }
    const BlockShape shape = memory.space().shape(group.block);
    BlockView view;
    view.start = shape.start;
    view.pages = shape.pages;
    view.faulted = group.faulted;
    view.resident = memory.resident(group.block);
    view.thrashing = group.thrashing;
    view.resident_anywhere = memory.touched_before(group.block);
    view.preferred = group.preferred;
    out.add(group.block, decide(rule_, view));
  }
  /// A counter and a destination for each resident block; the tree lives only during a decision.
  [[nodiscard]] std::uint64_t metadata_bytes(const Memory& memory) const override {
    std::uint64_t blocks = 0;
    memory.each([&](const ResidentBlock&) { ++blocks; });
    return blocks * 4;
  }

 private:
  DriverRule rule_;
  std::uint32_t min_faults_;
  std::unordered_map<std::uint32_t, std::uint32_t> faults_;
};

}  // namespace

std::unique_ptr<Prefetcher> make_tbn_driver(const PartContext& context) {
  return std::make_unique<TbnDriver>(context.config);
}

}  // namespace wg::host::uvm
