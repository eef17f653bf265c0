// The coalescer: hand-made cases, then every field against a set of bytes for random accesses.
#include "mem/coalescer.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

#include "base/rng.hpp"

namespace wg::mem {
namespace {

constexpr LineGeometry kGeometry{128, 32};

trace::AddressForm strided(std::uint64_t base, std::int64_t stride) { return {true, base, stride, {}}; }

LineList coalesced(const trace::AddressForm& form, std::uint32_t mask, std::uint32_t width,
                   LineGeometry geometry = kGeometry) {
  LineList out;
  coalesce(form, mask, width, geometry, true, true, out);
  return out;
}

TEST(Coalescer, ConsecutiveWordsFillOneLine) {
  const LineList list = coalesced(strided(0x1000, 4), ~0U, 4);
  ASSERT_EQ(list.lines().size(), 1U);
  const LineAccess& line = list.lines()[0];
  EXPECT_EQ(line.line, 0x1000U);
  EXPECT_EQ(line.sectors, 0xF);
  EXPECT_EQ(line.full_sectors, 0xF);
  EXPECT_EQ(line.operations, 32);
  EXPECT_EQ(line.same_address, 1);
  EXPECT_EQ(list.sector_count(), 4U);
}

TEST(Coalescer, MisalignedWordsTouchAFifthSector) {
  const LineList list = coalesced(strided(0x1010, 4), ~0U, 4);
  ASSERT_EQ(list.lines().size(), 2U);
  EXPECT_EQ(list.lines()[0].sectors, 0xF);
  EXPECT_EQ(list.lines()[0].full_sectors, 0b1110);
  EXPECT_EQ(list.lines()[1].sectors, 0b0001);
  EXPECT_EQ(list.lines()[1].full_sectors, 0);
  EXPECT_EQ(list.lines()[1].operations, 4);
}

TEST(Coalescer, ABroadcastIsOneSector) {
  const LineList list = coalesced(strided(0x1044, 0), 0xFF, 4);
  ASSERT_EQ(list.lines().size(), 1U);
  EXPECT_EQ(list.lines()[0].sectors, 0b0100);
  EXPECT_EQ(list.lines()[0].operations, 8);
  EXPECT_EQ(list.lines()[0].same_address, 8);
}

TEST(Coalescer, LinesComeInTheOrderOfTheLanes) {
  const std::vector<std::uint64_t> lanes = {0x300, 0x100, 0x310, 0x200};
  const LineList list = coalesced({false, 0, 0, lanes}, 0b1111, 4);
  ASSERT_EQ(list.lines().size(), 3U);
  EXPECT_EQ(list.lines()[0].line, 0x300U);
  EXPECT_EQ(list.lines()[1].line, 0x100U);
  EXPECT_EQ(list.lines()[2].line, 0x200U);
  const LineList down = coalesced(strided(0x280, -128), 0b111, 4);
  EXPECT_EQ(down.lines()[0].line, 0x280U);
  EXPECT_EQ(down.lines()[2].line, 0x180U);
}

TEST(Coalescer, NothingForNoLanes) {
  EXPECT_TRUE(coalesced(strided(0, 4), 0, 4).lines().empty());
  EXPECT_TRUE(coalesced(strided(0, 4), ~0U, 0).lines().empty());
}

TEST(Coalescer, AnAccessWiderThanALineIsCutToIt) {
  EXPECT_EQ(coalesced(strided(8, 1024), ~0U, 255).lines().size(), 64U);
}

/// What the coalescer should say, byte by byte.
std::vector<LineAccess> brute_force(const trace::AddressForm& form, std::uint32_t lanes, std::uint32_t width,
                                    LineGeometry g) {
  std::vector<LineAccess> lines;
  std::set<std::uint64_t> bytes;
  std::map<std::uint64_t, std::uint8_t> lanes_at;
  const auto at_line = [&lines, g](std::uint64_t byte) -> LineAccess& {
    for (LineAccess& line : lines) {
      if (line.line == byte / g.line * g.line) {
        return line;
      }
    }
    lines.push_back({.line = byte / g.line * g.line});
    return lines.back();
  };
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t address = form.at(lane);
    for (std::uint64_t byte = address; byte < address + width; ++byte) {
      bytes.insert(byte);
      at_line(byte).sectors |= static_cast<std::uint8_t>(1U << (byte % g.line / g.sector));
    }
    LineAccess& line = at_line(address);
    ++line.operations;
    line.same_address = std::max(line.same_address, ++lanes_at[address]);
  }
  for (LineAccess& line : lines) {
    for (std::uint32_t sector = 0; sector < g.line / g.sector; ++sector) {
      const auto first = bytes.lower_bound(line.line + sector * g.sector);
      const auto last = bytes.lower_bound(line.line + (sector + 1) * g.sector);
      if (static_cast<std::uint32_t>(std::distance(first, last)) == g.sector) {
        line.full_sectors |= static_cast<std::uint8_t>(1U << sector);
      }
    }
  }
  return lines;
}

struct Access {
  trace::AddressForm form;
  std::vector<std::uint64_t> list;
  std::uint32_t mask = 0;
  std::uint32_t width = 4;
};

Access random_access(Rng& rng) {
  constexpr std::array<std::uint32_t, 5> kWidths = {1, 2, 4, 8, 16};
  constexpr std::array<std::int64_t, 14> kStrides = {0, 1, 2, 4, 8, 16, 32, 64, 128, -4, -8, -128, 20, 3};
  Access access;
  access.width = kWidths[rng.below(kWidths.size())];
  const std::uint64_t kind = rng.below(4);
  access.mask = kind == 0   ? ~0U
                : kind == 1 ? (1U << rng.below(32)) - 1U
                            : static_cast<std::uint32_t>(rng.next());
  const std::uint64_t align = rng.below(3) == 0 ? 1 : access.width;
  const auto place = [&](std::uint64_t range) { return 0x10000 + rng.below(range) / align * align; };
  if (rng.below(2) == 0) {
    access.form = {true, place(4096), kStrides[rng.below(kStrides.size())], {}};
    return access;
  }
  const std::uint64_t range = std::uint64_t{16} << rng.below(9);
  for (int i = 0; i < std::popcount(access.mask); ++i) {
    access.list.push_back(place(range));
  }
  access.form = {false, 0, 0, access.list};
  return access;
}

TEST(Coalescer, AgreesWithSetsOfBytes) {
  Rng rng(3);
  for (int i = 0; i < 30'000; ++i) {
    Access access = random_access(rng);
    access.form.list = access.list;
    const LineGeometry g = i % 5 == 0 ? LineGeometry{64, 16} : i % 7 == 0 ? LineGeometry{256, 32} : kGeometry;
    const auto lanes = static_cast<std::uint32_t>(std::popcount(access.mask));
    const LineList list = coalesced(access.form, access.mask, access.width, g);
    const std::vector<LineAccess> expected = brute_force(access.form, lanes, access.width, g);
    ASSERT_EQ(list.lines().size(), expected.size()) << "access " << i;
    for (std::size_t l = 0; l < expected.size(); ++l) {
      const LineAccess& line = list.lines()[l];
      ASSERT_EQ(line.line, expected[l].line) << "access " << i;
      ASSERT_EQ(line.sectors, expected[l].sectors) << "access " << i;
      ASSERT_EQ(line.full_sectors, expected[l].full_sectors) << "access " << i;
      ASSERT_EQ(line.operations, expected[l].operations) << "access " << i;
      ASSERT_EQ(line.same_address, expected[l].same_address) << "access " << i;
    }
  }
}

// --- shared memory

std::uint32_t brute_passes(const trace::AddressForm& form, std::uint32_t mask, std::uint32_t width,
                           std::uint32_t banks) {
  const std::uint32_t group = width == 16 ? 8 : width == 8 ? 16 : 32;
  std::uint32_t passes = 0;
  std::uint32_t active = 0;
  std::set<std::uint64_t> addresses;
  for (std::uint32_t first = 0; first < 32; first += group) {
    std::map<std::uint64_t, std::set<std::uint64_t>> words;  // by bank
    for (std::uint32_t lane = first; lane < first + group; ++lane) {
      if ((mask >> lane & 1) == 0) {
        continue;
      }
      const std::uint64_t address = form.at(active++);
      addresses.insert(address);
      for (std::uint64_t byte = address; byte < address + width; ++byte) {
        words[byte / 4 % banks].insert(byte / 4);
      }
    }
    std::size_t most = 0;
    for (const auto& [bank, set] : words) {
      most = std::max(most, set.size());
    }
    passes += static_cast<std::uint32_t>(most);
  }
  return addresses.size() == 1 ? 1 : passes;
}

TEST(SharedPasses, KnownPatterns) {
  EXPECT_EQ(shared_passes(strided(0, 4), ~0U, 4, 32), 1U);
  EXPECT_EQ(shared_passes(strided(0, 8), ~0U, 4, 32), 2U);
  EXPECT_EQ(shared_passes(strided(0, 12), ~0U, 4, 32), 1U);
  EXPECT_EQ(shared_passes(strided(0, 128), ~0U, 4, 32), 32U);
  EXPECT_EQ(shared_passes(strided(0, 132), ~0U, 4, 32), 1U);
  EXPECT_EQ(shared_passes(strided(64, 0), ~0U, 4, 32), 1U);
  EXPECT_EQ(shared_passes(strided(0, 8), ~0U, 8, 32), 2U);
  EXPECT_EQ(shared_passes(strided(0, 16), ~0U, 16, 32), 4U);
  EXPECT_EQ(shared_passes(strided(0, 4), 0, 4, 32), 0U);
  EXPECT_EQ(shared_passes(strided(0, 8), 0x000F'000F, 8, 32), 2U);  // a few lanes of each half warp
}

TEST(SharedPasses, AgreesWithSetsOfWords) {
  Rng rng(4);
  for (int i = 0; i < 60'000; ++i) {
    Access access = random_access(rng);
    access.form.list = access.list;
    if (access.mask == 0) {
      continue;
    }
    const std::uint32_t banks = i % 4 == 0 ? 16 : 32;
    ASSERT_EQ(shared_passes(access.form, access.mask, access.width, banks),
              brute_passes(access.form, access.mask, access.width, banks))
        << "access " << i << " width " << access.width << " mask " << access.mask << " base "
        << access.form.base << " stride " << access.form.stride;
  }
}

}  // namespace
}  // namespace wg::mem
