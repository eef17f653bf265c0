#include "config/check.hpp"

#include <fmt/format.h>

#include <bit>

#include "config/field.hpp"

namespace wg::config {
namespace {

using Checks = std::vector<Check>;

constexpr std::uint64_t kMaxSectors = 8;  ///< sector masks of the messages have eight bits
constexpr std::uint64_t kWarp = 32;

std::string bytes(Bytes amount) { return print_quantity(amount.count(), Measure::bytes); }

/// `text` when the rule is broken.
template <class... Args>
std::string unless(bool holds, fmt::format_string<Args...> text, Args&&... args) {
  return holds ? std::string() : fmt::format(text, std::forward<Args>(args)...);
}

bool uses_lsu(isa::InstClass cls) {
  using enum isa::InstClass;
  return cls == load || cls == store || cls == atomic || cls == reduction || cls == ldgsts || cls == ldsm ||
         cls == shuffle || cls == texture;
}

void add_sm(Checks& checks) {
  checks.push_back({{"sm.subcores", "sm.max_warps"},
                    "1, 2 or 4 sub-cores that share sm.max_warps evenly",
                    [](const Machine& m) {
                      const bool fits =
                          std::has_single_bit(m.sm.subcores) && m.sm.max_warps % m.sm.subcores == 0;
                      return unless(fits, "{} warps on {} sub-cores", m.sm.max_warps, m.sm.subcores);
                    }});
  checks.push_back({{"sm.max_threads", "sm.max_warps"},
                    "sm.max_threads a multiple of 32 and at most 32 x sm.max_warps",
                    [](const Machine& m) {
                      const bool fits =
                          m.sm.max_threads % kWarp == 0 && m.sm.max_threads <= kWarp * m.sm.max_warps;
                      return unless(fits, "{} threads in {} warps", m.sm.max_threads, m.sm.max_warps);
                    }});
  checks.push_back({{"sm.register_granule", "sm.registers"},
                    "sm.register_granule at most sm.registers",
                    [](const Machine& m) {
                      return unless(m.sm.register_granule <= m.sm.registers, "{} of {} registers",
                                    m.sm.register_granule, m.sm.registers);
                    }});
  checks.push_back(
      {{"sm_version", "generation"}, "sm_version and generation that belong together", [](const Machine& m) {
         isa::Generation of_version{};
         const bool known = isa::generation_of(m.sm_version, of_version);
         return unless(known && of_version == m.generation, "sm_version {} with generation {}", m.sm_version,
                       isa::name_of(m.generation));
       }});
}

void add_shared_and_l1(Checks& checks) {
  checks.push_back({{"shared.per_cta", "shared.reserved_per_cta", "shared.per_sm"},
                    "shared.per_cta + shared.reserved_per_cta at most shared.per_sm",
                    [](const Machine& m) {
                      const Bytes cta = m.shared.per_cta + m.shared.reserved_per_cta;
                      return unless(cta <= m.shared.per_sm, "{} of {}", bytes(cta), bytes(m.shared.per_sm));
                    }});
  checks.push_back({{"l1.enabled", "l1.unified", "shared.per_sm", "l1.ways", "l1.line"},
                    "l1.unified with room for shared.per_sm and one L1 set (l1.ways x l1.line)",
                    [](const Machine& m) {
                      const std::uint64_t set = m.l1.enabled ? m.l1.ways * m.l1.line.count() : 0;
                      return unless(m.shared.per_sm.count() + set <= m.l1.unified.count(),
                                    "{} for {} of shared memory and a set of {}", bytes(m.l1.unified),
                                    bytes(m.shared.per_sm), bytes(Bytes{set}));
                    }});
  checks.push_back({{"l1.unified", "l1.ways", "l1.line"},
                    "l1.unified a multiple of l1.ways x l1.line",
                    [](const Machine& m) {
                      return unless(m.l1.unified.count() % (m.l1.ways * m.l1.line.count()) == 0,
                                    "{} with {} ways of {}", bytes(m.l1.unified), m.l1.ways,
                                    bytes(m.l1.line));
                    }});
}

std::string bad_line(Bytes line, Bytes sector) {
  const bool fits = std::has_single_bit(line.count()) && std::has_single_bit(sector.count()) &&
                    sector <= line && line / sector <= kMaxSectors;
  return unless(fits, "a line of {} with sectors of {}", bytes(line), bytes(sector));
}

void add_lines(Checks& checks) {
  checks.push_back({{"l1.line", "l1.sector"},
                    "l1.line and l1.sector powers of two, at most 8 sectors in a line",
                    [](const Machine& m) { return bad_line(m.l1.line, m.l1.sector); }});
  checks.push_back({{"l2.line", "l2.sector"},
                    "l2.line and l2.sector powers of two, at most 8 sectors in a line",
                    [](const Machine& m) { return bad_line(m.l2.line, m.l2.sector); }});
  checks.push_back({{"l1.line", "l2.line"}, "l1.line equal to l2.line", [](const Machine& m) {
                      return unless(m.l1.line == m.l2.line, "{} and {}", bytes(m.l1.line), bytes(m.l2.line));
                    }});
  checks.push_back({{"l1.sector", "l2.sector"}, "l1.sector equal to l2.sector", [](const Machine& m) {
                      return unless(m.l1.sector == m.l2.sector, "{} and {}", bytes(m.l1.sector),
                                    bytes(m.l2.sector));
                    }});
}

/// The LD/ST unit has one queue per sub-core, and that is what the pipe `lsu` stands for.
void add_pipes(Checks& checks) {
  for (std::size_t i = 0; i < isa::kInstClasses; ++i) {
    const auto cls = static_cast<isa::InstClass>(i);
    const std::string key = "sm.class." + std::string(isa::name_of(cls)) + ".pipe";
    const bool memory = uses_lsu(cls);
    checks.push_back({{fields()[find_field(key)].key},
                      memory ? "pipe lsu, the one of the LD/ST unit" : "a pipe other than lsu",
                      [cls, memory](const Machine& m) {
                        const bool on_lsu = m.timing(cls).pipe == Pipe::lsu;
                        return unless(on_lsu == memory, "{} for {}", memory ? "another" : "it",
                                      isa::name_of(cls));
                      }});
  }
}

void add_icache_and_constant(Checks& checks) {
  const auto whole_sets = [](Bytes size, std::uint32_t ways, Bytes line) {
    return unless(size.count() % (ways * line.count()) == 0, "{} with {} ways of {}", bytes(size), ways,
                  bytes(line));
  };
  checks.push_back({{"icache.l0_size", "icache.l0_ways", "icache.line"},
                    "icache.l0_size a multiple of icache.l0_ways x icache.line",
                    [whole_sets](const Machine& m) {
                      return whole_sets(m.icache.l0_size, m.icache.l0_ways, m.icache.line);
                    }});
  checks.push_back({{"icache.l1_size", "icache.l1_ways", "icache.line"},
                    "icache.l1_size a multiple of icache.l1_ways x icache.line",
                    [whole_sets](const Machine& m) {
                      return whole_sets(m.icache.l1_size, m.icache.l1_ways, m.icache.line);
                    }});
  checks.push_back({{"icache.line", "icache.inst_bytes"},
                    "icache.line a power of two and a multiple of icache.inst_bytes",
                    [](const Machine& m) {
                      const bool fits = std::has_single_bit(m.icache.line.count()) &&
                                        m.icache.line.count() % m.icache.inst_bytes == 0;
                      return unless(fits, "a line of {} with instructions of {} bytes", bytes(m.icache.line),
                                    m.icache.inst_bytes);
                    }});
  checks.push_back({{"icache.line", "l2.sector"},
                    "icache.line of one to eight l2.sector, as the L2 delivers it",
                    [](const Machine& m) {
                      const std::uint64_t sectors = m.icache.line / m.l2.sector;
                      return unless(sectors >= 1 && sectors <= kMaxSectors, "a line of {} with sectors of {}",
                                    bytes(m.icache.line), bytes(m.l2.sector));
                    }});
  checks.push_back({{"constant.l1_size", "constant.line"},
                    "constant.line a power of two that divides constant.l1_size",
                    [](const Machine& m) {
                      const bool fits = std::has_single_bit(m.constant.line.count()) &&
                                        m.constant.l1_size.count() % m.constant.line.count() == 0;
                      return unless(fits, "{} in lines of {}", bytes(m.constant.l1_size),
                                    bytes(m.constant.line));
                    }});
  checks.push_back({{"constant.latency", "constant.miss_latency"},
                    "constant.miss_latency at least constant.latency",
                    [](const Machine& m) {
                      return unless(m.constant.miss_latency >= m.constant.latency, "{} and {} cycles",
                                    m.constant.miss_latency, m.constant.latency);
                    }});
}

void add_l2(Checks& checks) {
  checks.push_back({{"l2.size", "dram.channels", "l2.slices_per_channel", "l2.ways", "l2.line"},
                    "l2.size a multiple of dram.channels x l2.slices_per_channel x l2.ways x l2.line",
                    [](const Machine& m) {
                      const std::uint64_t set = m.slices() * m.l2.ways * m.l2.line.count();
                      return unless(m.l2.size.count() % set == 0, "{} over {} slices with {} ways of {}",
                                    bytes(m.l2.size), m.slices(), m.l2.ways, bytes(m.l2.line));
                    }});
  checks.push_back(
      {{"l2.interleave", "l2.line"}, "l2.interleave a multiple of l2.line", [](const Machine& m) {
         const bool fits = m.l2.interleave.count() % m.l2.line.count() == 0;
         return unless(fits, "blocks of {} with lines of {}", bytes(m.l2.interleave), bytes(m.l2.line));
       }});
  checks.push_back({{"l2.partitions", "dram.channels", "sm.count"},
                    "l2.partitions that divide dram.channels, with an SM for each",
                    [](const Machine& m) {
                      const bool fits =
                          m.dram.channels % m.l2.partitions == 0 && m.sm.count >= m.l2.partitions;
                      return unless(fits, "{} parts of {} channels and {} SMs", m.l2.partitions,
                                    m.dram.channels, m.sm.count);
                    }});
}

void add_dram(Checks& checks) {
  checks.push_back(
      {{"dram.banks", "dram.bank_groups"}, "dram.banks a multiple of dram.bank_groups", [](const Machine& m) {
         return unless(m.dram.banks % m.dram.bank_groups == 0, "{} banks in {} groups", m.dram.banks,
                       m.dram.bank_groups);
       }});
  checks.push_back({{"dram.burst", "dram.row", "l2.sector"},
                    "dram.burst that divides dram.row, and divides l2.sector or is a multiple of it",
                    [](const Machine& m) {
                      const std::uint64_t burst = m.dram.burst.count();
                      const std::uint64_t sector = m.l2.sector.count();
                      const bool fits =
                          m.dram.row.count() % burst == 0 && (burst % sector == 0 || sector % burst == 0);
                      return unless(fits, "bursts of {} in rows of {} for sectors of {}", bytes(m.dram.burst),
                                    bytes(m.dram.row), bytes(m.l2.sector));
                    }});
  checks.push_back({{"dram.tRAS", "dram.tRCD"}, "dram.tRAS at least dram.tRCD", [](const Machine& m) {
                      return unless(m.dram.tRAS >= m.dram.tRCD, "{} and {} clocks", m.dram.tRAS, m.dram.tRCD);
                    }});
  checks.push_back({{"dram.tCCD_L", "dram.tCCD_S"}, "dram.tCCD_L at least dram.tCCD_S", [](const Machine& m) {
                      return unless(m.dram.tCCD_L >= m.dram.tCCD_S, "{} and {} clocks", m.dram.tCCD_L,
                                    m.dram.tCCD_S);
                    }});
  checks.push_back({{"dram.tREFI", "dram.tRFC"}, "dram.tREFI 0 or more than dram.tRFC", [](const Machine& m) {
                      return unless(m.dram.tREFI == 0 || m.dram.tREFI > m.dram.tRFC, "{} and {} clocks",
                                    m.dram.tREFI, m.dram.tRFC);
                    }});
  checks.push_back(
      {{"dram.write_low", "dram.write_high", "dram.write_queue"},
       "dram.write_low below dram.write_high, dram.write_high at most dram.write_queue",
       [](const Machine& m) {
         const bool fits = m.dram.write_low < m.dram.write_high && m.dram.write_high <= m.dram.write_queue;
         return unless(fits, "{}, {} and {}", m.dram.write_low, m.dram.write_high, m.dram.write_queue);
       }});
}

/// The engine looks ahead by one crossbar traversal, so a CTA may not arrive sooner than that.
std::string too_soon(const Machine& m, std::uint32_t latency) {
  const std::uint64_t cta = Clock(m.clock.sm).to_ps(latency);
  const std::uint64_t xbar = Clock(m.clock.l2).to_ps(m.xbar.latency);
  return unless(cta >= xbar, "{} SM cycles ({} ps) for {} L2 cycles ({} ps)", latency, cta, m.xbar.latency,
                xbar);
}

void add_launch(Checks& checks) {
  checks.push_back({{"launch.cta_latency", "xbar.latency", "clock.sm", "clock.l2"},
                    "launch.cta_latency at least as long as xbar.latency",
                    [](const Machine& m) { return too_soon(m, m.launch.cta_latency); }});
  checks.push_back({{"launch.cta_latency_ncu", "xbar.latency", "clock.sm", "clock.l2"},
                    "launch.cta_latency_ncu at least as long as xbar.latency",
                    [](const Machine& m) { return too_soon(m, m.launch.cta_latency_ncu); }});
}

void add_uvm(Checks& checks) {
  checks.push_back({{"uvm.tree", "uvm.leaf", "uvm.counter_granule"},
                    "uvm.tree, uvm.leaf and uvm.counter_granule powers of two, uvm.leaf at most uvm.tree",
                    [](const Machine& m) {
                      const UvmConfig& u = m.uvm;
                      const bool fits = std::has_single_bit(u.tree.count()) &&
                                        std::has_single_bit(u.leaf.count()) &&
                                        std::has_single_bit(u.counter_granule.count()) && u.leaf <= u.tree;
                      return unless(fits, "a tree of {}, a leaf of {} and a granule of {}", bytes(u.tree),
                                    bytes(u.leaf), bytes(u.counter_granule));
                    }});
}

void add_cdma(Checks& checks) {
  checks.push_back({{"cdma.buffer", "cdma.line"},
                    "cdma.buffer with room for at least one cdma.line",
                    [](const Machine& m) {
                      return unless(m.cdma.buffer >= m.cdma.line, "{} for a line of {}", bytes(m.cdma.buffer),
                                    bytes(m.cdma.line));
                    }});
  checks.push_back(
      {{"cdma.element", "cdma.line"},
       "cdma.element 1, 2, 4 or 8 and cdma.line a power of two",
       [](const Machine& m) {
         const bool fits = std::has_single_bit(m.cdma.element) && std::has_single_bit(m.cdma.line.count());
         return unless(fits, "values of {} bytes in a line of {}", m.cdma.element, bytes(m.cdma.line));
       }});
}

Checks make_checks() {
  Checks checks;
  add_sm(checks);
  add_shared_and_l1(checks);
  add_lines(checks);
  add_pipes(checks);
  add_icache_and_constant(checks);
  add_l2(checks);
  add_dram(checks);
  add_launch(checks);
  add_uvm(checks);
  add_cdma(checks);
  return checks;
}

}  // namespace

std::span<const Check> checks() {
  static const Checks all = make_checks();
  return all;
}

}  // namespace wg::config
