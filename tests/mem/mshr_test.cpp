// Miss status holding registers: who waits for what, in which order; then random use against a plain list.
#include "mem/mshr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/rng.hpp"

namespace wg::mem {
namespace {

std::vector<std::pair<std::uint32_t, std::uint8_t>> arrive(MshrFile& file, std::uint64_t line,
                                                           std::uint8_t sectors) {
  std::vector<MshrFile::Woken> woken;
  file.arrive(line, sectors, woken);
  std::vector<std::pair<std::uint32_t, std::uint8_t>> out;
  for (const MshrFile::Woken& w : woken) {
    out.emplace_back(w.operation, w.sectors);
  }
  return out;
}

using Woken = std::vector<std::pair<std::uint32_t, std::uint8_t>>;

TEST(Mshr, AnswersEveryWaiterForItsSectorsOnce) {
  MshrFile file(4);
  EXPECT_TRUE(file.wait(128, 0b0011, 7));
  EXPECT_TRUE(file.wait(128, 0b0110, 9));
  EXPECT_EQ(file.in_flight(128), 0b0111);
  EXPECT_EQ(file.in_flight(256), 0);
  EXPECT_EQ(file.used(), 1U);
  EXPECT_EQ(arrive(file, 128, 0b0010), (Woken{{7, 0b0010}, {9, 0b0010}}));
  EXPECT_EQ(arrive(file, 128, 0b0100), (Woken{{9, 0b0100}}));
  EXPECT_EQ(file.used(), 1U);
  EXPECT_EQ(arrive(file, 128, 0b0001), (Woken{{7, 0b0001}}));
  EXPECT_EQ(file.used(), 0U);
}

TEST(Mshr, AFullFileTakesOnlyLinesItHas) {
  MshrFile file(2);
  EXPECT_TRUE(file.wait(0, 1, 1));
  EXPECT_TRUE(file.wait(128, 1, 2));
  EXPECT_TRUE(file.full());
  EXPECT_FALSE(file.wait(256, 1, 3));
  EXPECT_EQ(file.in_flight(256), 0);
  EXPECT_TRUE(file.wait(128, 2, 4));
  EXPECT_EQ(arrive(file, 0, 1), (Woken{{1, 1}}));
  EXPECT_TRUE(file.wait(256, 1, 3));
}

TEST(Mshr, AnArrivalThatNobodyWaitsForChangesNothing) {
  MshrFile file(2);
  EXPECT_TRUE(file.wait(0, 1, 1));
  EXPECT_TRUE(arrive(file, 128, 0xF).empty());
  EXPECT_TRUE(arrive(file, 0, 0b1110).empty());
  EXPECT_EQ(file.used(), 1U);
}

TEST(Mshr, AgreesWithAPlainList) {
  struct Waiter {
    std::uint32_t operation;
    std::uint8_t sectors;
  };
  for (const std::uint32_t entries : {1U, 3U, 16U, 100U}) {
    MshrFile file(entries);
    std::map<std::uint64_t, std::vector<Waiter>> model;
    Rng rng(entries);
    for (std::uint32_t i = 0; i < 50'000; ++i) {
      const std::uint64_t line = rng.below(entries * 2) * 128 * (1 + rng.below(3));
      const auto sectors = static_cast<std::uint8_t>(1 + rng.below(15));
      if (rng.below(2) == 0) {
        const bool room = model.contains(line) || model.size() < entries;
        ASSERT_EQ(file.wait(line, sectors, i), room);
        if (room) {
          model[line].push_back({i, sectors});
        }
      } else {
        Woken expected;
        const auto entry = model.find(line);
        if (entry != model.end()) {
          for (Waiter& waiter : entry->second) {
            const auto now = static_cast<std::uint8_t>(waiter.sectors & sectors);
            if (now != 0) {
              expected.emplace_back(waiter.operation, now);
            }
            waiter.sectors = static_cast<std::uint8_t>(waiter.sectors & ~sectors);
          }
          std::erase_if(entry->second, [](const Waiter& w) { return w.sectors == 0; });
          if (entry->second.empty()) {
            model.erase(entry);
          }
        }
        ASSERT_EQ(arrive(file, line, sectors), expected) << "step " << i;
      }
      ASSERT_EQ(file.used(), model.size());
      ASSERT_EQ(file.full(), model.size() == entries);
    }
  }
}

}  // namespace
}  // namespace wg::mem
