// The rows of the field table.
#include <vector>

#include "config/field_access.hpp"
#include "config/fields_cdma.hpp"
#include "config/fields_uvm.hpp"

namespace wg::config {
namespace {

using detail::bind;
using detail::bind_class;
using detail::choice;
using detail::Names;
using detail::NamesOf;
using detail::number;
using detail::Range;
using detail::required;
using detail::size;
using Rows = std::vector<Field>;
using M = Machine;

constexpr std::array<std::string_view, 3> kSchedulers{"gto", "gty", "lrr"};
constexpr std::array<std::string_view, 2> kAllocations{"on-fill", "on-miss"};
constexpr std::array<std::string_view, 3> kReplacements{"lru", "random", "plru"};
constexpr std::array<std::string_view, 2> kViews{"nsys", "ncu"};
constexpr std::array<std::string_view, 3> kPolicies{"round-robin", "least-loaded", "fill"};
constexpr std::array<std::string_view, 9> kDramKinds{"gddr5", "gddr5x", "gddr6", "gddr6x", "hbm",
                                                     "hbm2",  "hbm2e",  "hbm3",  "hbm3e"};

constexpr std::uint64_t kKi = 1024;
constexpr std::uint64_t kMi = kKi * kKi;
constexpr std::uint64_t kGi = kKi * kMi;
constexpr std::uint64_t kMHz = 1'000'000;
constexpr std::uint64_t kGBps = 1'000'000'000;
constexpr Range kAnyLatency{0, 100'000};
constexpr Range kLatency{1, 100'000};
constexpr Range kLine{16, 1024};
constexpr Range kWays{1, 1024};
constexpr Range kPort{1, 4096};
constexpr Range kEntries{1, 65'536};
constexpr Range kCache{kKi / 8, 4 * kGi};
constexpr const char* kSm = "SM cycles";
constexpr const char* kL2 = "L2 cycles";
constexpr const char* kDram = "DRAM clocks";

void add_general(Rows& rows) {
  const auto clock = [](Field field) {
    return required(number(std::move(field), {kMHz, 10'000 * kMHz}, "hertz", Measure::hertz));
  };
  rows.push_back(bind<&M::name>("name", "Short name; the file's name when not set by the file itself"));
  rows.push_back(bind<&M::title>("title", "Full product name for reports"));
  rows.push_back(
      required(number(bind<&M::sm_version>("sm_version", "Compute capability times ten"), {20, 999}, "")));
  rows.push_back(required(
      choice(bind<&M::generation>("generation", "GPU generation"), NamesOf<isa::Generation>::kNames)));
  rows.push_back(required(size(bind<&M::memory>("memory", "Device memory"), {kMi, 16 * kKi * kGi})));
  rows.push_back(clock(bind<&M::clock, &ClockConfig::sm>("clock.sm", "SM clock")));
  rows.push_back(
      clock(bind<&M::clock, &ClockConfig::l2>("clock.l2", "Clock of the L2 slices and the crossbar")));
  rows.push_back(clock(bind<&M::clock, &ClockConfig::dram>("clock.dram", "DRAM command clock")));
}

void add_sm(Rows& rows) {
  using S = SmConfig;
  const auto count = [&](Field field, Range range, const char* unit = "") {
    rows.push_back(number(std::move(field), range, unit));
  };
  rows.push_back(required(number(bind<&M::sm, &S::count>("sm.count", "SMs of the GPU"), {1, 1024}, "")));
  count(bind<&M::sm, &S::subcores>("sm.subcores", "Sub-cores of an SM: 1, 2 or 4"), {1, 4});
  count(bind<&M::sm, &S::max_warps>("sm.max_warps", "Warps resident on an SM"), {1, 64}, "warps");
  count(bind<&M::sm, &S::max_ctas>("sm.max_ctas", "CTAs resident on an SM"), {1, 64}, "CTAs");
  count(bind<&M::sm, &S::max_threads>("sm.max_threads", "Threads resident on an SM"), {32, 2048}, "threads");
  count(bind<&M::sm, &S::registers>("sm.registers", "32-bit registers of an SM"), {1024, kMi}, "registers");
  count(
      bind<&M::sm, &S::register_granule>("sm.register_granule", "A warp's registers are rounded up to this"),
      {1, 8192}, "registers");
  count(
      bind<&M::sm, &S::warp_granule>("sm.warp_granule", "A CTA's warps are rounded up to this for registers"),
      {1, 8}, "warps");
  rows.push_back(choice(bind<&M::sm, &S::scheduler>("sm.scheduler", "Warp scheduler part"), kSchedulers));
  count(
      bind<&M::sm, &S::register_banks>("sm.register_banks", "Register banks of a sub-core; 0 = no conflicts"),
      {0, 8});
  rows.push_back(bind<&M::sm, &S::reuse_cache>("sm.reuse_cache", "One operand-reuse entry per source slot"));
  count(bind<&M::sm, &S::branch_bubble>("sm.branch_bubble", "Lost by a taken branch"), kAnyLatency, kSm);
  count(bind<&M::sm, &S::warp_start>("sm.warp_start", "From a CTA's arrival to its first fetch"), kAnyLatency,
        kSm);
  count(bind<&M::sm, &S::tensor_fma>("sm.tensor_fma", "FP16 multiply-adds of a sub-core per cycle"),
        {1, 65'536}, "FMA per SM cycle");
  count(bind<&M::sm, &S::tensor_latency>("sm.tensor_latency",
                                         "Beyond the pipe occupancy of a tensor instruction"),
        kAnyLatency, kSm);
}

void add_classes(Rows& rows) {
  constexpr Range kClassCycles{1, 1000};
  for (std::size_t i = 0; i < isa::kInstClasses; ++i) {
    const auto cls = static_cast<isa::InstClass>(i);
    rows.push_back(
        choice(bind_class<&ClassTiming::pipe>(cls, "pipe", "Execution pipe"), NamesOf<Pipe>::kNames));
    rows.push_back(
        number(bind_class<&ClassTiming::latency>(cls, "latency", "From issue to a dependent's issue"),
               kClassCycles, kSm));
    rows.push_back(
        number(bind_class<&ClassTiming::interval>(cls, "interval", "The pipe is taken: 32 / lanes"),
               kClassCycles, kSm));
    rows.push_back(bind_class<&ClassTiming::scoreboard>(
        cls, "scoreboard", "Variable latency: the result is released through a scoreboard entry"));
  }
}

void add_icache(Rows& rows) {
  using I = InstructionCacheConfig;
  rows.push_back(bind<&M::icache, &I::enabled>("icache.enabled", "Model instruction fetch"));
  rows.push_back(
      size(bind<&M::icache, &I::l0_size>("icache.l0_size", "L0 of a sub-core"), {kKi / 8, 16 * kMi}));
  rows.push_back(size(bind<&M::icache, &I::l1_size>("icache.l1_size", "L1 of an SM"), {kKi / 8, 16 * kMi}));
  rows.push_back(size(bind<&M::icache, &I::line>("icache.line", "Line of both levels"), kLine));
  rows.push_back(number(bind<&M::icache, &I::l0_ways>("icache.l0_ways", "Ways of the L0"), kWays, ""));
  rows.push_back(number(bind<&M::icache, &I::l1_ways>("icache.l1_ways", "Ways of the L1"), kWays, ""));
  rows.push_back(number(bind<&M::icache, &I::l1_latency>("icache.l1_latency", "L0 miss served by the L1"),
                        kLatency, kSm));
  rows.push_back(number(bind<&M::icache, &I::prefetch_lines>("icache.prefetch_lines",
                                                             "Lines the L0 prefetcher runs ahead; 0 = off"),
                        {0, 64}, "lines"));
  rows.push_back(
      number(bind<&M::icache, &I::inst_bytes>("icache.inst_bytes", "Encoded size of an instruction"), {4, 64},
             "bytes"));
}

void add_shared(Rows& rows) {
  using S = SharedConfig;
  const Range any{0, 16 * kMi};
  rows.push_back(
      size(bind<&M::shared, &S::per_sm>("shared.per_sm", "Most that the CTAs of an SM hold"), {1, 16 * kMi}));
  rows.push_back(
      size(bind<&M::shared, &S::per_cta>("shared.per_cta", "Most that one CTA holds"), {1, 16 * kMi}));
  rows.push_back(size(
      bind<&M::shared, &S::reserved_per_cta>("shared.reserved_per_cta", "Taken by the system per CTA"), any));
  rows.push_back(size(bind<&M::shared, &S::granule>("shared.granule", "A CTA's share is rounded up to this"),
                      {1, 64 * kKi}));
  rows.push_back(number(bind<&M::shared, &S::banks>("shared.banks", "Banks of four bytes"), {1, 64}, ""));
  rows.push_back(
      number(bind<&M::shared, &S::latency>("shared.latency", "Conflict-free load to use"), kLatency, kSm));
  rows.push_back(number(bind<&M::shared, &S::register_latency>("shared.register_latency",
                                                               "More for each further register of a load"),
                        kLatency, kSm));
  rows.push_back(number(bind<&M::shared, &S::conflict_latency>("shared.conflict_latency",
                                                               "More for each pass due to a conflict"),
                        kLatency, kSm));
  rows.push_back(number(
      bind<&M::shared, &S::atomic_latency>("shared.atomic_latency", "Atomic on one uncontended address"),
      kLatency, kSm));
}

void add_l1(Rows& rows) {
  using L = L1Config;
  rows.push_back(bind<&M::l1, &L::enabled>("l1.enabled", "Caches global loads"));
  rows.push_back(size(bind<&M::l1, &L::unified>("l1.unified", "L1 data and shared memory together"), kCache));
  rows.push_back(
      size(bind<&M::l1, &L::max_data>("l1.max_data", "Most the L1 data part may have; 0 = no limit"),
           {0, 4 * kGi}));
  rows.push_back(size(bind<&M::l1, &L::line>("l1.line", "Line"), kLine));
  rows.push_back(size(bind<&M::l1, &L::sector>("l1.sector", "Sector: what a miss fetches"), kLine));
  rows.push_back(number(bind<&M::l1, &L::ways>("l1.ways", "Ways of a set"), kWays, ""));
  rows.push_back(number(bind<&M::l1, &L::latency>("l1.latency", "Hit, issue to use"), kLatency, kSm));
  rows.push_back(number(bind<&M::l1, &L::mshrs>("l1.mshrs", "Lines in flight"), kEntries, "lines"));
  rows.push_back(
      choice(bind<&M::l1, &L::allocation>("l1.allocation", "When a miss takes its way"), kAllocations));
  rows.push_back(
      number(bind<&M::l1, &L::queue>("l1.queue", "Memory instructions a sub-core may have waiting"),
             {1, 1024}, "instructions"));
  rows.push_back(
      number(bind<&M::l1, &L::max_stores>("l1.max_stores", "Sectors of stores and atomics in flight per SM"),
             kEntries, "sectors"));
  rows.push_back(number(
      bind<&M::l1, &L::fill_latency>("l1.fill_latency", "From a reply's arrival to a dependent's issue"),
      kAnyLatency, kSm));
  rows.push_back(number(bind<&M::l1, &L::conflict_latency>(
                            "l1.conflict_latency", "More, for each pass of a hit due to a bank conflict"),
                        kAnyLatency, kSm));
}

void add_constant_and_xbar(Rows& rows) {
  using C = ConstantConfig;
  using X = XbarConfig;
  rows.push_back(
      size(bind<&M::constant, &C::l1_size>("constant.l1_size", "First-level constant cache"), kCache));
  rows.push_back(size(bind<&M::constant, &C::line>("constant.line", "Line"), kLine));
  rows.push_back(
      number(bind<&M::constant, &C::latency>("constant.latency", "First-level hit"), kLatency, kSm));
  rows.push_back(
      number(bind<&M::constant, &C::miss_latency>("constant.miss_latency", "First touch of a line by an SM"),
             kLatency, kSm));
  const char* rate = "bytes per L2 cycle";
  rows.push_back(
      number(bind<&M::xbar, &X::latency>("xbar.latency", "One way; the engine's look-ahead"), kLatency, kL2));
  rows.push_back(number(bind<&M::xbar, &X::sm_send>("xbar.sm_send", "Port of an SM, requests"), kPort, rate));
  rows.push_back(
      number(bind<&M::xbar, &X::sm_receive>("xbar.sm_receive", "Port of an SM, replies"), kPort, rate));
  rows.push_back(number(bind<&M::xbar, &X::slice_receive>("xbar.slice_receive", "Port of a slice, requests"),
                        kPort, rate));
  rows.push_back(
      number(bind<&M::xbar, &X::slice_send>("xbar.slice_send", "Port of a slice, replies"), kPort, rate));
  rows.push_back(number(bind<&M::xbar, &X::header>("xbar.header", "Bytes of a packet besides its data"),
                        {0, 256}, "bytes"));
}

void add_l2(Rows& rows) {
  using L = L2Config;
  rows.push_back(required(size(bind<&M::l2, &L::size>("l2.size", "Whole L2"), kCache)));
  rows.push_back(
      number(bind<&M::l2, &L::slices_per_channel>("l2.slices_per_channel", "Slices on a DRAM channel"),
             {1, 64}, ""));
  rows.push_back(number(bind<&M::l2, &L::ways>("l2.ways", "Ways of a set"), Range{1, 64}, ""));
  rows.push_back(size(bind<&M::l2, &L::line>("l2.line", "Line"), kLine));
  rows.push_back(size(bind<&M::l2, &L::sector>("l2.sector", "Sector: what a miss fetches"), kLine));
  rows.push_back(
      number(bind<&M::l2, &L::latency>("l2.latency", "Hit: arrival at the slice to the reply's departure"),
             kLatency, kL2));
  rows.push_back(
      number(bind<&M::l2, &L::mshrs>("l2.mshrs", "Lines in flight per slice"), {1, 65'535}, "lines"));
  rows.push_back(
      number(bind<&M::l2, &L::sectors_per_cycle>("l2.sectors_per_cycle", "Data bandwidth of a slice"), {1, 8},
             "sectors per L2 cycle"));
  rows.push_back(choice(bind<&M::l2, &L::replacement>("l2.replacement", "Replacement part"), kReplacements));
  rows.push_back(number(bind<&M::l2, &L::partitions>("l2.partitions", "Parts that SMs and slices belong to"),
                        {1, 2}, ""));
  rows.push_back(
      number(bind<&M::l2, &L::far_latency>("l2.far_latency", "More, each way, to a slice of another part"),
             kAnyLatency, kL2));
  rows.push_back(bind<&M::l2, &L::replicate>("l2.replicate", "A reader's half keeps a copy of far lines"));
  rows.push_back(number(
      bind<&M::l2, &L::dirty_percent>("l2.dirty_percent", "Ways of a set that may be dirty"), {1, 100}, "%"));
  rows.push_back(
      bind<&M::l2, &L::coalesce>("l2.coalesce", "Reads of one line that wait together share a reply"));
  rows.push_back(number(
      bind<&M::l2, &L::atomic_latency>("l2.atomic_latency", "Of the atomics unit beyond a load's latency"),
      kAnyLatency, kL2));
  rows.push_back(
      number(bind<&M::l2, &L::atomic_interval>("l2.atomic_interval", "Between two operations on one address"),
             {1, 1000}, kL2));
  rows.push_back(size(
      bind<&M::l2, &L::interleave>("l2.interleave", "Consecutive bytes that stay in one slice"), {32, kMi}));
}

void add_dram(Rows& rows) {
  using D = DramConfig;
  rows.push_back(choice(bind<&M::dram, &D::kind>("dram.kind", "Memory standard, for reports"), kDramKinds));
  rows.push_back(
      required(number(bind<&M::dram, &D::channels>("dram.channels", "Independent channels"), {1, 1024}, "")));
  rows.push_back(
      required(size(bind<&M::dram, &D::bus>("dram.bus", "Bytes per DRAM clock on a channel"), {1, 1024})));
  rows.push_back(size(bind<&M::dram, &D::burst>("dram.burst", "Bytes of one column access"), {8, 1024}));
  rows.push_back(number(bind<&M::dram, &D::banks>("dram.banks", "Banks of a channel"), {1, 64}, ""));
  rows.push_back(
      number(bind<&M::dram, &D::bank_groups>("dram.bank_groups", "Bank groups of a channel"), {1, 256}, ""));
  rows.push_back(size(bind<&M::dram, &D::row>("dram.row", "Open row of a bank"), {64, 64 * kKi}));
  const auto timing = [&](Field field, Range range = kLatency) {
    rows.push_back(number(std::move(field), range, kDram));
  };
  timing(bind<&M::dram, &D::tRCD>("dram.tRCD", "Activate to column access"));
  timing(bind<&M::dram, &D::tRP>("dram.tRP", "Precharge to activate"));
  timing(bind<&M::dram, &D::tCL>("dram.tCL", "Read to data"));
  timing(bind<&M::dram, &D::tRAS>("dram.tRAS", "Activate to precharge"));
  timing(bind<&M::dram, &D::tCCD_S>("dram.tCCD_S", "Column to column, other bank group"));
  timing(bind<&M::dram, &D::tCCD_L>("dram.tCCD_L", "Column to column, same bank group"));
  timing(bind<&M::dram, &D::tRRD>("dram.tRRD", "Activate to activate, other bank"));
  timing(bind<&M::dram, &D::tFAW>("dram.tFAW", "Window of four activates"));
  timing(bind<&M::dram, &D::tWR>("dram.tWR", "Write data to precharge"));
  timing(bind<&M::dram, &D::tWTR>("dram.tWTR", "Write data to read"));
  timing(bind<&M::dram, &D::tRTW>("dram.tRTW", "Read to write, beyond the burst"));
  timing(bind<&M::dram, &D::tRTP>("dram.tRTP", "Read to precharge"));
  timing(bind<&M::dram, &D::tCWL>("dram.tCWL", "Write to data"));
  timing(bind<&M::dram, &D::tREFI>("dram.tREFI", "Between refreshes; 0 = no refresh"), {0, 10'000'000});
  timing(bind<&M::dram, &D::tRFC>("dram.tRFC", "A channel is closed by a refresh"));
  rows.push_back(number(bind<&M::dram, &D::queue>("dram.queue", "Reads waiting per channel"), {1, 4096}, ""));
  rows.push_back(number(bind<&M::dram, &D::write_queue>("dram.write_queue", "Writes waiting per channel"),
                        {1, 4096}, ""));
  rows.push_back(
      number(bind<&M::dram, &D::write_high>("dram.write_high", "Writes begin to drain at this depth"),
             {1, 4096}, ""));
  rows.push_back(number(bind<&M::dram, &D::write_low>("dram.write_low", "Writes stop draining at this depth"),
                        {0, 4096}, ""));
  timing(bind<&M::dram, &D::extra_latency>("dram.extra_latency", "Controller and PHY beyond the bank timing"),
         kAnyLatency);
  timing(bind<&M::dram, &D::age_cap>("dram.age_cap", "A request may be passed over by row hits"));
}

void add_link_and_launch(Rows& rows) {
  using K = LinkConfig;
  using L = LaunchConfig;
  const Range rate{1'000'000, 100'000 * kGBps};
  rows.push_back(bind<&M::link, &K::timed>("link.timed", "Memory copies take time"));
  rows.push_back(number(bind<&M::link, &K::latency_ns>("link.latency", "Fixed cost of one copy"),
                        {0, 1'000'000'000}, "nanoseconds", Measure::nanoseconds));
  rows.push_back(number(bind<&M::link, &K::to_device>("link.to_device", "Host to device"), rate,
                        "bytes per second", Measure::rate));
  rows.push_back(number(bind<&M::link, &K::to_host>("link.to_host", "Device to host"), rate,
                        "bytes per second", Measure::rate));
  rows.push_back(choice(bind<&M::launch, &L::view>("launch.view", "Whose fixed cost a kernel pays"), kViews));
  const auto cost = [&](Field field, Range range, const char* unit) {
    rows.push_back(number(std::move(field), range, unit));
  };
  const char* const ncu = "The same, view ncu";
  const Range cycles{0, 10'000'000};
  const Range milli{0, 100'000'000};
  const Range few{0, 1000};
  cost(bind<&M::launch, &L::kernel_cycles>("launch.kernel_cycles", "Before the first CTA, view nsys"), cycles,
       kSm);
  cost(bind<&M::launch, &L::kernel_cycles_ncu>("launch.kernel_cycles_ncu", ncu), cycles, kSm);
  cost(bind<&M::launch, &L::cta_interval_milli>("launch.cta_interval_milli",
                                                "Between two CTA launches of the whole GPU"),
       milli, "SM cycles / 1000");
  cost(bind<&M::launch, &L::cta_interval_milli_ncu>("launch.cta_interval_milli_ncu", ncu), milli,
       "SM cycles / 1000");
  cost(bind<&M::launch, &L::cta_latency>("launch.cta_latency",
                                         "Placement to arrival; at least one crossbar latency"),
       kLatency, kSm);
  cost(bind<&M::launch, &L::cta_latency_ncu>("launch.cta_latency_ncu", ncu), kLatency, kSm);
  cost(bind<&M::launch, &L::warp_interval>("launch.warp_interval",
                                           "Between two warps of a CTA becoming ready"),
       few, kSm);
  cost(bind<&M::launch, &L::warp_interval_ncu>("launch.warp_interval_ncu", ncu), few, kSm);
  rows.push_back(choice(bind<&M::launch, &L::policy>("launch.policy", "CTA placement part"), kPolicies));
}

Rows make_rows() {
  Rows rows;
  add_general(rows);
  add_sm(rows);
  add_classes(rows);
  add_icache(rows);
  add_shared(rows);
  add_l1(rows);
  add_constant_and_xbar(rows);
  add_l2(rows);
  add_dram(rows);
  add_link_and_launch(rows);
  detail::add_uvm(rows);
  detail::add_cdma(rows);
  return rows;
}

}  // namespace

std::span<const Field> fields() {
  static const Rows rows = make_rows();
  return rows;
}

}  // namespace wg::config
