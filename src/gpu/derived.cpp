#include "gpu/derived.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace wg::gpu {
namespace {

struct Input {
  const config::Machine& machine;
  const MachineCounters& counters;
  double cycles;

  [[nodiscard]] double seconds() const { return cycles / static_cast<double>(machine.clock.sm.count()); }
  [[nodiscard]] double sm_cycles() const { return cycles * machine.sm.count; }
};

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }
double number(std::uint64_t value) { return static_cast<double>(value); }

struct Derived {
  CounterInfo info;
  double (*value)(const Input&);
};

double l2_bytes(const Input& in) {
  const mem::PartitionCounters& m = in.counters.mem;
  return number(m.l2_load_sectors + m.l2_store_sectors + m.l2_atomic_sectors + m.l2_instruction_sectors) *
         number(in.machine.l2.sector.count());
}

double dram_peak(const config::Machine& m) {
  return number(m.dram.bus.count()) * m.dram.channels * number(m.clock.dram.count());
}

double l2_peak(const config::Machine& m) {
  return number(m.l2.sector.count()) * m.l2.sectors_per_cycle * m.slices() * number(m.clock.l2.count());
}

constexpr double kGiga = 1e9;

constexpr std::array kDerived = {
    Derived{{"time_us", "us", "time at the configured SM clock", "gpu__time_duration.sum"},
            [](const Input& in) { return in.seconds() * 1e6; }},
    Derived{{"ipc", "instructions/cycle", "warp instructions per cycle, whole GPU", ""},
            [](const Input& in) { return ratio(number(in.counters.sm.warp_instructions), in.cycles); }},
    Derived{{"ipc_per_sm", "instructions/cycle", "warp instructions per cycle and SM",
             "sm__inst_executed.avg.per_cycle_elapsed"},
            [](const Input& in) { return ratio(number(in.counters.sm.warp_instructions), in.sm_cycles()); }},
    Derived{{"thread_ipc", "instructions/cycle", "thread instructions per cycle, whole GPU", ""},
            [](const Input& in) { return ratio(number(in.counters.sm.thread_instructions), in.cycles); }},
    Derived{{"simd_efficiency", "ratio", "active lanes of an issued instruction over 32",
             "smsp__thread_inst_executed_per_inst_executed.ratio"},
            [](const Input& in) {
              return ratio(number(in.counters.sm.thread_instructions),
                           32.0 * number(in.counters.sm.warp_instructions));
            }},
    Derived{
        {"issue_share", "ratio", "issue slots used", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed"},
        [](const Input& in) {
          return ratio(number(in.counters.sm.warp_instructions), in.sm_cycles() * in.machine.sm.subcores);
        }},
    Derived{{"sm_active_share", "ratio", "SM cycles with a resident warp",
             "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
            [](const Input& in) { return ratio(number(in.counters.sm.active_cycles), in.sm_cycles()); }},
    Derived{{"achieved_occupancy", "ratio", "resident warps over the most an SM can hold, while it held any",
             "sm__warps_active.avg.pct_of_peak_sustained_active"},
            [](const Input& in) {
              return ratio(number(in.counters.sm.warp_cycles),
                           number(in.counters.sm.active_cycles) * in.machine.sm.max_warps);
            }},
    Derived{{"l1_load_hit_rate", "ratio", "sectors of global loads found in the L1",
             "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"},
            [](const Input& in) {
              return ratio(number(in.counters.sm.l1_load_sector_hits),
                           number(in.counters.sm.l1_load_sectors));
            }},
    Derived{{"l1_store_hit_rate", "ratio", "sectors of stores also present in the L1",
             "l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct"},
            [](const Input& in) {
              return ratio(number(in.counters.sm.l1_store_sector_hits),
                           number(in.counters.sm.l1_store_sectors));
            }},
    Derived{{"l1_local_hit_rate", "ratio", "sectors of local loads found in the L1",
             "l1tex__t_sector_pipe_lsu_mem_local_op_ld_hit_rate.pct"},
            [](const Input& in) {
              return ratio(number(in.counters.sm.l1_local_sector_hits),
                           number(in.counters.sm.l1_local_sectors));
            }},
    Derived{{"sectors_per_load_request", "sectors/request", "sectors per global load instruction",
             "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
            [](const Input& in) {
              return ratio(number(in.counters.sm.l1_load_sectors + in.counters.sm.bypass_sectors),
                           number(in.counters.sm.global_load_instructions));
            }},
    Derived{{"sectors_per_store_request", "sectors/request", "sectors per global or local store instruction",
             "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"},
            [](const Input& in) {
              return ratio(
                  number(in.counters.sm.l1_store_sectors),
                  number(in.counters.sm.global_store_instructions + in.counters.sm.local_store_instructions));
            }},
    Derived{{"shared_conflict_share", "ratio", "shared memory passes due to bank conflicts",
             "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared.avg"},
            [](const Input& in) {
              return ratio(number(in.counters.sm.shared_conflict_passes),
                           number(in.counters.sm.shared_passes));
            }},
    Derived{{"l2_load_hit_rate", "ratio", "sectors of loads found in the L2",
             "lts__t_sector_op_read_hit_rate.pct"},
            [](const Input& in) {
              return ratio(number(in.counters.mem.l2_load_sector_hits),
                           number(in.counters.mem.l2_load_sectors));
            }},
    Derived{{"l2_store_hit_rate", "ratio", "sectors of stores found in the L2",
             "lts__t_sector_op_write_hit_rate.pct"},
            [](const Input& in) {
              return ratio(number(in.counters.mem.l2_store_sector_hits),
                           number(in.counters.mem.l2_store_sectors));
            }},
    Derived{{"l2_atomic_hit_rate", "ratio", "sectors of atomics found in the L2",
             "lts__t_sector_op_atom_hit_rate.pct"},
            [](const Input& in) {
              return ratio(number(in.counters.mem.l2_atomic_sector_hits),
                           number(in.counters.mem.l2_atomic_sectors));
            }},
    Derived{
        {"l2_bandwidth", "GB/s", "sectors moved by the L2 for SMs, per time", "lts__t_bytes.sum.per_second"},
        [](const Input& in) { return ratio(l2_bytes(in), in.seconds()) / kGiga; }},
    Derived{{"l2_bandwidth_share", "ratio", "of the slices' data ports",
             "lts__t_bytes.avg.pct_of_peak_sustained_elapsed"},
            [](const Input& in) { return ratio(ratio(l2_bytes(in), in.seconds()), l2_peak(in.machine)); }},
    Derived{
        {"dram_read_bandwidth", "GB/s", "bytes read from DRAM per time", "dram__bytes_read.sum.per_second"},
        [](const Input& in) { return ratio(number(in.counters.mem.dram_read_bytes), in.seconds()) / kGiga; }},
    Derived{{"dram_write_bandwidth", "GB/s", "bytes written to DRAM per time",
             "dram__bytes_write.sum.per_second"},
            [](const Input& in) {
              return ratio(number(in.counters.mem.dram_write_bytes), in.seconds()) / kGiga;
            }},
    Derived{{"dram_bandwidth_share", "ratio", "of the peak of the DRAM buses",
             "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
            [](const Input& in) {
              const double bytes = number(in.counters.mem.dram_read_bytes + in.counters.mem.dram_write_bytes);
              return ratio(ratio(bytes, in.seconds()), dram_peak(in.machine));
            }},
    Derived{{"dram_row_hit_rate", "ratio", "DRAM accesses that found their row open", ""},
            [](const Input& in) {
              const mem::PartitionCounters& m = in.counters.mem;
              return ratio(number(m.dram_row_hits),
                           number(m.dram_row_hits + m.dram_row_misses + m.dram_row_conflicts));
            }},
    Derived{{"dram_read_latency", "ns", "mean time of a DRAM read from its queue to its data", ""},
            [](const Input& in) {
              return ratio(number(in.counters.mem.dram_read_latency_cycles),
                           number(in.counters.mem.dram_reads)) *
                     1e9 / number(in.machine.clock.dram.count());
            }},
};

// Calls visit(info, value) for every raw counter in dictionary order.
template <class Counters, class Visit>
void for_each_raw(Counters& counters, Visit visit) {
  for (const auto& field : sm::SmCounters::fields()) {
    visit(field.info, counters.sm.*field.member);
  }
  for (std::size_t i = 0; i < config::kPipes; ++i) {
    if (static_cast<config::Pipe>(i) != config::Pipe::none) {
      visit(sm::pipe_info(static_cast<config::Pipe>(i)), counters.sm.pipe_busy[i]);
    }
  }
  for (std::size_t i = 0; i < isa::kInstClasses; ++i) {
    visit(sm::class_info(static_cast<isa::InstClass>(i)), counters.sm.classes[i]);
  }
  for (std::size_t i = 0; i < sm::kStalls; ++i) {
    if (static_cast<sm::Stall>(i) != sm::Stall::not_selected) {
      visit(sm::slot_info(static_cast<sm::Stall>(i)), counters.sm.slots[i]);
    }
  }
  for (const auto& field : mem::PartitionCounters::fields()) {
    visit(field.info, counters.mem.*field.member);
  }
}

constexpr CounterInfo kCycles = {"cycles", "cycles", "SM cycles of the kernel, launch cost included",
                                 "sm__cycles_elapsed.max"};

}  // namespace

std::vector<CounterValue> describe(const config::Machine& machine, const MachineCounters& counters,
                                   std::uint64_t cycles) {
  std::vector<CounterValue> out;
  for_each_raw(counters,
               [&out](const CounterInfo& info, std::uint64_t value) { out.push_back({&info, value}); });
  const Input input{machine, counters, number(cycles)};
  for (const Derived& derived : kDerived) {
    out.push_back({&derived.info, derived.value(input)});
  }
  return out;
}

MachineCounters counters_of(std::span<const CounterValue> values) {
  MachineCounters counters;
  for_each_raw(counters, [values](const CounterInfo& info, std::uint64_t& value) {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&info](const CounterValue& v) { return v.info->name == info.name; });
    if (found != values.end()) {
      const std::uint64_t* stored = std::get_if<std::uint64_t>(&found->value);
      value = stored != nullptr ? *stored : 0;
    }
  });
  return counters;
}

MachineCounters difference(const MachineCounters& a, const MachineCounters& b) {
  MachineCounters out = a;
  std::vector<std::uint64_t> subtract;
  for_each_raw(b, [&subtract](const CounterInfo&, std::uint64_t value) { subtract.push_back(value); });
  std::size_t i = 0;
  for_each_raw(out, [&](const CounterInfo&, std::uint64_t& value) { value -= subtract[i++]; });
  return out;
}

std::vector<Limit> limits_of(const config::Machine& machine, const MachineCounters& counters,
                             std::uint64_t cycles, std::uint64_t fault_service_ps) {
  const Input in{machine, counters, number(cycles)};
  const double slots = number(machine.sm.subcores) * machine.sm.count;
  std::vector<Limit> out;
  const auto per_cycle = [&](const char* name, const char* unit, double used, double peak) {
    out.push_back({name, unit, ratio(used, in.cycles), peak});
  };
  per_cycle("issue slots", "instructions/cycle", number(counters.sm.warp_instructions), slots);
  for (std::size_t i = 0; i < config::kPipes; ++i) {
    if (counters.sm.pipe_busy[i] > 0) {
      const std::string_view name = sm::pipe_info(static_cast<config::Pipe>(i)).name;  // pipe_X_cycles
      const std::string pipe(name.substr(5, name.size() - 5 - 7));
      out.push_back(
          {pipe + " pipe", "busy sub-cores", ratio(number(counters.sm.pipe_busy[i]), in.cycles), slots});
    }
  }
  per_cycle("LD/ST unit", "passes/cycle", number(counters.sm.lsu_busy_cycles), number(machine.sm.count));
  out.push_back(
      {"L2 bandwidth", "GB/s", ratio(l2_bytes(in), in.seconds()) / kGiga, l2_peak(machine) / kGiga});
  const double replies =
      number(machine.xbar.sm_receive) * machine.sm.count * number(machine.clock.l2.count());
  out.push_back({"crossbar to SMs", "GB/s", ratio(number(counters.sm.reply_bytes), in.seconds()) / kGiga,
                 replies / kGiga});
  const double requests = number(machine.xbar.sm_send) * machine.sm.count * number(machine.clock.l2.count());
  out.push_back({"crossbar from SMs", "GB/s", ratio(number(counters.sm.request_bytes), in.seconds()) / kGiga,
                 requests / kGiga});
  const double dram = number(counters.mem.dram_read_bytes + counters.mem.dram_write_bytes);
  out.push_back({"DRAM bandwidth", "GB/s", ratio(dram, in.seconds()) / kGiga, dram_peak(machine) / kGiga});
  if (fault_service_ps != 0) {
    out.push_back({"fault driver", "busy share", ratio(number(fault_service_ps) * 1e-12, in.seconds()), 1});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Limit& a, const Limit& b) { return a.share() > b.share(); });
  return out;
}

std::span<const CounterInfo* const> dictionary() {
  static const std::vector<const CounterInfo*> entries = [] {
    std::vector<const CounterInfo*> list = {&kCycles};
    MachineCounters none;
    for_each_raw(none, [&list](const CounterInfo& info, std::uint64_t) { list.push_back(&info); });
    for (const Derived& derived : kDerived) {
      list.push_back(&derived.info);
    }
    return list;
  }();
  return entries;
}

}  // namespace wg::gpu
