// What the program said about ranges of its memory.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "host/uvm/space.hpp"

namespace wg::host::uvm {

enum class Advice : std::uint8_t { preferred_gpu, preferred_cpu, accessed_by, read_mostly, unset };

struct BlockAdvice {
  PageMask preferred_gpu;
  PageMask preferred_cpu;
  PageMask accessed_by;
  PageMask read_mostly;
};

class AdviceTable {
 public:
  void add(std::uint32_t block, const PageMask& pages, Advice advice) {
    BlockAdvice& at = blocks_[block];
    if (advice == Advice::preferred_gpu || advice == Advice::preferred_cpu || advice == Advice::unset) {
      at.preferred_gpu -= pages;
      at.preferred_cpu -= pages;
    }
    if (advice == Advice::unset) {
      at.accessed_by -= pages;
      at.read_mostly -= pages;
      return;
    }
    (advice == Advice::preferred_gpu   ? at.preferred_gpu
     : advice == Advice::preferred_cpu ? at.preferred_cpu
     : advice == Advice::accessed_by   ? at.accessed_by
                                       : at.read_mostly) |= pages;
  }
  /// nullptr for a block without advice.
  [[nodiscard]] const BlockAdvice* find(std::uint32_t block) const {
    const auto at = blocks_.find(block);
    return at == blocks_.end() ? nullptr : &at->second;
  }

 private:
  std::unordered_map<std::uint32_t, BlockAdvice> blocks_;
};

}  // namespace wg::host::uvm
