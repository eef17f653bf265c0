#include <bit>
#include <cassert>
#include <stdexcept>

#include "trace/workload.hpp"

namespace wg::trace {

void CtaTrace::clear() {
  index = {};
  insts.clear();
  warps.clear();
  addresses.clear();
}

void CtaTrace::add_strided(DynInst& inst, std::uint64_t base, std::int64_t stride) {
  assert(addresses.size() < (std::size_t{1} << 31) - 2);
  inst.address = static_cast<std::uint32_t>(addresses.size()) * 2;
  addresses.push_back(base);
  addresses.push_back(static_cast<std::uint64_t>(stride));
}

void CtaTrace::add_list(DynInst& inst, std::span<const std::uint64_t> lanes) {
  assert(lanes.size() == static_cast<std::size_t>(std::popcount(inst.mask)));
  assert(addresses.size() < (std::size_t{1} << 31) - 1);
  inst.address = static_cast<std::uint32_t>(addresses.size()) * 2 + 1;
  addresses.insert(addresses.end(), lanes.begin(), lanes.end());
}

isa::RawInst CtaDecoder::spelling(std::uint32_t /*index*/) const {
  throw std::logic_error("a kernel whose instructions have no spelling");
}

AddressForm CtaTrace::form(const DynInst& inst) const {
  assert(inst.address != DynInst::kNoAddress);
  const std::uint64_t* const at = addresses.data() + inst.address / 2;
  if (inst.address % 2 != 0) {
    return {false, 0, 0, {at, static_cast<std::size_t>(std::popcount(inst.mask))}};
  }
  return {true, at[0], static_cast<std::int64_t>(at[1]), {}};
}

}  // namespace wg::trace
