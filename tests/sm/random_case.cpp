#include "random_case.hpp"

#include <array>
#include <bit>

namespace wg::sm::test {
namespace {

using isa::InstClass;
using isa::Space;

std::uint32_t between(Rng& rng, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(rng.below(high - low + 1));
}

bool one_in(Rng& rng, std::uint32_t n) { return rng.below(n) == 0; }

template <class T, std::size_t N>
T one_of(Rng& rng, const std::array<T, N>& values) {
  return values[rng.below(N)];
}

isa::RegRange random_range(Rng& rng) {
  if (one_in(rng, 8)) {
    return {static_cast<std::uint16_t>(between(rng, isa::kRegPredicate0, isa::kRegPredicate0 + 3)), 1};
  }
  const auto count = one_of(rng, std::array<std::uint16_t, 5>{1, 1, 1, 2, 4});
  return {static_cast<std::uint16_t>(between(rng, 0, 11)), count};
}

/// A piece of code that some warps repeat or skip.
struct Piece {
  std::uint32_t first = 0, last = 0;  ///< static instructions
  std::uint32_t rounds = 1;
  bool same_for_all = false;  ///< has a barrier: every warp of the CTA runs it alike
};

class Generator {
 public:
  Generator(Rng& rng, const config::Machine& machine, bool may_hang) : rng_(rng), may_hang_(may_hang) {
    code_.header.id = 7;
    code_.header.name = "random";
    max_warps_ = std::min(machine.sm.max_warps, 6U);
    pc_step_ = machine.icache.inst_bytes;
  }

  Code make() {
    const std::uint32_t pieces = between(rng_, 1, 4);
    std::vector<Piece> plan;
    for (std::uint32_t i = 0; i < pieces; ++i) {
      plan.push_back(piece());
    }
    const std::uint32_t exit = code_.exit();
    for (std::size_t i = 0; i < code_.insts.size(); ++i) {
      code_.insts[i].pc = i * pc_step_;
    }
    const std::uint32_t ctas = between(rng_, 1, 4);
    const std::uint32_t warps = between(rng_, 1, max_warps_);
    for (std::uint32_t cta = 0; cta < ctas; ++cta) {
      add_cta(plan, warps, exit);
    }
    code_.header.block = {warps * 32, 1, 1};
    code_.header.grid = {ctas, 1, 1};
    return std::move(code_);
  }

 private:
  Piece piece() {
    Piece piece{.first = static_cast<std::uint32_t>(code_.insts.size())};
    const std::uint32_t length = between(rng_, 1, 10);
    for (std::uint32_t i = 0; i < length; ++i) {
      const std::uint32_t inst = instruction();
      piece.same_for_all |= !may_hang_ && code_.insts[inst].cls == InstClass::barrier;
    }
    piece.rounds = one_in(rng_, 2) ? 1 : between(rng_, 1, 3);
    if (piece.rounds > 1) {
      code_.inst(InstClass::branch, {}, {{isa::kRegPredicate0, 1}});
    }
    piece.last = static_cast<std::uint32_t>(code_.insts.size()) - 1;
    return piece;
  }

  std::uint32_t with_registers(std::uint32_t index, std::uint32_t dst, std::uint32_t src) {
    isa::StaticInst& inst = code_.insts[index];
    inst.dst_count = static_cast<std::uint8_t>(dst);
    inst.src_count = static_cast<std::uint8_t>(src);
    for (std::uint32_t i = 0; i < dst; ++i) {
      inst.dst[i] = random_range(rng_);
    }
    for (std::uint32_t i = 0; i < src; ++i) {
      inst.src[i] = random_range(rng_);
    }
    return index;
  }

  std::uint32_t instruction() {
    switch (rng_.below(8)) {
      case 0:
      case 1:
      case 2:
        return memory();
      case 3:
        return control();
      default:
        return compute();
    }
  }

  std::uint32_t compute() {
    constexpr std::array<InstClass, 14> kClasses = {
        InstClass::fp32, InstClass::fp32,    InstClass::integer,   InstClass::imad,    InstClass::imad_wide,
        InstClass::mufu, InstClass::fp64,    InstClass::tensor,    InstClass::wgmma,   InstClass::uniform,
        InstClass::vote, InstClass::special, InstClass::predicate, InstClass::constant};
    const std::uint32_t index =
        with_registers(code_.inst(one_of(rng_, kClasses)), between(rng_, 0, 2), between(rng_, 0, 4));
    isa::StaticInst& inst = code_.insts[index];
    if (inst.cls == InstClass::tensor || inst.cls == InstClass::wgmma) {
      inst.tensor_fma = between(rng_, 0, 4096);
      inst.tensor_bits = one_of(rng_, std::array<std::uint8_t, 5>{1, 4, 8, 16, 32});
    }
    if (inst.cls == InstClass::constant && one_in(rng_, 2)) {
      inst.has_address = true;
      inst.width = 4;
    }
    return index;
  }

  std::uint32_t control() {
    switch (may_hang_ && one_in(rng_, 2) ? 0 : rng_.below(5)) {
      case 0: {
        const std::uint32_t index = code_.inst(InstClass::barrier);
        code_.insts[index].imm = static_cast<std::int32_t>(between(rng_, 0, 2));
        return index;
      }
      case 1:
        return code_.inst(InstClass::membar);
      case 2:
        return code_.inst(InstClass::nop);
      default: {
        const std::uint32_t index = code_.inst(InstClass::depbar);
        isa::StaticInst& inst = code_.insts[index];
        inst.group = one_of(
            rng_, std::array{isa::GroupOp::commit_copy, isa::GroupOp::commit_copy, isa::GroupOp::wait_copy,
                             isa::GroupOp::wait_copy, isa::GroupOp::commit_bulk, isa::GroupOp::wait_wgmma});
        inst.imm = static_cast<std::int32_t>(between(rng_, 0, 2));
        return index;
      }
    }
  }

  std::uint32_t memory() {
    constexpr std::array<InstClass, 13> kClasses = {
        InstClass::load,      InstClass::load,    InstClass::load,   InstClass::store,  InstClass::store,
        InstClass::store,     InstClass::atomic,  InstClass::ldgsts, InstClass::ldgsts, InstClass::ldsm,
        InstClass::reduction, InstClass::shuffle, InstClass::texture};
    const InstClass cls = one_of(rng_, kClasses);
    constexpr std::array<Space, 5> kSpaces = {Space::global, Space::global, Space::shared, Space::local,
                                              Space::generic};
    Space space = one_of(rng_, kSpaces);
    std::uint32_t width = one_of(rng_, std::array<std::uint32_t, 6>{1, 2, 4, 4, 8, 16});
    const bool writes = cls == InstClass::store || cls == InstClass::reduction || cls == InstClass::ldgsts;
    if (cls == InstClass::ldsm) {
      space = Space::shared;
      width = 16;
    } else if (cls == InstClass::texture) {
      space = Space::texture;
    } else if (cls == InstClass::ldgsts) {
      space = Space::global;
      width = std::max(4U, width);
    } else if ((cls == InstClass::atomic || cls == InstClass::reduction) && space == Space::local) {
      space = Space::global;
    }
    const std::uint32_t index = code_.access(cls, space, width);
    with_registers(index, writes ? 0 : between(rng_, one_in(rng_, 8) ? 0 : 1, 1), between(rng_, 1, 3));
    isa::StaticInst& inst = code_.insts[index];
    inst.bypass_l1 = one_in(rng_, 6);
    if (cls == InstClass::ldsm) {
      inst.address_lanes = one_of(rng_, std::array<std::uint8_t, 3>{8, 16, 32});
    }
    if (cls == InstClass::shuffle || one_in(rng_, cls == InstClass::texture ? 2 : 20)) {
      inst.has_address = false;
      inst.width = cls == InstClass::shuffle ? std::uint8_t{0} : inst.width;
    }
    return index;
  }

  void add_cta(const std::vector<Piece>& plan, std::uint32_t warps, std::uint32_t exit) {
    CtaCode cta;
    for (std::uint32_t w = 0; w < warps; ++w) {
      WarpCode warp;
      if (one_in(rng_, 40) && w > 0) {
        cta.push_back(warp);  // a warp without instructions
        continue;
      }
      const bool leaves_early = one_in(rng_, 10);
      for (const Piece& piece : plan) {
        if (leaves_early && one_in(rng_, 3)) {
          break;
        }
        const bool skip = !piece.same_for_all && one_in(rng_, 6);
        const std::uint32_t rounds =
            skip ? 0 : piece.rounds + (piece.same_for_all || piece.rounds == 1 ? 0 : between(rng_, 0, 2));
        for (std::uint32_t round = 0; round < rounds; ++round) {
          for (std::uint32_t inst = piece.first; inst <= piece.last; ++inst) {
            warp.push_back(record(inst));
          }
        }
      }
      warp.push_back({.inst = exit, .list = {}});
      cta.push_back(std::move(warp));
    }
    code_.ctas.push_back(std::move(cta));
  }

  Op record(std::uint32_t index) {
    const isa::StaticInst& inst = code_.insts[index];
    Op op{.inst = index, .list = {}};
    if (inst.cls != InstClass::barrier && inst.cls != InstClass::exit) {
      const std::uint64_t kind = rng_.below(10);
      op.mask = kind == 0   ? 0
                : kind < 4  ? static_cast<std::uint32_t>(rng_.next())
                : kind == 4 ? 1U << rng_.below(32)
                            : ~0U;
    }
    if (inst.has_address && op.mask != 0) {
      add_addresses(op, inst);
    }
    return op;
  }

  void add_addresses(Op& op, const isa::StaticInst& inst) {
    op.has_address = true;
    std::uint64_t region = 0x1000'0000;
    std::uint64_t size = one_in(rng_, 2) ? 1024 : 16 * 1024;
    if (inst.space == Space::shared) {
      region = 0;
      size = 4096;
    } else if (inst.space == Space::local) {
      region = 0;
      size = 64;
    } else if (inst.space == Space::generic) {
      const std::uint64_t window = rng_.below(4);
      region = window == 0 ? code_.header.shared_base : window == 1 ? code_.header.local_base : region;
      size = 1024;
    }
    const std::uint64_t align = one_in(rng_, 6) ? 1 : inst.width;
    const auto place = [&] { return region + rng_.below(size) / align * align; };
    op.base = place();
    op.strided = !one_in(rng_, 3);
    if (op.strided) {
      constexpr std::array<std::int64_t, 9> kStrides = {0, 4, 4, 8, 16, 32, 128, 132, 5};
      op.stride = one_in(rng_, 3) ? inst.width : one_of(rng_, kStrides);
      return;
    }
    for (int lane = 0; lane < std::popcount(op.mask); ++lane) {
      op.list.push_back(one_in(rng_, 4) && !op.list.empty() ? op.list.back() : place());
    }
  }

  Rng& rng_;
  bool may_hang_;
  Code code_;
  std::uint32_t max_warps_;
  std::uint64_t pc_step_;
};

}  // namespace

Code random_code(Rng& rng, const config::Machine& machine, bool may_hang) {
  return Generator(rng, machine, may_hang).make();
}

config::Machine random_machine(Rng& rng) {
  config::Machine m = bench_machine();
  m.sm.subcores = one_of(rng, std::array<std::uint32_t, 3>{1, 2, 4});
  m.sm.max_warps = one_in(rng, 5) ? 64 : m.sm.subcores * between(rng, 2, 4);
  m.sm.max_ctas = between(rng, 1, 4);
  m.sm.scheduler = one_of(rng, std::array<const char*, 3>{"gto", "gty", "lrr"});
  m.sm.register_banks = one_of(rng, std::array<std::uint32_t, 3>{0, 2, 4});
  m.sm.reuse_cache = one_in(rng, 2);
  m.sm.branch_bubble = between(rng, 0, 12);
  m.sm.warp_start = between(rng, 0, 9);
  m.sm.tensor_fma = between(rng, 1, 256);
  m.sm.tensor_latency = between(rng, 0, 20);
  for (config::ClassTiming& timing : m.sm.classes) {
    timing.latency = one_in(rng, 16) ? between(rng, 1, 300) : between(rng, 1, 12);
    timing.interval = between(rng, 1, 8);
    timing.scoreboard = one_in(rng, 3);
  }
  m.icache.enabled = !one_in(rng, 3);
  m.icache.inst_bytes = one_of(rng, std::array<std::uint32_t, 2>{8, 16});
  m.icache.line = Bytes{std::uint64_t{32} << rng.below(4)};
  m.icache.l0_ways = between(rng, 1, 3);
  m.icache.l0_size = Bytes{m.icache.line.count() * m.icache.l0_ways * between(rng, 1, 3)};
  m.icache.l1_ways = between(rng, 1, 3);
  m.icache.l1_size = Bytes{m.icache.line.count() * m.icache.l1_ways * between(rng, 1, 8)};
  m.icache.l1_latency = between(rng, 1, 25);
  m.icache.prefetch_lines = between(rng, 0, 4);
  m.shared.latency = between(rng, 1, 40);
  m.shared.atomic_latency = between(rng, 1, 60);
  m.shared.conflict_latency = between(rng, 0, 3);
  m.shared.register_latency = between(rng, 0, 3);
  m.shared.banks = one_in(rng, 4) ? 16 : 32;
  m.l1.enabled = !one_in(rng, 5);
  m.l1.ways = between(rng, 1, 4);
  m.l1.latency = between(rng, 1, 40);
  m.l1.mshrs = between(rng, 1, 8);
  m.l1.queue = between(rng, 1, 4);
  m.l1.max_stores = between(rng, 1, 24);
  m.l1.fill_latency = between(rng, 0, 12);
  m.l1.conflict_latency = between(rng, 0, 2);
  m.l1.allocation = one_in(rng, 2) ? "on-fill" : "on-miss";
  m.constant.l1_size = Bytes{64 * (std::uint64_t{1} << rng.below(5))};
  m.constant.latency = between(rng, 1, 40);
  m.constant.miss_latency = m.constant.latency + between(rng, 0, 80);
  m.xbar.latency = between(rng, 1, 30);
  m.xbar.sm_send = one_of(rng, std::array<std::uint32_t, 3>{8, 32, 64});
  m.xbar.sm_receive = one_of(rng, std::array<std::uint32_t, 3>{8, 32, 64});
  m.xbar.header = between(rng, 0, 16);
  m.clock.sm = Hertz{between(rng, 500, 2000) * std::uint64_t{1'000'000}};
  m.clock.l2 = Hertz{between(rng, 500, 2000) * std::uint64_t{1'000'000}};
  m.launch.warp_interval = between(rng, 0, 3);
  m.launch.kernel_cycles = between(rng, 0, 50);
  return m;
}

RandomCase random_case(std::uint64_t seed, bool may_hang) {
  Rng rng(seed);
  RandomCase c{.machine = random_machine(rng), .code = {}, .options = {}};
  c.code = random_code(rng, c.machine, may_hang);
  const std::uint64_t wire = c.machine.xbar.latency * Clock(c.machine.clock.l2).period_ps();
  const std::uint64_t slowest = one_in(rng, 16) ? 300'000 : 30'000;
  c.options.memory = {.latency_ps = rng.below(slowest),
                      .spread_ps = one_in(rng, 2) ? 0 : 1 + rng.below(slowest),
                      .split = one_in(rng, 2),
                      .seed = seed};
  c.options.l1_bytes = rng.below(24) * 128;
  c.options.epoch_ps = one_in(rng, 2) ? 0 : 1 + rng.below(wire);
  c.options.first_launch_ps = rng.below(40'000);
  c.options.launch_gap_ps = rng.below(3'000);
  c.options.relaunch_ps = rng.below(60'000);
  c.options.growing = one_in(rng, 2);
  return c;
}

}  // namespace wg::sm::test
