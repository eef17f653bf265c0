// A GPU as data: every figure the timing model reads. Filled from gpus/*.toml by the reader of this room.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/units.hpp"
#include "config/cdma.hpp"
#include "config/uvm.hpp"
#include "isa/inst.hpp"

namespace wg::config {

/// Execution pipes. All but `lsu` exist once per sub-core; `lsu` is the path to the SM's shared memory unit.
enum class Pipe : std::uint8_t { fma, alu, fp16, fp64, xu, tensor, uniform, branch, lsu, none, count_ };
inline constexpr std::size_t kPipes = static_cast<std::size_t>(Pipe::count_);

/// How a class of instructions executes.
struct ClassTiming {
  Pipe pipe = Pipe::alu;
  std::uint32_t latency = 4;   ///< SM cycles from issue until a dependent instruction may issue
  std::uint32_t interval = 2;  ///< SM cycles the pipe is taken (32 / lanes)
  bool scoreboard = false;     ///< variable latency: the result is released through a scoreboard entry
};

struct ClockConfig {
  Hertz sm{1'000'000'000};
  Hertz l2{1'000'000'000};    ///< L2 slices and crossbar
  Hertz dram{1'000'000'000};  ///< DRAM command clock
};

struct SmConfig {
  std::uint32_t count = 1;
  std::uint32_t subcores = 4;    ///< 1, 2 or 4
  std::uint32_t max_warps = 64;  ///< per SM, at most 64
  std::uint32_t max_ctas = 32;
  std::uint32_t max_threads = 2048;
  std::uint32_t registers = 65536;       ///< 32-bit, per SM
  std::uint32_t register_granule = 256;  ///< registers are given to a warp in multiples of this
  std::uint32_t warp_granule = 4;        ///< warps of a CTA are rounded up to this for registers
  std::string scheduler = "gto";         ///< WarpScheduler part: gto, gty, lrr
  std::uint32_t register_banks = 2;      ///< per sub-core; 0 switches bank conflicts off
  bool reuse_cache = true;               ///< one operand-reuse entry per source slot
  std::uint32_t branch_bubble = 10;      ///< SM cycles lost by a taken branch
  std::uint32_t warp_start = 8;          ///< SM cycles from a CTA's arrival to its first instruction fetch
  std::uint32_t tensor_fma = 128;        ///< FP16 multiply-adds per sub-core and cycle
  std::uint32_t tensor_latency = 18;     ///< SM cycles beyond the pipe occupancy of a tensor instruction
  std::array<ClassTiming, isa::kInstClasses> classes{};
};

struct InstructionCacheConfig {
  bool enabled = true;
  Bytes l0_size{12 * 1024};   ///< per sub-core
  Bytes l1_size{128 * 1024};  ///< per SM
  Bytes line{128};
  std::uint32_t l0_ways = 4;
  std::uint32_t l1_ways = 4;
  std::uint32_t l1_latency = 20;     ///< SM cycles, L0 miss served by the L1
  std::uint32_t prefetch_lines = 4;  ///< lines the L0's stream prefetcher runs ahead; 0 = off
  std::uint32_t inst_bytes = 16;     ///< encoded size of an instruction
};

struct SharedConfig {
  Bytes per_sm{96 * 1024};    ///< most that CTAs of one SM may hold together
  Bytes per_cta{96 * 1024};   ///< most that one CTA may hold
  Bytes reserved_per_cta{0};  ///< taken by the system for each CTA
  Bytes granule{256};
  std::uint32_t banks = 32;
  std::uint32_t latency = 23;          ///< SM cycles, conflict-free load to use
  std::uint32_t register_latency = 1;  ///< SM cycles more for each further 32-bit register of a load
  std::uint32_t conflict_latency = 1;  ///< SM cycles more for each pass due to a bank conflict
  std::uint32_t atomic_latency = 40;   ///< SM cycles, one uncontended lane address
};

struct L1Config {
  bool enabled = true;        ///< caches global loads
  Bytes unified{128 * 1024};  ///< L1 data + shared memory
  Bytes max_data{0};          ///< most the L1 data part may have; 0 = whatever shared memory leaves
  Bytes line{128};
  Bytes sector{32};
  std::uint32_t ways = 4;
  std::uint32_t latency = 28;          ///< SM cycles, hit, issue to use
  std::uint32_t mshrs = 256;           ///< lines in flight
  std::string allocation = "on-fill";  ///< on-fill (streaming) or on-miss
  std::uint32_t queue = 4;             ///< memory instructions a sub-core may have waiting for the LD/ST unit
  std::uint32_t max_stores = 512;      ///< sectors of stores and atomics in flight per SM
  std::uint32_t fill_latency = 10;     ///< SM cycles from a reply's arrival to a dependent issue
  std::uint32_t conflict_latency = 0;  ///< SM cycles more, of hits, for each pass due to a bank conflict
};

struct ConstantConfig {
  Bytes l1_size{2 * 1024};
  Bytes line{64};
  std::uint32_t latency = 42;  ///< SM cycles, first-level hit
  std::uint32_t miss_latency =
      113;  ///< SM cycles, first touch of an LDC's line by an SM, served by the next level
};

struct XbarConfig {
  std::uint32_t latency = 48;        ///< L2 cycles, one way; the engine's look-ahead
  std::uint32_t sm_send = 32;        ///< bytes per L2 cycle an SM can send
  std::uint32_t sm_receive = 64;     ///< bytes per L2 cycle an SM can receive
  std::uint32_t slice_receive = 32;  ///< bytes per L2 cycle a slice can take
  std::uint32_t slice_send = 64;     ///< bytes per L2 cycle a slice can send
  std::uint32_t header = 8;          ///< bytes of a packet besides its data
};

struct L2Config {
  Bytes size{6 * 1024 * 1024};
  std::uint32_t slices_per_channel = 2;
  std::uint32_t ways = 16;
  Bytes line{128};
  Bytes sector{32};
  std::uint32_t latency = 60;  ///< L2 cycles from a request's arrival at the slice to its reply's departure
  std::uint32_t mshrs = 128;   ///< lines in flight per slice
  std::uint32_t sectors_per_cycle = 2;  ///< data bandwidth of a slice
  std::string replacement = "lru";      ///< Replacement part: lru, random, plru ...
  std::uint32_t partitions = 1;         ///< 2 on A100 and H100: SMs and slices belong to halves
  std::uint32_t far_latency = 0;        ///< L2 cycles more, each way, when an SM uses the other half
  bool replicate = false;  ///< with two partitions: the half of the reader keeps a copy of far lines
  std::uint32_t dirty_percent = 100;  ///< of a set's ways that may be dirty; more are written back at once
  bool coalesce = false;  ///< a read joins the reply to another SM that reads the same line just then
  std::uint32_t atomic_latency = 0;   ///< L2 cycles of the atomics unit beyond a load's latency
  std::uint32_t atomic_interval = 1;  ///< L2 cycles between two operations on the same address
  Bytes interleave{256};              ///< consecutive bytes that stay in one slice
};

struct DramConfig {
  std::string kind = "hbm2";
  std::uint32_t channels = 32;  ///< independent channels, each with its own command and data bus
  Bytes bus{16};                ///< bytes per DRAM command clock on one channel (width x data rate / 8)
  Bytes burst{32};              ///< bytes of one column access
  std::uint32_t banks = 16;     ///< per channel
  std::uint32_t bank_groups = 4;
  Bytes row{1024};  ///< bytes of an open row in one bank of one channel
  std::uint32_t tRCD = 14, tRP = 14, tCL = 14, tRAS = 33, tCCD_S = 2, tCCD_L = 4;  ///< DRAM clocks
  std::uint32_t tRRD = 4, tFAW = 16, tWR = 16, tWTR = 8, tRTW = 6, tRTP = 5, tCWL = 4;
  std::uint32_t tREFI = 3900, tRFC = 260;  ///< DRAM clocks; tREFI = 0 switches refresh off
  std::uint32_t queue = 64;                ///< reads waiting per channel
  std::uint32_t write_queue = 64;          ///< writes waiting per channel
  std::uint32_t write_high = 48;           ///< writes begin to drain at this depth
  std::uint32_t write_low = 16;            ///< and stop at this one when reads wait
  std::uint32_t extra_latency = 40;        ///< DRAM clocks of controller and PHY beyond the bank timing
  std::uint32_t age_cap = 400;  ///< DRAM clocks a request may be passed over by row hits of its bank
};

struct LinkConfig {
  bool timed = true;
  std::uint64_t latency_ns = 1000;           ///< fixed cost of one copy
  std::uint64_t to_device = 12'000'000'000;  ///< bytes per second
  std::uint64_t to_host = 12'000'000'000;    ///< bytes per second
};

/// What launching costs, as one of the profilers sees it.
struct LaunchCosts {
  std::uint32_t kernel_cycles = 0;       ///< SM cycles before the first CTA is placed
  std::uint32_t cta_interval_milli = 0;  ///< thousandths of an SM cycle between two CTAs, whole GPU
  std::uint32_t cta_latency = 0;         ///< SM cycles from placement to arrival at the SM
  std::uint32_t warp_interval = 0;       ///< SM cycles between two warps of a CTA becoming ready on an SM
};

/// Launch costs differ by who measures them: view nsys (in a running program) or ncu (under the profiler).
struct LaunchConfig {
  std::string view = "nsys";
  std::uint32_t kernel_cycles = 1800;
  std::uint32_t kernel_cycles_ncu = 3100;
  std::uint32_t cta_interval_milli = 1090;
  std::uint32_t cta_interval_milli_ncu = 1090;
  std::uint32_t cta_latency = 100;  ///< at least one crossbar latency
  std::uint32_t cta_latency_ncu = 100;
  std::uint32_t warp_interval = 1;
  std::uint32_t warp_interval_ncu = 1;
  std::string policy = "round-robin";  ///< CtaPolicy part
};

/// A complete machine. A value: copy it, change it, build two of them in one process.
struct Machine {
  std::string name;
  std::string title;              ///< e.g. "NVIDIA H100 PCIe 80 GB"
  std::uint32_t sm_version = 70;  ///< compute capability times ten
  isa::Generation generation = isa::Generation::volta;
  Bytes memory{std::uint64_t{16} << 30};
  ClockConfig clock;
  SmConfig sm;
  InstructionCacheConfig icache;
  SharedConfig shared;
  L1Config l1;
  ConstantConfig constant;
  XbarConfig xbar;
  L2Config l2;
  DramConfig dram;
  LinkConfig link;
  LaunchConfig launch;
  UvmConfig uvm;
  CdmaConfig cdma;

  [[nodiscard]] const ClassTiming& timing(isa::InstClass cls) const {
    return sm.classes[static_cast<std::size_t>(cls)];
  }
  /// Those of the view.
  [[nodiscard]] LaunchCosts launch_costs() const {
    if (launch.view == "ncu") {
      return {launch.kernel_cycles_ncu, launch.cta_interval_milli_ncu, launch.cta_latency_ncu,
              launch.warp_interval_ncu};
    }
    return {launch.kernel_cycles, launch.cta_interval_milli, launch.cta_latency, launch.warp_interval};
  }
  [[nodiscard]] std::uint32_t slices() const { return dram.channels * l2.slices_per_channel; }
};

}  // namespace wg::config
