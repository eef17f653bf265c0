// Stop rules, timelines, resume, cold and warm runs, copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "base/error.hpp"
#include "gpu/support.hpp"

namespace wg::gpu::test {
namespace {

constexpr const char* kThree = "kernel:vecadd?n=20000&launches=3";

/// A kernel as another stream would have launched it.
class OnStream final : public trace::Kernel {
 public:
  OnStream(std::shared_ptr<const trace::Kernel> kernel, std::uint64_t stream)
      : kernel_(std::move(kernel)), header_(kernel_->header()) {
    header_.stream = stream;
  }
  [[nodiscard]] const trace::KernelHeader& header() const override { return header_; }
  [[nodiscard]] std::unique_ptr<trace::CtaSource> open() const override { return kernel_->open(); }
  [[nodiscard]] std::unique_ptr<trace::CtaDecoder> decoder() const override { return kernel_->decoder(); }

 private:
  std::shared_ptr<const trace::Kernel> kernel_;
  trace::KernelHeader header_;
};

TEST(Run, SaysThatStreamsDoNotOverlap) {
  const config::Machine m = small_machine();
  trace::Workload workload = builder(m, "kernel:empty?grid=1&launches=2");
  EXPECT_TRUE(run(m, workload, {}).warnings.empty());
  auto& last = std::get<std::shared_ptr<const trace::Kernel>>(workload.commands.back());
  last = std::make_shared<OnStream>(last, 7);
  const RunResult result = run(m, workload, {});
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(result.warnings[0].find("kernels of 2 streams run one after the other"), std::string::npos);
}

TEST(Run, StopsAtTheCycleLimit) {
  const config::Machine m = small_machine();
  const trace::Workload workload = builder(m, kThree);
  const std::uint64_t first = run(m, workload, {}).kernels.at(0).cycles;
  for (const std::uint64_t limit : {std::uint64_t{50}, std::uint64_t{1'000}, first, first + 100}) {
    RunOptions options;
    options.max_cycles = limit;
    const RunResult result = run(m, workload, options);
    expect_sound(m, workload, result);
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.stopped_by, "limit");
    std::uint64_t cycles = 0;
    for (const KernelResult& kernel : result.kernels) {
      cycles += kernel.cycles;
    }
    EXPECT_EQ(cycles, limit);
    options.threads = 3;
    EXPECT_EQ(text_of(run(m, workload, options)), text_of(result));
  }
}

TEST(Run, ALimitThatIsNotReachedChangesNothing) {
  const config::Machine m = small_machine();
  RunOptions options;
  options.max_cycles = 100'000'000;
  EXPECT_EQ(text_of(run_uri(m, kThree, options)), text_of(run_uri(m, kThree)));
}

TEST(Run, ATimelineTilesTheKernelAndAddsUp) {
  const config::Machine m = small_machine();
  for (const std::uint64_t length : {std::uint64_t{100}, std::uint64_t{1'500}, std::uint64_t{1'000'000}}) {
    RunOptions options;
    options.timeline_cycles = length;
    const KernelResult kernel = run_uri(m, "kernel:gemm?m=64&n=64&k=64", options).kernels.at(0);
    ASSERT_FALSE(kernel.timeline.empty());
    std::uint64_t at = 0;
    for (const Interval& interval : kernel.timeline) {
      EXPECT_EQ(interval.begin_cycle, at);
      EXPECT_EQ(interval.end_cycle, std::min(at + length, kernel.cycles));
      at = interval.end_cycle;
    }
    EXPECT_EQ(at, kernel.cycles);
    for (const CounterValue& total : kernel.counters) {
      if (!std::holds_alternative<std::uint64_t>(total.value)) {
        continue;
      }
      std::uint64_t sum = 0;
      for (const Interval& interval : kernel.timeline) {
        sum += counter(interval.counters, total.info->name);
      }
      EXPECT_EQ(sum, std::get<std::uint64_t>(total.value)) << total.info->name;
    }
  }
}

TEST(Run, ATimelineDoesNotChangeTheRest) {
  const config::Machine m = small_machine();
  RunOptions options;
  options.timeline_cycles = 333;
  RunResult with = run_uri(m, kThree, options);
  for (KernelResult& kernel : with.kernels) {
    kernel.timeline.clear();
  }
  EXPECT_EQ(text_of(with), text_of(run_uri(m, kThree)));
}

TEST(Run, IntervalsOfResidentsAreExact) {
  const config::Machine m = small_machine();
  RunOptions options;
  options.timeline_cycles = 400;
  const KernelResult kernel = run_uri(m, "kernel:chain?op=FFMA&iterations=20", options).kernels.at(0);
  ASSERT_GT(kernel.timeline.size(), 4U);
  // One warp from the CTA's arrival to the end: every interval in the middle is full of it.
  EXPECT_EQ(counter(kernel.timeline[2].counters, "warp_cycles"), 400U);
}

struct Checkpoint {
  RunResult result;
  std::vector<std::uint8_t> state;
};

std::vector<Checkpoint> checkpoints(const config::Machine& m, const trace::Workload& workload,
                                    RunOptions options) {
  std::vector<Checkpoint> all;
  options.checkpoint = [&all](const RunResult& result, std::span<const std::uint8_t> state) {
    all.push_back({result, {state.begin(), state.end()}});
  };
  run(m, workload, options);
  return all;
}

TEST(Run, AResumedRunEqualsAnUninterruptedOne) {
  const config::Machine m = small_machine();
  for (const char* uri :
       {kThree, "kernel:gather?n=8192&table=4M&launches=3", "kernel:reduce?n=100000&launches=2"}) {
    const trace::Workload workload = builder(m, uri);
    const std::string whole = text_of(run(m, workload, {}));
    const std::vector<Checkpoint> all = checkpoints(m, workload, {});
    ASSERT_EQ(all.size(), kernels_of(workload).size());
    for (const Checkpoint& checkpoint : all) {
      const Resume resume{checkpoint.result, checkpoint.state};
      EXPECT_EQ(text_of(run(m, workload, {}, &resume)), whole) << uri;
    }
  }
}

TEST(Run, AStateThatIsNotThisMachinesIsRefused) {
  const config::Machine m = small_machine();
  const trace::Workload workload = builder(m, kThree);
  const Checkpoint good = checkpoints(m, workload, {}).at(0);
  Checkpoint shorter = good;
  shorter.state.resize(good.state.size() / 2);
  Checkpoint longer = good;
  longer.state.push_back(0);
  for (const Checkpoint& bad : {shorter, longer}) {
    const Resume resume{bad.result, bad.state};
    EXPECT_THROW(run(m, workload, {}, &resume), Error);
  }
  const Resume resume{good.result, good.state};
  EXPECT_THROW(run(machine("v100"), workload, {}, &resume), Error);
}

TEST(Run, ARunThatWasInterruptedLosesOneKernel) {
  const config::Machine m = small_machine();
  const trace::Workload workload = builder(m, kThree);
  std::atomic<bool> stop = false;
  Checkpoint last;
  RunOptions options;
  options.stop = &stop;
  options.checkpoint = [&](const RunResult& result, std::span<const std::uint8_t> state) {
    last = {result, {state.begin(), state.end()}};
    stop = true;
  };
  const RunResult cut = run(m, workload, options);
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(cut.stopped_by, "interrupt");
  EXPECT_EQ(cut.kernels.size(), 1U);
  EXPECT_EQ(cut.copies.size(), last.result.copies.size());
  const Resume resume{last.result, last.state};
  EXPECT_EQ(text_of(run(m, workload, {}, &resume)), text_of(run(m, workload, {})));
}

/// As if a limit had stood where it was when the wish to stop was seen.
TEST(Run, AnInterruptedKernelIsKeptAsFarAsItCame) {
  const config::Machine m = small_machine();
  const trace::Workload workload = builder(m, "kernel:vecadd?n=200000&launches=2");
  for (const std::uint32_t threads : {1U, 3U}) {
    std::atomic<bool> stop = false;
    RunOptions options;
    options.threads = threads;
    options.timeline_cycles = 500;
    options.stop = &stop;
    options.progress = [&stop](const Progress&) {
      stop = true;
    };  // the next look at `stop` is in this kernel
    RunResult cut = run(m, workload, options);
    expect_sound(m, workload, cut);
    EXPECT_FALSE(cut.complete);
    EXPECT_EQ(cut.stopped_by, "interrupt");
    ASSERT_EQ(cut.kernels.size(), 1U);
    EXPECT_FALSE(cut.kernels[0].complete);
    EXPECT_GT(cut.kernels[0].warp_instructions, 0U);
    EXPECT_GT(cut.kernels[0].timeline.size(), 1U);

    RunOptions limited;
    limited.timeline_cycles = 500;
    limited.max_cycles = cut.kernels[0].cycles;
    cut.stopped_by = "limit";
    EXPECT_EQ(text_of(cut), text_of(run(m, workload, limited)));
  }
}

TEST(Run, ColdKernelsAreAllAlikeAndWarmOnesFindTheirData) {
  const config::Machine m = small_machine();
  RunOptions options;
  options.cold = true;
  const RunResult cold = run_uri(m, kThree, options);
  const RunResult warm = run_uri(m, kThree);
  const auto hits = [](const RunResult& result, std::size_t kernel) {
    return counter(result.kernels.at(kernel).counters, "l2_load_sector_hits");
  };
  KernelResult second = cold.kernels.at(1);
  const KernelResult& first = cold.kernels.at(0);
  second.index = first.index;
  second.id = first.id;
  EXPECT_EQ(text_of(second), text_of(first));
  EXPECT_GT(hits(warm, 1), hits(cold, 1));
  EXPECT_LT(warm.kernels.at(1).cycles, cold.kernels.at(1).cycles);
}

TEST(Run, OnlyTheKernelsAskedFor) {
  const config::Machine m = small_machine();
  RunOptions options;
  options.kernels = {2, 3};
  const RunResult some = run_uri(m, kThree, options);
  ASSERT_EQ(some.kernels.size(), 2U);
  EXPECT_EQ(some.kernels[0].index, 2U);
  EXPECT_EQ(some.kernels[1].index, 3U);
  EXPECT_TRUE(some.complete);
}

TEST(Run, CopiesAreTimedAndWarmTheL2) {
  const config::Machine m = small_machine();
  trace::Workload workload = builder(m, "kernel:vecadd?n=20000");
  const RunResult with = run(m, workload, {});
  EXPECT_FALSE(with.copies.empty());
  for (const CopyResult& copy : with.copies) {
    EXPECT_EQ(copy.kind, "HtoD");
    const std::uint64_t least = copy.bytes * 1'000'000'000 / (m.link.to_device / 1'000);
    EXPECT_GE(copy.time_ps, least);
  }
  std::erase_if(workload.commands,
                [](const trace::Command& c) { return std::holds_alternative<trace::Copy>(c); });
  const RunResult without = run(m, workload, {});
  EXPECT_TRUE(without.copies.empty());
  EXPECT_GT(without.kernels.at(0).cycles, with.kernels.at(0).cycles);
}

TEST(Run, TellsItsProgressFromTheCallersThread) {
  const config::Machine m = small_machine();
  RunOptions options;
  std::vector<Progress> seen;
  options.progress = [&seen](const Progress& progress) { seen.push_back(progress); };
  options.threads = 2;
  run_uri(m, "kernel:gemm?m=256&n=256&k=256", options);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen[0].kernel_index, 1U);
  EXPECT_EQ(seen[0].kernel_count, 1U);
  EXPECT_EQ(seen[0].ctas_total, 16U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end(),
                             [](const Progress& a, const Progress& b) { return a.cycles < b.cycles; }));
}

}  // namespace
}  // namespace wg::gpu::test
