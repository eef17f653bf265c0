// Pages that one decision wants on the device, by block, in the order in which they were asked for.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/uvm/space.hpp"

namespace wg::host::uvm {

class Plan {
 public:
  void add(std::uint32_t block, const PageMask& pages) {
    if (pages.any()) {
      if (masks_.find(block) == masks_.end()) {
        order_.push_back(block);
      }
      masks_[block] |= pages;
    }
  }
  /// Pages [first, end) of an object; what lies beyond it is left out.
  void add(const Space& space, std::uint32_t object, std::uint64_t first, std::uint64_t end);
  void clear() {
    masks_.clear();
    order_.clear();
  }

  [[nodiscard]] const std::vector<std::uint32_t>& blocks() const { return order_; }
  /// Empty for a block that is not in the plan.
  [[nodiscard]] PageMask pages(std::uint32_t block) const {
    const auto at = masks_.find(block);
    return at == masks_.end() ? PageMask() : at->second;
  }
  [[nodiscard]] bool has(std::uint32_t block) const { return masks_.find(block) != masks_.end(); }

 private:
  std::unordered_map<std::uint32_t, PageMask> masks_;
  std::vector<std::uint32_t> order_;
};

}  // namespace wg::host::uvm
