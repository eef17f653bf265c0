// Deadlocks, CTAs that do not fit, errors met on the way, in any thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/error.hpp"
#include "gpu/support.hpp"

namespace wg::gpu::test {
namespace {

using isa::InstClass;
using testing::HasSubstr;

/// Warp 0 waits at barrier 1, warp 1 at barrier 2. In CTA 3 of 6 only; the others meet at barrier 0.
sm::test::Code barriers_that_differ() {
  sm::test::Code code;
  std::array<std::uint32_t, 3> bars{};
  for (std::uint32_t i = 0; i < 3; ++i) {
    bars[i] = code.inst(InstClass::barrier, {}, {}, "BAR.SYNC");
    code.insts[bars[i]].imm = static_cast<std::int32_t>(i);
  }
  const auto exit = code.exit();
  for (std::uint32_t cta = 0; cta < 6; ++cta) {
    code.ctas.push_back({sm::test::plain({cta == 3 ? bars[1] : bars[0], exit}),
                         sm::test::plain({cta == 3 ? bars[2] : bars[0], exit})});
  }
  return code;
}

TEST(Errors, ADeadlockStopsAtOnceAndNamesWhoWaitsForWhat) {
  const config::Machine m = small_machine();
  const trace::Workload workload = workload_of(barriers_that_differ());
  const auto begin = std::chrono::steady_clock::now();
  try {
    run(m, workload, {});
    FAIL() << "came to an end";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::deadlock);
    EXPECT_THAT(error.what(), HasSubstr("nothing can ever happen again; 5 of 6 CTAs are done"));
    EXPECT_THAT(error.what(), HasSubstr("CTA (3,0,0) warp 0 at pc 0x0010 BAR.SYNC: waits at barrier 1"));
    EXPECT_THAT(error.what(), HasSubstr("CTA (3,0,0) warp 1 at pc 0x0020 BAR.SYNC: waits at barrier 2"));
    EXPECT_EQ(error.problems().size(), 3U);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Errors, ADeadlockReadsTheSameWithAnyNumberOfThreads) {
  const config::Machine m = small_machine();
  const trace::Workload workload = workload_of(barriers_that_differ());
  const auto text = [&](std::uint32_t threads) -> std::string {
    RunOptions options;
    options.threads = threads;
    try {
      run(m, workload, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(text(1), "");
  EXPECT_EQ(text(4), text(1));
}

TEST(Errors, ManyStuckWarpsAreCut) {
  config::Machine m = small_machine();
  sm::test::Code code;
  const auto a = code.inst(InstClass::barrier);
  const auto b = code.inst(InstClass::barrier);
  code.insts[b].imm = 1;
  const auto exit = code.exit();
  for (int cta = 0; cta < 40; ++cta) {
    code.ctas.push_back({sm::test::plain({a, exit}), sm::test::plain({b, exit})});
  }
  try {
    run(m, workload_of(std::move(code)), {});
    FAIL() << "came to an end";
  } catch (const Error& error) {
    EXPECT_LT(error.problems().size(), 30U);
    EXPECT_THAT(error.what(), HasSubstr("and 60 more warps"));
  }
}

TEST(Errors, ACtaThatDoesNotFit) {
  const config::Machine m = small_machine();
  sm::test::Code code;
  code.header.shared_bytes = Bytes{1 << 20};
  code.ctas = {{sm::test::plain({code.exit()})}};
  try {
    run(m, workload_of(std::move(code)), {});
    FAIL() << "fits";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("shared memory"));
    EXPECT_THAT(error.what(), HasSubstr("1048576"));
  }
}

/// Passes a kernel on, but decoding fails from CTA `bad` on, as in a trace with a broken line.
class BrokenKernel final : public trace::Kernel {
 public:
  BrokenKernel(std::shared_ptr<const trace::Kernel> kernel, std::uint64_t bad)
      : kernel_(std::move(kernel)), bad_(bad) {}
  [[nodiscard]] const trace::KernelHeader& header() const override { return kernel_->header(); }
  [[nodiscard]] std::unique_ptr<trace::CtaSource> open() const override { return kernel_->open(); }
  [[nodiscard]] std::unique_ptr<trace::CtaDecoder> decoder() const override {
    return std::make_unique<Decoder>(kernel_->decoder(), bad_);
  }

 private:
  class Decoder final : public trace::CtaDecoder {
   public:
    Decoder(std::unique_ptr<trace::CtaDecoder> decoder, std::uint64_t bad)
        : decoder_(std::move(decoder)), bad_(bad) {}
    void decode(const trace::CtaBlob& blob, trace::CtaTrace& out) override {
      if (blob.number >= bad_) {
        throw Error({.where = "kernel-1.traceg:" + std::to_string(blob.number)});
      }
      decoder_->decode(blob, out);
    }
    [[nodiscard]] std::span<const isa::StaticInst> instructions() const override {
      return decoder_->instructions();
    }
    [[nodiscard]] std::string_view mnemonic(std::uint32_t index) const override {
      return decoder_->mnemonic(index);
    }

   private:
    std::unique_ptr<trace::CtaDecoder> decoder_;
    std::uint64_t bad_;
  };

  std::shared_ptr<const trace::Kernel> kernel_;
  std::uint64_t bad_;
};

TEST(Errors, AnErrorInAnyThreadReachesTheCallerTheSameWay) {
  const config::Machine m = small_machine();
  for (const std::uint64_t bad : {0U, 7U, 30U}) {
    std::string expected;
    for (const std::uint32_t threads : {1U, 2U, 4U}) {
      trace::Workload workload = builder(m, "kernel:empty?grid=64");
      for (trace::Command& command : workload.commands) {
        if (auto* kernel = std::get_if<std::shared_ptr<const trace::Kernel>>(&command)) {
          *kernel = std::make_shared<BrokenKernel>(*kernel, bad);
        }
      }
      RunOptions options;
      options.threads = threads;
      try {
        run(m, workload, options);
        FAIL() << "came to an end";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("kernel-1.traceg:"));
        expected = threads == 1 ? error.what() : expected;
        EXPECT_EQ(error.what(), expected) << threads;
      }
    }
  }
}

TEST(Errors, WhatWasFinishedBeforeHasBeenHandedOver) {
  const config::Machine m = small_machine();
  trace::Workload workload = builder(m, "kernel:empty?grid=64&launches=2");
  auto& last = std::get<std::shared_ptr<const trace::Kernel>>(workload.commands.back());
  last = std::make_shared<BrokenKernel>(last, 5);
  std::size_t finished = 0;
  RunOptions options;
  options.checkpoint = [&](const RunResult& result, std::span<const std::uint8_t>) {
    finished = result.kernels.size();
  };
  EXPECT_THROW(run(m, workload, options), Error);
  EXPECT_EQ(finished, 1U);
}

}  // namespace
}  // namespace wg::gpu::test
