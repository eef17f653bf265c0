#include "mem/partition.hpp"

namespace wg::mem {

// Blocks of `interleave` bytes are dealt out in groups of one block per slice. Inside a group the slices are
// rotated by frac(group * alpha) * slices: multiples of a badly approximable alpha are spread evenly over [0,
// 1) whatever their stride, which a random hash is not. This alpha was picked among 1,500 random ones for the
// smallest load of the fullest slice over strides of (1, 3, 5) * 2^7..2^26 and 16 slice counts from 5 to 160.

AddressMap::AddressMap(const config::Machine& machine)
    : interleave_(machine.l2.interleave.count()),
      slices_(machine.slices()),
      channels_(machine.dram.channels) {}

std::uint64_t AddressMap::turn(std::uint64_t group) const {
  return (group * 0x6DE2CF8C046306F1ULL >> 32) * slices_.divisor() >> 32;
}

Place AddressMap::place(std::uint64_t address) const {
  const std::uint64_t block = interleave_.quotient(address);
  const std::uint64_t group = slices_.quotient(block);
  std::uint64_t slice = block - group * slices_.divisor() + turn(group);
  slice -= slice >= slices_.divisor() ? slices_.divisor() : 0;
  const std::uint64_t in_channel = channels_.quotient(slice);
  return {static_cast<std::uint32_t>(slice - in_channel * channels_.divisor()),
          static_cast<std::uint32_t>(in_channel),
          group * interleave_.divisor() + (address - block * interleave_.divisor())};
}

std::uint64_t AddressMap::address(const Place& place) const {
  const std::uint64_t group = interleave_.quotient(place.local);
  const std::uint64_t offset = place.local - group * interleave_.divisor();
  const std::uint64_t slice = place.slice * channels_.divisor() + place.channel;
  const std::uint64_t shift = turn(group);
  const std::uint64_t index = slice >= shift ? slice - shift : slice + slices_.divisor() - shift;
  return (group * slices_.divisor() + index) * interleave_.divisor() + offset;
}

}  // namespace wg::mem
