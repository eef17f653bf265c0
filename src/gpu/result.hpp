// What a run says. Values only; writing them out is the report room's work.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/stats.hpp"
#include "host/uvm/counters.hpp"
#include "sm/stall.hpp"
#include "trace/workload.hpp"

namespace wg::gpu {

/// One static instruction of a kernel and what its warps waited for.
struct PcProfile {
  std::uint64_t pc = 0;
  std::string mnemonic;
  std::uint32_t line = 0;     ///< source line, 0 when the trace has none
  std::uint64_t issues = 0;   ///< warp instructions
  std::uint64_t threads = 0;  ///< thread instructions
  sm::StallCycles stalls{};   ///< warp cycles before issue, by reason
  [[nodiscard]] std::uint64_t stalled() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t cycles : stalls) {
      sum += cycles;
    }
    return sum;
  }
};

/// One line of the roofline: a limit of the machine and how much of it the kernel used.
struct Limit {
  std::string name;  ///< "DRAM bandwidth", "L2 bandwidth", "fma pipe", "issue slots" ...
  std::string unit;
  double used = 0;  ///< achieved rate
  double peak = 0;  ///< what the machine can do
  [[nodiscard]] double share() const { return peak > 0 ? used / peak : 0; }
};

struct Occupancy {
  std::uint32_t ctas_per_sm = 0;       ///< that fit
  std::uint32_t warps_per_sm = 0;      ///< theoretical
  std::uint32_t max_warps_per_sm = 0;  ///< of the machine
  std::string limited_by;     ///< "registers", "shared memory", "warps", "threads", "CTA slots", "grid"
  double achieved_warps = 0;  ///< mean resident warps per SM that held any
};

/// One row of a timeline: counters accumulated inside [begin, end).
struct Interval {
  std::uint64_t begin_cycle = 0;
  std::uint64_t end_cycle = 0;
  std::vector<CounterValue> counters;
};

struct KernelResult {
  std::uint64_t index = 0;  ///< 1-based place among the kernels of the workload
  std::uint64_t id = 0;     ///< as the trace numbers it
  std::string name;
  trace::Dim3 grid;
  trace::Dim3 block;
  std::uint64_t cycles = 0;  ///< SM clock, launch cost included
  std::uint64_t time_ps = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t ctas = 0;
  bool complete = true;
  Occupancy occupancy;
  std::uint64_t issue_slots = 0;  ///< cycles * SMs * sub-cores
  std::uint64_t issued_slots = 0;
  sm::StallCycles slots{};                  ///< slots without issue; issued_slots + sum == issue_slots
  std::vector<CounterValue> counters;       ///< everything, raw and derived, dictionary order
  std::vector<PcProfile> profile;           ///< hottest first
  std::vector<Limit> limits;                ///< nearest first
  std::vector<Interval> timeline;           ///< only when asked for
  std::optional<host::uvm::UvmReport> uvm;  ///< with managed memory: what this kernel's faults did
  std::vector<std::string> warnings;
};

struct CopyResult {
  std::string kind;  ///< "HtoD", "DtoH", "DtoD"
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t time_ps = 0;
  std::uint64_t link_bytes = 0;        ///< over the host link: fewer than `bytes` when compressed
  std::uint64_t crossbar_bytes = 0;    ///< between memory and copy engine
  std::uint64_t dram_read_bytes = 0;   ///< sectors that the L2 did not hold
  std::uint64_t dram_write_bytes = 0;  ///< the copy's own sectors, and dirty ones that they push out
};

struct RunResult {
  std::string version;
  std::string command;
  std::string gpu;
  std::string machine_hash;  ///< 16 hex digits, over every value of the resolved machine
  std::string workload;
  std::string workload_hash;
  std::uint32_t threads = 1;
  double wall_seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  bool complete = true;
  std::string stopped_by;      ///< "", "limit", "interrupt", "deadlock"
  std::uint64_t clock_hz = 0;  ///< SM clock
  std::vector<KernelResult> kernels;
  std::vector<CopyResult> copies;
  std::optional<host::uvm::UvmReport> uvm;  ///< with managed memory: of the run
  std::vector<CounterValue> totals;         ///< sums and derived values over the kernels
  sm::StallCycles slots{};
  std::uint64_t issue_slots = 0;
  std::uint64_t issued_slots = 0;
  std::vector<std::string> warnings;
};

/// Every counter and derived value the program can print, in output order. The issue-slot reasons are
/// included.
std::span<const CounterInfo* const> dictionary();

}  // namespace wg::gpu
