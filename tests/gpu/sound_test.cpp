// What must hold for every kernel: counts of the trace, conservation of sectors, slots that tile the time.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "gpu/support.hpp"

namespace wg::gpu::test {
namespace {

TEST(Sound, EveryKernelOfTheCatalogue) {
  const config::Machine m = small_machine();
  for (const char* uri : {"kernel:chain?op=FFMA",
                          "kernel:throughput?op=FFMA&warps=8",
                          "kernel:register-banks",
                          "kernel:icache",
                          "kernel:constant",
                          "kernel:chase?footprint=64k",
                          "kernel:bandwidth?footprint=256k&ctas=32",
                          "kernel:shared-latency",
                          "kernel:shared-conflict?stride=8",
                          "kernel:shared-bandwidth?warps=8",
                          "kernel:atomic?op=red&pattern=spread&warps=4&ctas=8",
                          "kernel:atomic?space=shared&lanes=32",
                          "kernel:barrier?warps=16",
                          "kernel:empty?grid=300",
                          "kernel:ffmakernel",
                          "kernel:vecadd?n=20000",
                          "kernel:gather?n=8192&table=4M",
                          "kernel:stencil?nx=128&ny=64",
                          "kernel:transpose?n=128",
                          "kernel:gemm?m=64&n=64&k=64",
                          "kernel:reduce?n=30000"}) {
    const trace::Workload workload = builder(m, uri);
    expect_sound(m, workload, run(m, workload, {}));
  }
}

TEST(Sound, AsynchronousCopiesOnAmpere) {
  const config::Machine m = machine("a100", {"sm.count=8"});
  const trace::Workload workload = builder(m, "kernel:gemm?m=128&n=64&k=64&type=f16&copy=async");
  const RunResult result = run(m, workload, {});
  expect_sound(m, workload, result);
  EXPECT_GT(counter(result.totals, "inst_ldgsts"), 0U);
}

TEST(Sound, OldAndNewMachines) {
  for (const char* name : {"fermi24", "gtx-1080", "rtx-2070", "a100", "h100-pcie"}) {
    const config::Machine m = machine(name);
    const trace::Workload workload = builder(m, "kernel:vecadd?n=40000");
    expect_sound(m, workload, run(m, workload, {}));
  }
}

TEST(Sound, RecordedTraces) {
  const char* data = std::getenv("WG_DATA_DIR");
  if (data == nullptr) {
    GTEST_SKIP() << "WG_DATA_DIR is not set";
  }
  const std::filesystem::path traces = std::filesystem::path(data) / "traces";
  struct Case {
    const char* machine;
    const char* trace;
  };
  std::size_t found = 0;
  for (const Case& c : {Case{"v100", "volta_bfs"}, Case{"gtx-1080", "pascal"}, Case{"h100-pcie", "h100"}}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(traces / c.trace)) {
      const std::string file = entry.path().filename().string();
      if (file != "kernelslist.g" || std::filesystem::file_size(entry.path()) > 20'000) {
        continue;
      }
      const config::Machine m = machine(c.machine);
      const trace::Workload workload = trace::open_trace(entry.path().string());
      const RunResult one = run(m, workload, {});
      expect_sound(m, workload, one);
      RunOptions options;
      options.threads = 3;
      EXPECT_EQ(text_of(run(m, workload, options)), text_of(one)) << entry.path();
      ++found;
    }
  }
  EXPECT_GE(found, 3U);
}

TEST(Sound, TotalsAreTheSumsOfTheKernels) {
  const config::Machine m = small_machine();
  const RunResult result = run_uri(m, "kernel:vecadd?n=20000&launches=3");
  ASSERT_EQ(result.kernels.size(), 3U);
  for (const char* name :
       {"warp_instructions", "l1_load_sectors", "l2_requests", "dram_read_bytes", "slots_barrier"}) {
    std::uint64_t sum = 0;
    for (const KernelResult& kernel : result.kernels) {
      sum += counter(kernel.counters, name);
    }
    EXPECT_EQ(counter(result.totals, name), sum) << name;
  }
  std::uint64_t cycles = 0;
  for (const KernelResult& kernel : result.kernels) {
    cycles += kernel.cycles;
  }
  EXPECT_EQ(counter(result.totals, "cycles"), cycles);
}

TEST(Sound, TheProfileCountsEveryInstruction) {
  const config::Machine m = small_machine();
  RunOptions options;
  options.profile_size = 100'000;
  const RunResult result = run_uri(m, "kernel:gemm?m=64&n=64&k=64", options);
  std::uint64_t issues = 0;
  std::uint64_t threads = 0;
  for (const PcProfile& profile : result.kernels.at(0).profile) {
    issues += profile.issues;
    threads += profile.threads;
  }
  EXPECT_EQ(issues, result.kernels[0].warp_instructions);
  EXPECT_EQ(threads, result.kernels[0].thread_instructions);
}

}  // namespace
}  // namespace wg::gpu::test
