#include "report/state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "report/files.hpp"
#include "sample.hpp"

namespace wg::report {
namespace {

State random_state(std::uint64_t seed, std::size_t size) {
  Rng rng(seed);
  State state{2, 1, "0123456789abcdef", "fedcba9876543210", {}};
  for (std::size_t i = 0; i < size; ++i) {
    state.bytes.push_back(static_cast<std::uint8_t>(rng.next() >> 60));
  }
  return state;
}

Asked asked() { return {"0123456789abcdef", "fedcba9876543210", sample::settings()}; }

std::string message_of(const Saved& saved, const State& state, const Asked& wanted) {
  try {
    make_resume(saved, state, wanted, "r.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(State, ComesBackAsItWas) {
  for (const std::size_t size : {0U, 1U, 1000U, 300'000U}) {
    const State state = random_state(size, size);
    const State back = unpack_state(pack_state(state), "s");
    EXPECT_EQ(back.kernels, state.kernels);
    EXPECT_EQ(back.copies, state.copies);
    EXPECT_EQ(back.machine_hash, state.machine_hash);
    EXPECT_EQ(back.workload_hash, state.workload_hash);
    EXPECT_EQ(back.bytes, state.bytes);
  }
}

TEST(State, DamageAnywhereIsNoticed) {
  const std::string good = pack_state(random_state(3, 5000));
  Rng rng(8);
  for (int i = 0; i < 200; ++i) {
    std::string bad = good;
    if (i % 2 == 0) {
      bad.resize(rng.below(good.size()));
    } else {
      bad[rng.below(good.size())] ^= static_cast<char>(1U << rng.below(8));
    }
    try {
      EXPECT_EQ(unpack_state(bad, "s").bytes, random_state(3, 5000).bytes);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("s: "));
    }
  }
}

TEST(State, ForeignFilesAreRefused) {
  EXPECT_THROW(unpack_state("", "s"), Error);
  EXPECT_THROW(unpack_state("{\"run\": {}}", "s"), Error);
}

TEST(Resume, DropsWhatTheStateDoesNotKnow) {
  const Saved saved{sample::random_result(7, 4), sample::settings()};
  const gpu::Resume resume = make_resume(saved, random_state(1, 10), asked(), "r.json");
  ASSERT_EQ(resume.finished.kernels.size(), 2U);
  EXPECT_EQ(resume.finished.kernels[1].id, saved.result.kernels[1].id);
  EXPECT_EQ(resume.finished.copies.size(), 1U);
  EXPECT_EQ(resume.state, random_state(1, 10).bytes);
}

TEST(Resume, DropsKernelsThatWereNotFinished) {
  Saved saved{sample::random_result(7, 3), sample::settings()};
  saved.result.kernels[2].complete = false;
  State state = random_state(1, 10);
  EXPECT_EQ(make_resume(saved, state, asked(), "r.json").finished.kernels.size(), 2U);
  state.kernels = 3;
  EXPECT_THAT(message_of(saved, state, asked()), testing::HasSubstr("3 kernels"));
}

TEST(Resume, EveryDifferenceIsNamed) {
  const Saved saved{sample::random_result(7, 3), sample::settings()};
  Asked other = asked();
  other.machine_hash = "ffff";
  other.workload_hash = "eeee";
  other.settings.cold = false;
  other.settings.kernels = {};
  other.settings.max_cycles = 77;  // may differ
  const std::string message = message_of(saved, random_state(1, 10), other);
  EXPECT_THAT(message, testing::HasSubstr("machine ffff"));
  EXPECT_THAT(message, testing::HasSubstr("workload eeee"));
  EXPECT_THAT(message, testing::HasSubstr("--cold off"));
  EXPECT_THAT(message, testing::HasSubstr("--kernels all, found 1-3,7"));
  EXPECT_THAT(message, testing::Not(testing::HasSubstr("77")));
}

TEST(Resume, RefusesTheStateOfAnotherRun) {
  const Saved saved{sample::random_result(7, 3), sample::settings()};
  State state = random_state(1, 10);
  state.machine_hash = "aaaa";
  EXPECT_THAT(message_of(saved, state, asked()), testing::HasSubstr("the state of another run"));
}

/// The two files of a run, as an interrupted one leaves them.
class ResumeFiles : public testing::Test {
 protected:
  ~ResumeFiles() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(state_path(path_));
  }
  void save(std::size_t kernels, bool complete) {
    gpu::RunResult result = sample::random_result(9, kernels);
    result.complete = complete;
    write_file(path_, to_json(result, sample::settings()));
  }
  [[nodiscard]] gpu::Resume load() const { return load_resume(path_, asked(), sample::dictionary()); }
  std::string path_ = testing::TempDir() + "resume_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(ResumeFiles, AreBothNeeded) {
  save(2, false);
  EXPECT_THROW(load(), Error);
  write_file(state_path(path_), pack_state(random_state(4, 100)));
  EXPECT_EQ(load().finished.kernels.size(), 2U);
}

TEST_F(ResumeFiles, WithoutAFinishedKernelBeginAnew) {
  save(0, false);
  EXPECT_TRUE(load().finished.kernels.empty());
}

TEST_F(ResumeFiles, OfACompleteRunAreRefused) {
  save(2, true);
  write_file(state_path(path_), pack_state(random_state(4, 100)));
  EXPECT_THROW(load(), Error);
}

}  // namespace
}  // namespace wg::report
