// The threads of an epoch: every piece of work once, one barrier, exceptions.
#include "gpu/pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wg::gpu {
namespace {

TEST(Pool, DoesEveryPieceOnceAndMeetsAtTheEnd) {
  for (const std::uint32_t threads : {1U, 2U, 3U, 7U}) {
    Pool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    std::vector<int> done(200, 0);  // plain integers: the barrier must order their accesses
    int rounds = 0;
    for (const std::size_t count : {0U, 1U, 7U, 8U, 100U, 200U}) {
      for (int repeat = 0; repeat < 100; ++repeat) {
        std::fill(done.begin(), done.end(), 0);
        pool.run(count, [&done](std::size_t i) { ++done[i]; });
        for (std::size_t i = 0; i < done.size(); ++i) {
          ASSERT_EQ(done[i], i < count ? 1 : 0);
        }
        ++rounds;
      }
    }
    EXPECT_EQ(rounds, 600);
  }
}

TEST(Pool, TheFirstPieceThatThrowsWinsAndTheOthersAreStillDone) {
  for (const std::uint32_t threads : {1U, 4U}) {
    Pool pool(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<int> done(64, 0);
      std::string what;
      try {
        pool.run(64, [&done](std::size_t i) {
          done[i] = 1;
          if (i % 10 == 5) {
            throw std::runtime_error(std::to_string(i));
          }
        });
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      EXPECT_EQ(what, "5");
      EXPECT_EQ(std::count(done.begin(), done.end(), 1), 64);
    }
    int sum = 0;
    pool.run(3, [&sum](std::size_t i) { sum += static_cast<int>(i); });  // and goes on
    EXPECT_EQ(sum, 3);
  }
}

TEST(Pool, IdleThreadsLeaveWhenItGoes) {
  for (int i = 0; i < 50; ++i) {
    const Pool pool(4);
    EXPECT_EQ(pool.threads(), 4U);
  }
}

}  // namespace
}  // namespace wg::gpu
