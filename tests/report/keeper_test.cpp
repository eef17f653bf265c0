#include "report/keeper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "report/files.hpp"
#include "report/json.hpp"
#include "sample.hpp"

namespace wg::report {
namespace {

using std::chrono::seconds;

/// A run of eight kernels, seen after each one, under a clock of our own.
class KeeperTest : public testing::Test {
 protected:
  ~KeeperTest() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(state_path(path_));
  }

  Keeper make() {
    return {path_, sample::settings(), "9.9", "warpgauge run x", seconds{10}, [this] { return now_; }};
  }
  [[nodiscard]] gpu::RunResult after(std::size_t kernels) const {
    gpu::RunResult part = whole_;
    part.kernels.resize(kernels);
    part.copies.resize(kernels);
    part.complete = kernels == whole_.kernels.size();
    part.stopped_by = part.complete ? "" : "interrupt";
    return part;
  }
  [[nodiscard]] Saved saved() const { return from_json(read_file(path_), path_, sample::dictionary()); }
  [[nodiscard]] bool state_exists() const { return std::filesystem::exists(state_path(path_)); }

  std::string path_ = testing::TempDir() + "keeper_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
  std::chrono::steady_clock::time_point now_{};
  gpu::RunResult whole_ = sample::random_result(21, 8);
  std::vector<std::uint8_t> state_ = {1, 2, 3};
};

TEST_F(KeeperTest, WritesNowAndThenWhileRunning) {
  Keeper keeper = make();
  keeper.take(after(1), state_);
  EXPECT_FALSE(std::filesystem::exists(path_));
  now_ += seconds{11};
  keeper.take(after(2), state_);
  ASSERT_TRUE(std::filesystem::exists(path_));
  EXPECT_EQ(saved().result.kernels.size(), 2U);
  EXPECT_FALSE(saved().result.complete);
  EXPECT_EQ(saved().result.stopped_by, "running");
  now_ += seconds{5};
  keeper.take(after(3), state_);
  EXPECT_EQ(saved().result.kernels.size(), 2U);
  EXPECT_EQ(unpack_state(read_file(state_path(path_)), "s").kernels, 2U);
}

TEST_F(KeeperTest, ACompleteRunLeavesNoState) {
  Keeper keeper = make();
  now_ += seconds{11};
  keeper.take(after(7), state_);
  EXPECT_TRUE(state_exists());
  gpu::RunResult result = after(8);
  keeper.stamp(result);
  keeper.finish(result);
  EXPECT_FALSE(state_exists());
  EXPECT_EQ(result.version, "9.9");
  EXPECT_EQ(saved().result.command, "warpgauge run x");
  EXPECT_TRUE(saved().result.complete);
}

TEST_F(KeeperTest, AnInterruptedRunLeavesTheStateAfterItsLastKernel) {
  Keeper keeper = make();
  for (std::size_t k = 1; k <= 4; ++k) {
    state_.push_back(static_cast<std::uint8_t>(k));
    keeper.take(after(k), state_);
  }
  gpu::RunResult result = after(4);
  keeper.stamp(result);
  keeper.finish(result);
  const State state = unpack_state(read_file(state_path(path_)), "s");
  EXPECT_EQ(state.kernels, 4U);
  EXPECT_EQ(state.copies, 4U);
  EXPECT_EQ(state.bytes, state_);
}

TEST_F(KeeperTest, AFailureKeepsEveryFinishedKernel) {
  Keeper keeper = make();
  for (std::size_t k = 1; k <= 5; ++k) {
    keeper.take(after(k), state_);
  }
  gpu::RunResult result = keeper.finished("deadlock");
  keeper.stamp(result);
  keeper.finish(result);
  EXPECT_EQ(result.kernels.size(), 5U);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(to_json(saved().result, {}), to_json(result, {}));
  EXPECT_EQ(result.stopped_by, "deadlock");
  EXPECT_TRUE(state_exists());
}

TEST_F(KeeperTest, StoppingAResumedRunAtOnceLosesNothing) {
  Keeper keeper = make();
  keeper.begin_from({after(3), state_});
  gpu::RunResult result = after(3);
  keeper.stamp(result);
  keeper.finish(result);
  EXPECT_EQ(unpack_state(read_file(state_path(path_)), "s").kernels, 3U);
  EXPECT_EQ(saved().result.kernels.size(), 3U);
}

TEST_F(KeeperTest, TimeOfEarlierPartsCounts) {
  Keeper keeper = make();
  gpu::RunResult earlier = after(3);
  earlier.wall_seconds = 100;
  earlier.cpu_seconds = 1000;
  keeper.begin_from({earlier, state_});
  now_ += seconds{5};
  gpu::RunResult result = after(4);
  keeper.stamp(result);
  keeper.finish(result);
  EXPECT_DOUBLE_EQ(result.wall_seconds, 105);
  EXPECT_GT(result.cpu_seconds, 1000);
  EXPECT_GT(result.peak_rss_bytes, 1U << 20);
}

TEST_F(KeeperTest, WithoutAPathNothingIsWritten) {
  path_.clear();
  Keeper keeper = make();
  now_ += seconds{100};
  keeper.take(after(2), state_);
  EXPECT_EQ(keeper.finished("error").kernels.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(".state"));
}

}  // namespace
}  // namespace wg::report
