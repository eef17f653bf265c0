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
    if (pages.none()) {
      return;
    }
    std::size_t at = find(block);
    if (at == kNone) {
      at = order_.size();
      order_.push_back(block);
      masks_.emplace_back();
      if (order_.size() > kFew) {
        index();
      }
    }
    masks_[at] |= pages;
  }
  /// Pages [first, end) of an object; what lies beyond it is left out.
  void add(const Space& space, std::uint32_t object, std::uint64_t first, std::uint64_t end);
  void clear() {
    order_.clear();
    masks_.clear();
    places_.clear();
  }

  [[nodiscard]] const std::vector<std::uint32_t>& blocks() const { return order_; }
  /// Empty for a block that is not in the plan.
  [[nodiscard]] PageMask pages(std::uint32_t block) const {
    const std::size_t at = find(block);
    return at == kNone ? PageMask() : masks_[at];
  }
  [[nodiscard]] bool has(std::uint32_t block) const { return find(block) != kNone; }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::size_t kFew = 8;  ///< blocks that are looked through one by one

  [[nodiscard]] std::size_t find(std::uint32_t block) const {
    if (!places_.empty()) {
      const auto at = places_.find(block);
      return at == places_.end() ? kNone : at->second;
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (order_[i] == block) {
        return i;
      }
    }
    return kNone;
  }
  void index() {
    for (std::size_t i = places_.size(); i < order_.size(); ++i) {
      places_[order_[i]] = i;
    }
  }

  std::vector<std::uint32_t> order_;
  std::vector<PageMask> masks_;                            ///< as order_
  std::unordered_map<std::uint32_t, std::size_t> places_;  ///< empty while there are few
};

}  // namespace wg::host::uvm
