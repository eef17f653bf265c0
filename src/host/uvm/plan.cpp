#include "host/uvm/plan.hpp"

#include <algorithm>

namespace wg::host::uvm {

void Plan::add(const Space& space, std::uint32_t object, std::uint64_t first, std::uint64_t end) {
  const Object& owner = space.objects()[object];
  end = std::min(end, owner.pages);
  while (first < end) {
    const BlockPage at = space.locate(owner, first);
    const std::uint64_t room = space.shape(at.block).pages - at.page;
    const auto count = static_cast<std::uint32_t>(std::min(room, end - first));
    add(at.block, PageMask::range(at.page, at.page + count));
    first += count;
  }
}

}  // namespace wg::host::uvm
