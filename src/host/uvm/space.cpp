#include "host/uvm/space.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace wg::host::uvm {
namespace {

std::uint64_t rounded(std::uint64_t pages) {
  const std::uint64_t rest = pages % kBlockPages;
  if (rest == 0) {
    return pages;
  }
  const std::uint64_t big = (rest + kBigPages - 1) / kBigPages;
  return pages - rest + std::bit_ceil(big) * kBigPages;
}

}  // namespace

std::uint32_t Space::add(std::string name, std::uint64_t bytes, std::uint64_t base, bool round) {
  Object object;
  object.name = std::move(name);
  object.bytes = bytes;
  object.pages = (bytes + kPageBytes - 1) / kPageBytes;
  object.pages = round ? rounded(object.pages) : object.pages;
  object.start = static_cast<std::uint32_t>(base / kPageBytes % kBlockPages);
  object.first_page = pages_;
  object.first_block = blocks();
  object.blocks = static_cast<std::uint32_t>((object.start + object.pages + kBlockPages - 1) / kBlockPages);
  pages_ += object.pages;
  const auto id = static_cast<std::uint32_t>(objects_.size());
  owners_.insert(owners_.end(), object.blocks, id);
  objects_.push_back(std::move(object));
  return id;
}

BlockShape Space::shape(std::uint32_t block) const {
  BlockShape out;
  out.object = owners_[block];
  const Object& object = objects_[out.object];
  const std::uint64_t index = block - object.first_block;
  out.start = index == 0 ? object.start : 0;
  out.first = index == 0 ? 0 : index * kBlockPages - object.start;
  out.pages =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(kBlockPages - out.start, object.pages - out.first));
  return out;
}

}  // namespace wg::host::uvm
