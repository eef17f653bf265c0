// Managed memory coupled to the machine: what faults cost, what moves, and that nothing but the machine and
// the workload decides.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "gpu/support.hpp"
#include "host/uvm/allocations.hpp"

namespace wg::gpu::test {
namespace {

using host::uvm::Cause;
using host::uvm::PageCounters;
using host::uvm::UvmReport;

constexpr const char* kTwice = "kernel:vecadd?n=524288&launches=2";  // 6 MiB

config::Machine managed(const std::vector<std::string>& settings = {}) {
  std::vector<std::string> all = {"sm.count=16", "dram.channels=8", "l2.size=1MiB",
                                  "launch.kernel_cycles=200", "uvm.enable=true"};
  all.insert(all.end(), settings.begin(), settings.end());
  return machine("v100", all);
}

std::string full_text(const RunResult& result) {
  std::string out = text_of(result);
  for (const KernelResult& kernel : result.kernels) {
    out += kernel.uvm ? host::uvm::report_json(*kernel.uvm) : "";
  }
  return out + (result.uvm ? host::uvm::report_json(*result.uvm) : "");
}

std::uint64_t lost(const KernelResult& kernel) {
  return kernel.slots[static_cast<std::size_t>(sm::Stall::far_fault)];
}

void expect_balanced(const UvmReport& report) {
  PageCounters sum;
  for (const host::uvm::ObjectReport& object : report.objects) {
    const PageCounters& c = object.pages;
    EXPECT_EQ(c.arrived(), c.used + c.left_unused + c.end_unused) << object.name;
    EXPECT_EQ(c.raw_faults, c.coalesced + c.duplicates + c.unique_faults + c.flushed) << object.name;
    sum += c;
  }
  EXPECT_EQ(sum.arrived(), report.total.arrived());
  EXPECT_EQ(report.total.arrived() - report.total.left() - report.total.dropped, report.end_pages);
  EXPECT_LE(report.peak_pages, report.memory_pages);
}

/// The workload without its copies, `times` over.
trace::Workload kernels_alone(const config::Machine& m, const std::string& uri, int times = 1) {
  trace::Workload workload = builder(m, uri);
  std::erase_if(workload.commands,
                [](const trace::Command& command) { return std::holds_alternative<trace::Copy>(command); });
  const std::vector<trace::Command> once = workload.commands;
  for (int i = 1; i < times; ++i) {
    workload.commands.insert(workload.commands.end(), once.begin(), once.end());
  }
  return workload;
}

TEST(ManagedRun, AWarmKernelTakesTheCyclesOfAMachineWithoutIt) {
  for (const char* uri :
       {"kernel:vecadd?n=65536", "kernel:gather?n=16384&table=512k", "kernel:chase?footprint=16k",
        "kernel:gemm?m=128&n=128&k=64", "kernel:atomic?warps=4&ctas=16"}) {
    SCOPED_TRACE(uri);
    // An L2 that holds it all: what the first launch leaves there does not depend on its order.
    const config::Machine m = managed({"l2.size=8MiB"});
    const trace::Workload workload = kernels_alone(m, uri, 3);
    config::Machine without = m;
    without.uvm.enable = false;
    const RunResult plain = run(without, workload, {});
    const RunResult result = run(m, workload, {});
    ASSERT_EQ(result.kernels.size(), 3U);
    EXPECT_GT(result.kernels[0].cycles, plain.kernels[0].cycles + 100'000);
    EXPECT_GT(lost(result.kernels[0]), 0U);
    for (const std::size_t warm : {1U, 2U}) {
      EXPECT_EQ(result.kernels[warm].cycles, plain.kernels[warm].cycles);
      EXPECT_EQ(lost(result.kernels[warm]), 0U);
      EXPECT_EQ(result.kernels[warm].uvm->total.raw_faults, 0U);
    }
    EXPECT_EQ(result.uvm->evictions, 0U);
    expect_balanced(*result.uvm);
    expect_sound(m, workload, result);
  }
}

TEST(ManagedRun, OversubscribedMemoryEvictsAndTheFaultsTakeTheTime) {
  const std::vector<std::pair<const char*, const char*>> parts = {
      {"driver", "none"},          {"driver", "tbn-driver"}, {"lru", "tbn"},       {"tbne", "tbn"},
      {"sequential-local", "tbn"}, {"lru-4k", "sequential"}, {"random", "random"}, {"forest", "forest"}};
  for (const auto& [evictor, prefetcher] : parts) {
    SCOPED_TRACE(fmt::format("{} {}", evictor, prefetcher));
    const config::Machine m = managed({"uvm.oversubscription=1.25", fmt::format("uvm.evictor={}", evictor),
                                       fmt::format("uvm.prefetcher={}", prefetcher)});
    const RunResult result = run_uri(m, kTwice);
    ASSERT_TRUE(result.uvm);
    EXPECT_GT(result.uvm->evictions, 0U);
    EXPECT_GT(result.uvm->total.of(Cause::eviction), 0U);
    EXPECT_GT(result.kernels[1].uvm->total.again, 0U);
    for (const KernelResult& kernel : result.kernels) {
      EXPECT_GT(lost(kernel), kernel.issue_slots / 2);
      EXPECT_GT(kernel.uvm->stall_ps, 0U);
      EXPECT_GT(kernel.uvm->timeline.steps().size(), 0U);
    }
    expect_balanced(*result.uvm);
    expect_sound(m, builder(m, kTwice), result);
  }
}

TEST(ManagedRun, WhatFaultsHoldUpIsLimitedByTheirDriver) {
  const RunResult run = run_uri(managed({"uvm.oversubscription=1.5"}), kTwice);
  const Limit& nearest = run.kernels.back().limits.front();
  EXPECT_EQ(nearest.name, "fault driver");
  EXPECT_GT(nearest.share(), 0.75);
  EXPECT_LE(nearest.share(), 1.0);
}

TEST(ManagedRun, ThreadsAndEpochsChangeNothing) {
  for (const char* replay : {"batch-flush", "block", "batch", "once"}) {
    const config::Machine m = managed({"uvm.oversubscription=1.5", "uvm.prefetcher=tbn", "uvm.evictor=lru-4k",
                                       fmt::format("uvm.replay={}", replay)});
    const std::string uri = "kernel:gather?n=2048&table=4M&launches=2";
    RunOptions options;
    options.timeline_cycles = 50'000;
    const std::string expected = full_text(run_uri(m, uri, options));
    const std::uint64_t whole = m.xbar.latency * Clock(m.clock.l2).period_ps();
    for (const std::uint64_t epoch : {whole, whole / 7}) {
      for (const std::uint32_t threads : {1U, 3U}) {
        options.threads = threads;
        options.epoch_ps = epoch;
        ASSERT_EQ(full_text(run_uri(m, uri, options)), expected) << replay << ' ' << threads << ' ' << epoch;
      }
    }
  }
}

TEST(ManagedRun, ResumedEqualsUninterrupted) {
  for (const char* evictor : {"driver", "lru", "tbne", "lru-4k", "random", "forest"}) {
    const config::Machine m =
        managed({"uvm.oversubscription=1.4", fmt::format("uvm.evictor={}", evictor),
                 evictor == std::string("random") ? "uvm.prefetcher=random" : "uvm.prefetcher=forest"});
    const trace::Workload workload = builder(m, "kernel:vecadd?n=262144&launches=3");
    std::vector<Resume> saved;
    RunOptions options;
    options.checkpoint = [&](const RunResult& result, std::span<const std::uint8_t> state) {
      saved.push_back({result, {state.begin(), state.end()}});
    };
    const std::string expected = full_text(run(m, workload, options));
    ASSERT_EQ(saved.size(), 3U);
    for (const std::size_t after : {0U, 1U}) {
      EXPECT_EQ(full_text(run(m, workload, {}, &saved[after])), expected) << evictor << ' ' << after;
    }
    saved[1].state.pop_back();
    EXPECT_THROW(run(m, workload, {}, &saved[1]), Error);
  }
}

TEST(ManagedRun, CopiesToTheDeviceLeaveTheirPagesThereAsFarAsTheyFit) {
  const config::Machine m = managed({"uvm.memory=4MiB", "uvm.evictor=lru-4k"});
  trace::Workload workload = kernels_alone(m, "kernel:vecadd?n=524288");
  const std::uint64_t address = host::uvm::allocations_of(workload).front().first << 12;
  for (const auto& [size, pages] : {std::pair{1U << 20, 256U}, {6U << 20, 1024U}}) {
    trace::Workload copied = workload;
    copied.commands.insert(copied.commands.begin(),
                           trace::Copy{trace::CopyKind::host_to_device, address, Bytes(size)});
    const RunResult result = run(m, copied, {});
    EXPECT_EQ(result.uvm->total.of(Cause::hint), pages);
    EXPECT_GT(result.uvm->total.of(Cause::fault), 0U);
    expect_balanced(*result.uvm);
  }
}

TEST(ManagedRun, ColdEmptiesTheDevice) {
  RunOptions options;
  options.cold = true;
  const config::Machine m = managed({"uvm.prefetcher=none"});
  const RunResult result = run(m, kernels_alone(m, kTwice), options);
  EXPECT_GT(result.kernels[0].uvm->total.unique_faults, 1000U);
  EXPECT_EQ(result.kernels[0].uvm->total.unique_faults, result.kernels[1].uvm->total.unique_faults);
  expect_balanced(*result.uvm);
}

TEST(ManagedRun, AKernelThatReachesItsLimitCountsWhatItDid) {
  RunOptions options;
  options.max_cycles = 400'000;
  const RunResult result = run_uri(managed(), kTwice, options);
  ASSERT_EQ(result.kernels.size(), 1U);
  EXPECT_FALSE(result.kernels[0].complete);
  EXPECT_EQ(result.kernels[0].cycles, 400'000U);
  EXPECT_GT(result.uvm->total.of(Cause::fault), 0U);
}

std::string complaint(const std::vector<std::string>& settings) {
  try {
    run_uri(managed(settings), "kernel:vecadd?n=4096");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ManagedRun, BadSettingsAreRefused) {
  EXPECT_NE(complaint({"uvm.oversubscription=0"}).find("uvm.oversubscription"), std::string::npos);
  EXPECT_NE(complaint({"uvm.oversubscription=-1"}).find("uvm.oversubscription"), std::string::npos);
  EXPECT_NE(complaint({"uvm.oversubscription=1000.5"}).find("1000"), std::string::npos);
  EXPECT_NE(complaint({"uvm.memory=1MiB"}).find("at least 2048 KiB"), std::string::npos);
  EXPECT_NE(
      complaint({"uvm.oversubscription=1000"}).find("uvm.oversubscription: expected a device of at least"),
      std::string::npos);
  EXPECT_NE(complaint({"uvm.memory=4MiB", "uvm.oversubscription=2"}).find("not both"), std::string::npos);
  EXPECT_NE(complaint({"uvm.remote=always"}).find("uvm.remote"), std::string::npos);
  EXPECT_NE(complaint({"uvm.prefetcher=oracle"}).find("oracle"), std::string::npos);
  EXPECT_NE(complaint({"uvm.evictor=belady"}).find("belady"), std::string::npos);
  EXPECT_NE(complaint({"uvm.enable=false", "uvm.oversubscription=1.25"}).find("uvm.enable"),
            std::string::npos);
}

}  // namespace
}  // namespace wg::gpu::test
