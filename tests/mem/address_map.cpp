#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/rng.hpp"
#include "mem/partition.hpp"
#include "mem/partition_rig.hpp"

namespace wg::mem {
namespace {

config::Machine machine_of(std::uint32_t channels, std::uint32_t slices_per_channel,
                           std::uint64_t interleave = 256) {
  config::Machine machine = test::small_machine();
  machine.dram.channels = channels;
  machine.l2.slices_per_channel = slices_per_channel;
  machine.l2.interleave = Bytes{interleave};
  return machine;
}

TEST(AddressMap, AddressIsTheInverseOfPlace) {
  for (const std::uint32_t channels : {1U, 3U, 5U, 24U, 32U, 40U}) {
    for (const std::uint32_t slices : {1U, 2U, 3U}) {
      for (const std::uint64_t interleave : {256U, 512U, 768U}) {
        const AddressMap map(machine_of(channels, slices, interleave));
        Rng rng(channels * 100 + slices);
        for (int i = 0; i < 2000; ++i) {
          const std::uint64_t address = rng.next() >> (7 + rng.below(50));
          const Place place = map.place(address);
          ASSERT_LT(place.channel, channels);
          ASSERT_LT(place.slice, slices);
          ASSERT_EQ(map.address(place), address);
        }
      }
    }
  }
}

TEST(AddressMap, PlacesOfARangeAreDenseInEverySlice) {
  constexpr std::uint64_t kInterleave = 256;
  const AddressMap map(machine_of(5, 2));
  const std::uint64_t groups = 40;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> places;
  for (std::uint64_t block = 0; block < groups * 10; ++block) {
    const Place place = map.place(block * kInterleave);
    EXPECT_LT(place.local, groups * kInterleave);
    places.insert({place.channel, place.slice, place.local});
  }
  EXPECT_EQ(places.size(), groups * 10);
}

TEST(AddressMap, ABlockStaysTogether) {
  const AddressMap map(machine_of(7, 2));
  const Place first = map.place(0x7f0000012300);
  for (std::uint64_t offset = 0; offset < 256; ++offset) {
    const Place place = map.place(0x7f0000012300 + offset);
    EXPECT_EQ(place.channel, first.channel);
    EXPECT_EQ(place.slice, first.slice);
    EXPECT_EQ(place.local, first.local + offset);
  }
}

/// Highest load of a slice over the mean, for accesses `stride` apart.
double spread(std::uint32_t channels, std::uint32_t slices_per_channel, std::uint64_t stride) {
  const config::Machine machine = machine_of(channels, slices_per_channel);
  const AddressMap map(machine);
  std::vector<std::uint64_t> load(machine.slices());
  const std::uint64_t accesses = 64 * load.size();
  for (std::uint64_t i = 0; i < accesses; ++i) {
    const Place place = map.place(0x7f0000000000 + i * stride);
    ++load[place.channel * slices_per_channel + place.slice];
  }
  return static_cast<double>(*std::max_element(load.begin(), load.end())) / 64;
}

TEST(AddressMap, PowerOfTwoStridesSpreadOverEverySlice) {
  for (const std::uint32_t channels : {5U, 6U, 8U, 10U, 12U, 20U, 24U, 32U, 40U, 48U}) {
    for (const std::uint32_t slices : {1U, 2U}) {
      for (unsigned log = 7; log <= 26; ++log) {
        EXPECT_LT(spread(channels, slices, std::uint64_t{1} << log), 1.3)
            << channels << " channels of " << slices << " slices, stride 2^" << log;
      }
    }
  }
}

TEST(AddressMap, AMappingWithoutTheTurnWouldNotSpread) {
  // Guards the test above: with plain modulo a stride of slices * interleave stays in one slice.
  EXPECT_LT(spread(8, 1, 8 * 256), 1.3);
  const AddressMap map(machine_of(8, 1));
  std::set<std::uint32_t> channels;
  for (std::uint64_t i = 0; i < 64; ++i) {
    channels.insert(map.channel(i * 8 * 256));
  }
  EXPECT_EQ(channels.size(), 8U);
}

}  // namespace
}  // namespace wg::mem
