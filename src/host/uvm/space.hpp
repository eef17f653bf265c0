// Managed allocations and the 2 MiB blocks they are cut into.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/uvm/page_mask.hpp"

namespace wg::host::uvm {

struct Object {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t pages = 0;       ///< pages that exist, rounding included
  std::uint64_t first_page = 0;  ///< number of its first page among the pages of all objects
  std::uint32_t start = 0;       ///< pages from the 2 MiB boundary to the object
  std::uint32_t first_block = 0;
  std::uint32_t blocks = 0;
};

/// A page as its block and its place in it.
struct BlockPage {
  std::uint32_t block = 0;
  std::uint32_t page = 0;
};

struct BlockShape {
  std::uint32_t object = 0;
  std::uint32_t start = 0;            ///< pages from the 2 MiB boundary
  std::uint32_t pages = kBlockPages;  ///< never beyond the next boundary
  std::uint64_t first = 0;            ///< the object's page at the block's page 0
};

class Space {
 public:
  /// `round` makes a last piece below 2 MiB 64 KiB x 2^i long, as CUDA and UVMSmart do. `bytes` > 0.
  std::uint32_t add(std::string name, std::uint64_t bytes, std::uint64_t base = 0, bool round = false);

  [[nodiscard]] const std::vector<Object>& objects() const { return objects_; }
  [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(owners_.size()); }
  [[nodiscard]] std::uint64_t pages() const { return pages_; }
  [[nodiscard]] BlockPage locate(const Object& object, std::uint64_t page) const {
    const std::uint64_t place = page + object.start;
    const auto block = static_cast<std::uint32_t>(place / kBlockPages);
    const std::uint64_t in_block = block == 0 ? page : place % kBlockPages;
    return {object.first_block + block, static_cast<std::uint32_t>(in_block)};
  }
  [[nodiscard]] BlockShape shape(std::uint32_t block) const;
  /// Number among the pages of all objects.
  [[nodiscard]] std::uint64_t page_number(std::uint32_t block, std::uint32_t page) const {
    const BlockShape at = shape(block);
    return objects_[at.object].first_page + at.first + page;
  }

 private:
  std::vector<Object> objects_;
  std::vector<std::uint32_t> owners_;  ///< object of each block
  std::uint64_t pages_ = 0;
};

}  // namespace wg::host::uvm
