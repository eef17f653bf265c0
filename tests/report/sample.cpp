#include "sample.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace wg::report::sample {
namespace {

constexpr std::array<CounterInfo, 14> kInfos{{
    {"warp_instructions", "warp instructions", "warp instructions issued", "smsp__inst_executed.sum"},
    {"ctas", "CTAs", "CTAs finished", ""},
    {"ipc", "warp instructions/cycle", "warp instructions per cycle",
     "sm__inst_executed.avg.per_cycle_elapsed"},
    {"l1_load_requests", "requests", "L1 load requests", ""},
    {"l1_load_sectors", "sectors", "L1 load sectors", ""},
    {"l1_load_sector_hits", "sectors", "L1 load sectors that hit", ""},
    {"shared_load_instructions", "instructions", "shared loads", ""},
    {"shared_conflict_passes", "passes", "passes beyond the first", ""},
    {"l2_load_sectors", "sectors", "L2 load sectors", ""},
    {"l2_load_sector_hits", "sectors", "L2 load sectors that hit", ""},
    {"dram_read_bytes", "bytes", "bytes read from DRAM", "dram__bytes_read.sum"},
    {"dram_row_hits", "bursts", "bursts that found their row open", ""},
    {"dram_row_misses", "bursts", "bursts to a closed bank", ""},
    {"dram_share", "ratio", "share of the DRAM's bandwidth", ""},
}};

constexpr auto kPointers = [] {
  std::array<const CounterInfo*, kInfos.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = &kInfos[i];
  }
  return out;
}();

double awkward(Rng& rng) {
  switch (rng.below(5)) {
    case 0:
      return 0.1 * static_cast<double>(rng.below(100));
    case 1:
      return static_cast<double>(rng.below(10));
    case 2:
      return 1.0 / static_cast<double>(1 + rng.below(1000));
    default: {
      const auto value = std::bit_cast<double>(rng.next());
      return std::isfinite(value) ? value : 5e-324;
    }
  }
}

std::vector<CounterValue> counters(Rng& rng, std::uint64_t warp, std::uint64_t ctas) {
  std::vector<CounterValue> out;
  for (const CounterInfo* info : kPointers) {
    const bool real = info->name == "ipc" || info->name == "dram_share";
    if (info->name == "warp_instructions") {
      out.push_back({info, warp});
    } else if (info->name == "ctas") {
      out.push_back({info, ctas});
    } else if (real) {
      out.push_back({info, awkward(rng)});
    } else {
      out.push_back({info, rng.next() >> rng.below(64)});
    }
  }
  return out;
}

sm::StallCycles stalls(Rng& rng) {
  sm::StallCycles out{};
  for (std::uint64_t& cycles : out) {
    cycles = rng.below(3) == 0 ? 0 : rng.below(1'000'000);
  }
  return out;
}

std::uint64_t sum(const sm::StallCycles& cycles) {
  std::uint64_t out = 0;
  for (const std::uint64_t part : cycles) {
    out += part;
  }
  return out;
}

gpu::KernelResult random_kernel(Rng& rng, std::uint64_t index) {
  gpu::KernelResult k;
  k.index = index;
  k.id = rng.next();
  k.name = rng.below(2) == 0 ? "_Z6KernelP4NodePiPbS2_S2_S1_i" : "odd \"name\", \\ <b> \xC3\xA9\n";
  k.grid = {static_cast<std::uint32_t>(1 + rng.below(1U << 31)), 2, 3};
  k.block = {32, 4, 1};
  k.cycles = rng.next() >> 20;
  k.time_ps = rng.next();
  k.warp_instructions = rng.next();
  k.thread_instructions = rng.next();
  k.ctas = rng.below(1000);
  k.occupancy = {4, 16, 64, "registers", awkward(rng)};
  k.slots = stalls(rng);
  k.issued_slots = rng.below(1'000'000);
  k.issue_slots = k.issued_slots + sum(k.slots);
  k.counters = counters(rng, k.warp_instructions, k.ctas);
  for (std::uint64_t i = 0; i < rng.below(4); ++i) {
    k.profile.push_back({rng.below(4096) * 16, "LDG.E.SYS", static_cast<std::uint32_t>(rng.below(3)),
                         rng.below(1000), rng.below(32000), stalls(rng)});
    k.limits.push_back({"dram bandwidth", "GB/s", awkward(rng), awkward(rng)});
    k.timeline.push_back(
        {i * 1000, (i + 1) * 1000, {{kPointers[2], awkward(rng)}, {kPointers[10], rng.next()}}});
  }
  if (rng.below(2) == 0) {
    k.warnings = {"unknown opcode FOO.BAR, timed as integer"};
  }
  return k;
}

std::size_t at(sm::Stall stall) { return static_cast<std::size_t>(stall); }

gpu::KernelResult tidy_kernel(std::uint64_t index, const char* name, std::uint64_t cycles) {
  gpu::KernelResult k;
  k.index = index;
  k.id = index;
  k.name = name;
  k.grid = {1024, 1, 1};
  k.block = {256, 1, 1};
  k.ctas = 1024;
  k.cycles = cycles;
  k.time_ps = cycles * 571;
  k.issue_slots = cycles * 114 * 4;
  k.issued_slots = k.issue_slots / 5;
  k.warp_instructions = k.issued_slots;
  k.thread_instructions = k.issued_slots * 30;
  k.occupancy = {8, 64, 64, "warps", 58.25};
  k.limits = {{"dram bandwidth", "GB/s", 1780.5, 2000},
              {"issue slots", "inst/cycle", 91.2, 456},
              {"fp64 pipe", "inst/cycle", 0, 57}};
  return k;
}

}  // namespace

std::span<const CounterInfo* const> dictionary() { return kPointers; }

Settings settings() {
  Settings s;
  s.kernels = {1, 2, 3, 7};
  s.cold = true;
  s.timeline_cycles = 1000;
  s.profile_size = 10;
  return s;
}

gpu::RunResult random_result(std::uint64_t seed, std::size_t kernels) {
  Rng rng(seed);
  gpu::RunResult r;
  r.version = "0.1.0";
  r.command = "warpgauge run \"a b\" --gpu h100";
  r.gpu = "NVIDIA H100 PCIe 80 GB";
  r.machine_hash = "0123456789abcdef";
  r.workload = "bfs";
  r.workload_hash = "fedcba9876543210";
  r.threads = static_cast<std::uint32_t>(1 + rng.below(16));
  r.wall_seconds = static_cast<double>(rng.below(100000)) / 7;
  r.cpu_seconds = static_cast<double>(rng.below(100000)) / 3;
  r.peak_rss_bytes = rng.next() >> 24;
  r.complete = rng.below(2) == 0;
  r.stopped_by = r.complete ? "" : "limit";
  r.clock_hz = 1'755'000'000;
  for (std::size_t i = 0; i < kernels; ++i) {
    r.kernels.push_back(random_kernel(rng, i + 1));
    r.copies.push_back({"HtoD", rng.next(), rng.below(1'000'000), rng.below(1'000'000'000),
                        rng.below(1'000'000), rng.below(1'000'000), rng.below(1'000'000),
                        rng.below(1'000'000)});
  }
  std::uint64_t warp = 0, ctas = 0;
  for (const gpu::KernelResult& k : r.kernels) {
    warp += k.warp_instructions;
    ctas += k.ctas;
    r.issue_slots += k.issue_slots;
    r.issued_slots += k.issued_slots;
    for (std::size_t i = 0; i < sm::kStalls; ++i) {
      r.slots[i] += k.slots[i];
    }
  }
  r.totals = counters(rng, warp, ctas);
  return r;
}

gpu::RunResult tidy_result() {
  gpu::RunResult r = random_result(1, 0);
  r.complete = true;
  r.stopped_by.clear();
  gpu::KernelResult memory = tidy_kernel(1, "_Z9vectorAddPKfS0_Pfi", 205'116);
  memory.slots[at(sm::Stall::memory_dram)] = memory.issue_slots - memory.issued_slots - 500;
  memory.slots[at(sm::Stall::lsu_queue)] = 500;
  memory.counters = {{kPointers[3], std::uint64_t{1000}},  {kPointers[4], std::uint64_t{4000}},
                     {kPointers[5], std::uint64_t{1000}},  {kPointers[8], std::uint64_t{3000}},
                     {kPointers[9], std::uint64_t{300}},   {kPointers[10], std::uint64_t{86400}},
                     {kPointers[11], std::uint64_t{2000}}, {kPointers[12], std::uint64_t{700}}};
  gpu::PcProfile load{0x1a0, "LDG.E.128.CONSTANT", 17, 8192, 262144, {}};
  load.stalls[at(sm::Stall::memory_dram)] = 800'000;
  load.stalls[at(sm::Stall::lsu_queue)] = 200'000;
  memory.profile = {load};
  memory.timeline = {{0, 100'000, {{kPointers[2], 0.25}}}, {100'000, 205'116, {{kPointers[2], 0.75}}}};
  gpu::KernelResult compute = tidy_kernel(2, "gemm_kernel", 1'000'000);
  compute.slots[at(sm::Stall::scoreboard)] = compute.issue_slots - compute.issued_slots;
  compute.limits = {{"tensor pipe", "inst/cycle", 40, 100}};
  compute.occupancy = {1, 8, 64, "registers", 8};
  gpu::KernelResult launch = tidy_kernel(3, "tiny", 2500);
  launch.slots[at(sm::Stall::launch)] = launch.issue_slots - launch.issued_slots;
  launch.limits.clear();
  r.kernels = {memory, compute, launch};
  for (const gpu::KernelResult& k : r.kernels) {
    r.issue_slots += k.issue_slots;
    r.issued_slots += k.issued_slots;
    for (std::size_t i = 0; i < sm::kStalls; ++i) {
      r.slots[i] += k.slots[i];
    }
  }
  r.totals = memory.counters;
  r.copies = {{"HtoD", 0x7f0000000000, 4'000'000, 330'000'000}};
  return r;
}

}  // namespace wg::report::sample
