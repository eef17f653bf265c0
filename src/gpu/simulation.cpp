#include "gpu/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "base/error.hpp"
#include "config/reader.hpp"
#include "gpu/derived.hpp"
#include "gpu/engine.hpp"
#include "host/cdma/copy.hpp"

namespace wg::gpu {
namespace {

const char* kind_name(trace::CopyKind kind) {
  switch (kind) {
    case trace::CopyKind::host_to_device:
      return "HtoD";
    case trace::CopyKind::device_to_host:
      return "DtoH";
    case trace::CopyKind::device_to_device:
      return "DtoD";
  }
  return "";
}

std::vector<PcProfile> hottest(const Engine& engine, std::size_t count) {
  std::map<std::pair<std::uint64_t, std::string_view>, PcProfile> by_pc;
  for (const std::unique_ptr<sm::Sm>& sm : engine.sms()) {
    const std::span<const sm::InstProfile> profile = sm->profile();
    for (std::uint32_t i = 0; i < profile.size(); ++i) {
      if (profile[i].issues == 0) {
        continue;
      }
      const isa::StaticInst& inst = sm->decoder().instructions()[i];
      const std::string_view mnemonic = sm->decoder().mnemonic(i);
      PcProfile& sum = by_pc[{inst.pc, mnemonic}];
      sum.pc = inst.pc;
      sum.mnemonic = mnemonic;
      sum.line = inst.line;
      sum.issues += profile[i].issues;
      sum.threads += profile[i].threads;
      for (std::size_t reason = 0; reason < sm::kStalls; ++reason) {
        sum.stalls[reason] += profile[i].stalls[reason];
      }
    }
  }
  std::vector<PcProfile> all;
  for (auto& [key, profile] : by_pc) {
    all.push_back(std::move(profile));
  }
  std::stable_sort(all.begin(), all.end(), [](const PcProfile& a, const PcProfile& b) {
    return a.stalled() + a.issues > b.stalled() + b.issues;
  });
  all.resize(std::min(all.size(), count));
  all.shrink_to_fit();  // results of thousands of kernels are kept
  return all;
}

void add_warnings(const Engine& engine, const trace::KernelHeader& header, KernelResult& result) {
  isa::Generation traced = isa::Generation::volta;
  const config::Machine& machine = engine.machine();
  if (isa::generation_of(header.binary_version, traced) && traced != machine.generation) {
    result.warnings.push_back(fmt::format(
        "kernel {}: recorded for {} (sm_{}), run on {} ({}) with its own opcode table", header.id,
        isa::name_of(traced), header.binary_version, machine.name, isa::name_of(machine.generation)));
  }
  std::uint64_t unfinished = 0;
  for (const std::unique_ptr<sm::Sm>& sm : engine.sms()) {
    unfinished += sm->unfinished_warps();
  }
  if (unfinished > 0) {
    result.warnings.push_back(fmt::format(
        "kernel {}: {} warps do not end in EXIT; the recording may be cut off", header.id, unfinished));
  }
  if (header.registers == 0) {
    result.warnings.push_back(
        fmt::format("kernel {}: its header names no registers, so they do not limit occupancy", header.id));
  }
  std::set<std::string_view> unknown;
  for (const std::unique_ptr<sm::Sm>& sm : engine.sms()) {
    const std::span<const sm::InstProfile> profile = sm->profile();
    for (std::uint32_t i = 0; i < profile.size(); ++i) {
      if (!sm->decoder().instructions()[i].known) {
        unknown.insert(sm->decoder().mnemonic(i));
      }
    }
  }
  const std::uint64_t count = [&] {
    std::uint64_t sum = 0;
    for (const std::unique_ptr<sm::Sm>& sm : engine.sms()) {
      sum += sm->counters().classes[static_cast<std::size_t>(isa::InstClass::other)];
    }
    return sum;
  }();
  if (!unknown.empty()) {
    result.warnings.push_back(
        fmt::format("kernel {}: {} warp instructions of {} unknown opcodes timed as integer: {}", header.id,
                    count, unknown.size(), fmt::join(unknown, " ")));
  }
}

std::vector<Interval> timeline(const config::Machine& machine, const KernelRun& run, std::uint64_t length) {
  std::vector<Interval> out;
  MachineCounters before;
  const auto add = [&](const MachineCounters& now, std::uint64_t begin, std::uint64_t end) {
    out.push_back({begin, end, describe(machine, difference(now, before), end - begin)});
    before = now;
  };
  std::uint64_t begin = 0;
  for (const MachineCounters& now : run.intervals) {
    if (begin + length < run.cycles) {
      add(now, begin, begin + length);
      begin += length;
    }
  }
  if (begin < run.cycles) {
    add(run.counters, begin, run.cycles);
  }
  return out;
}

KernelResult result_of(const Engine& engine, const trace::Kernel& kernel, const KernelRun& run,
                       const RunOptions& options) {
  const trace::KernelHeader& header = kernel.header();
  const config::Machine& machine = engine.machine();
  const sm::SmCounters& counters = run.counters.sm;
  KernelResult result;
  result.id = header.id;
  result.name = header.name;
  result.grid = header.grid;
  result.block = header.block;
  result.cycles = run.cycles;
  result.time_ps = run.cycles * Clock(machine.clock.sm).period_ps();
  result.warp_instructions = counters.warp_instructions;
  result.thread_instructions = counters.thread_instructions;
  result.ctas = counters.ctas;
  result.complete = run.end == KernelEnd::finished;
  result.occupancy = {.ctas_per_sm = run.fit.ctas,
                      .warps_per_sm = run.fit.warps,
                      .max_warps_per_sm = machine.sm.max_warps,
                      .limited_by = run.fit.limited_by,
                      .achieved_warps = counters.active_cycles == 0
                                            ? 0.0
                                            : static_cast<double>(counters.warp_cycles) /
                                                  static_cast<double>(counters.active_cycles)};
  result.issue_slots = run.cycles * machine.sm.count * machine.sm.subcores;
  result.issued_slots = counters.warp_instructions;
  result.slots = counters.slots;
  result.counters = describe(machine, run.counters, run.cycles);
  result.profile = hottest(engine, options.profile_size);
  result.limits = limits_of(machine, run.counters, run.cycles, run.uvm ? run.uvm->service_ps : 0);
  if (options.timeline_cycles != 0) {
    result.timeline = timeline(machine, run, options.timeline_cycles);
  }
  result.uvm = run.uvm;
  add_warnings(engine, header, result);
  return result;
}

/// What the kernels so far add up to, kept as the run goes on.
class Totals {
 public:
  void add(const KernelResult& kernel) {
    const MachineCounters counters = counters_of(kernel.counters);
    sum_.sm.add(counters.sm);
    add_counters<mem::PartitionCounters>(sum_.mem, counters.mem, mem::PartitionCounters::fields());
    cycles_ += kernel.cycles;
    issue_slots_ += kernel.issue_slots;
    issued_slots_ += kernel.issued_slots;
    for (std::size_t i = 0; i < sm::kStalls; ++i) {
      slots_[i] += kernel.slots[i];
    }
  }
  void write(const config::Machine& machine, RunResult& run) const {
    run.issue_slots = issue_slots_;
    run.issued_slots = issued_slots_;
    run.slots = slots_;
    run.totals = describe(machine, sum_, cycles_);
    run.totals.insert(run.totals.begin(), {dictionary().front(), cycles_});
  }

 private:
  MachineCounters sum_;
  std::uint64_t cycles_ = 0;
  std::uint64_t issue_slots_ = 0;
  std::uint64_t issued_slots_ = 0;
  sm::StallCycles slots_{};
};

/// What is managed memory: nothing, unless the machine says that there is any.
std::vector<host::uvm::Allocation> managed(const config::Machine& machine, const trace::Workload& workload) {
  if (machine.uvm.enable) {
    return host::uvm::allocations_of(workload);
  }
  if (machine.uvm.oversubscription != 0) {
    throw Error({.where = "uvm.oversubscription",
                 .expected = "uvm.enable = true beside it: without managed memory nothing moves",
                 .found = "uvm.enable = false"});
  }
  return {};
}

/// One run in progress.
class Run {
 public:
  Run(const config::Machine& machine, const trace::Workload& workload, const RunOptions& options)
      : machine_(machine),
        workload_(workload),
        options_(options),
        engine_(machine, std::max(1U, options.threads), options.epoch_ps, managed(machine, workload)),
        copy_engine_(machine) {
    engine_.measure_split(options.split);
    result_.gpu = machine.name;
    result_.machine_hash = fmt::format("{:016x}", config::machine_hash(machine));
    result_.workload = workload.name;
    result_.workload_hash = fmt::format("{:016x}", workload.hash);
    result_.threads = std::max(1U, options.threads);
    result_.clock_hz = machine.clock.sm.count();
    result_.warnings = workload.warnings;
    warn_of_streams();
  }

  RunResult go(const Resume* resume) {
    std::uint64_t done_before = 0;
    std::size_t copies_before = 0;
    if (resume != nullptr) {
      result_.kernels = resume->finished.kernels;
      result_.copies = resume->finished.copies;
      result_.warnings = resume->finished.warnings;
      done_before = result_.kernels.empty() ? 0 : result_.kernels.back().index;
      copies_before = copies_kept_ = result_.copies.size();
      for (const KernelResult& kernel : result_.kernels) {
        total_cycles_ += kernel.cycles;
        total_instructions_ += kernel.warp_instructions;
        totals_.add(kernel);
      }
      engine_.load(resume->state);
      result_.uvm = engine_.uvm();
    }
    std::uint64_t index = 0;
    std::size_t copies = 0, link_copies = 0;
    for (const trace::Command& command : workload_.commands) {
      if (const auto* copy = std::get_if<trace::Copy>(&command)) {
        if (++copies > copies_before) {
          run_copy(*copy, link_copies);
        }
        link_copies += copy->kind == trace::CopyKind::device_to_device ? 0 : 1;
        continue;
      }
      ++index;
      if (index <= done_before || !wanted(index)) {
        continue;
      }
      if (!run_kernel(*std::get<std::shared_ptr<const trace::Kernel>>(command), index)) {
        result_.complete = false;
        // A resumed run repeats the copies that led to the kernel it lost.
        result_.copies.resize(copies_kept_);
        break;
      }
    }
    if (result_.complete) {
      end_beside_nothing();
    }
    totals_.write(machine_, result_);
    result_.uvm = engine_.uvm();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool wanted(std::uint64_t index) const {
    return options_.kernels.empty() ||
           std::find(options_.kernels.begin(), options_.kernels.end(), index) != options_.kernels.end();
  }

  void warn_of_streams() {
    std::set<std::uint64_t> streams;
    for (const trace::Command& command : workload_.commands) {
      if (const auto* kernel = std::get_if<std::shared_ptr<const trace::Kernel>>(&command)) {
        streams.insert((*kernel)->header().stream);
      }
    }
    if (streams.size() > 1) {
      result_.warnings.push_back(
          fmt::format("kernels of {} streams run one after the other, in the order of the list: on the GPU "
                      "they may overlap",
                      streams.size()));
    }
  }

  [[nodiscard]] std::uint64_t kernel_count() const {
    if (!options_.kernels.empty()) {
      return options_.kernels.size();
    }
    return static_cast<std::uint64_t>(
        std::count_if(workload_.commands.begin(), workload_.commands.end(), [](const trace::Command& c) {
          return std::holds_alternative<std::shared_ptr<const trace::Kernel>>(c);
        }));
  }

  /// `index`: its place among the copies over the link.
  void run_copy(const trace::Copy& copy, std::size_t index) {
    const host::cdma::CopyCost cost = copy_engine_.cost(copy, index);
    engine_.copied(copy, cost.time_ps);
    const bool beside = machine_.cdma.overlap && copy.kind == trace::CopyKind::device_to_host;
    const DramTraffic dram = beside ? DramTraffic{} : engine_.copy(copy);
    if (beside) {
      beside_.push_back(copy);
    }
    result_.copies.push_back({.kind = kind_name(copy.kind),
                              .address = copy.address,
                              .bytes = copy.bytes.count(),
                              .time_ps = cost.time_ps,
                              .link_bytes = cost.link_bytes,
                              .crossbar_bytes = cost.crossbar_bytes,
                              .dram_read_bytes = dram.read,
                              .dram_write_bytes = dram.written});
    if (beside) {
      beside_places_.push_back(result_.copies.size() - 1);
    }
  }

  /// What the copies that run beside the next kernel read, one after the other.
  [[nodiscard]] std::vector<mem::CopyRead> reads_beside() const {
    std::vector<mem::CopyRead> reads;
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < beside_.size(); ++i) {
      const std::uint64_t time = result_.copies[beside_places_[i]].time_ps;
      reads.push_back({beside_[i].address, beside_[i].bytes.count(), begin, time});
      begin += time;
    }
    return reads;
  }

  /// The copies beside a kernel are over.
  void end_beside(std::span<const mem::CopyRead> reads, std::span<const mem::CopyReadEnd> ends) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      CopyResult& copy = result_.copies[beside_places_[i]];
      copy.dram_read_bytes = ends[i].read_bytes;
      if (ends[i].end_ps > reads[i].begin_ps) {
        copy.time_ps = std::max(copy.time_ps, ends[i].end_ps - reads[i].begin_ps);
      }
    }
    beside_.clear();
    beside_places_.clear();
  }

  /// Copies that no kernel follows read alone.
  void end_beside_nothing() {
    for (std::size_t i = 0; i < beside_.size(); ++i) {
      result_.copies[beside_places_[i]].dram_read_bytes = engine_.copy(beside_[i]).read;
    }
    beside_.clear();
    beside_places_.clear();
  }

  bool run_kernel(const trace::Kernel& kernel, std::uint64_t index) {
    // A kernel shorter than the interval of polling would never notice.
    if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) {
      result_.stopped_by = "interrupt";
      return false;
    }
    if (options_.max_cycles != 0 && total_cycles_ >= options_.max_cycles) {
      result_.stopped_by = "limit";
      return false;
    }
    KernelLimits limits{.max_cycles = options_.max_cycles == 0 ? 0 : options_.max_cycles - total_cycles_,
                        .interval_cycles = options_.timeline_cycles,
                        .copies = reads_beside(),
                        .poll = [&](std::uint64_t cycles, std::uint64_t ctas, std::uint64_t instructions) {
                          return poll(kernel, index, cycles, ctas, instructions);
                        }};
    const KernelRun run = engine_.run_kernel(kernel, options_.cold, limits);
    end_beside(limits.copies, run.copies);
    KernelResult result = result_of(engine_, kernel, run, options_);
    result.index = index;
    total_cycles_ += result.cycles;
    total_instructions_ += result.warp_instructions;
    result_.warnings.insert(result_.warnings.end(), result.warnings.begin(), result.warnings.end());
    totals_.add(result);
    result_.kernels.push_back(std::move(result));
    if (run.end != KernelEnd::finished) {
      result_.stopped_by = run.end == KernelEnd::limit ? "limit" : "interrupt";
      return false;
    }
    copies_kept_ = result_.copies.size();
    result_.uvm = engine_.uvm();
    if (options_.checkpoint) {
      totals_.write(machine_, result_);
      options_.checkpoint(result_, options_.keep_state ? engine_.save() : std::vector<std::uint8_t>{});
    }
    return true;
  }

  bool poll(const trace::Kernel& kernel, std::uint64_t index, std::uint64_t cycles, std::uint64_t ctas,
            std::uint64_t instructions) {
    if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) {
      return false;
    }
    const auto now = std::chrono::steady_clock::now();
    if (options_.progress && now - last_progress_ > std::chrono::milliseconds(100)) {
      last_progress_ = now;
      options_.progress({.kernel_index = options_.kernels.empty() ? index : result_.kernels.size() + 1,
                         .kernel_count = kernel_count(),
                         .kernel_name = kernel.header().name,
                         .ctas_done = ctas,
                         .ctas_total = kernel.header().grid.count(),
                         .cycles = cycles,
                         .warp_instructions = instructions,
                         .total_cycles = total_cycles_ + cycles,
                         .total_warp_instructions = total_instructions_ + instructions});
    }
    return true;
  }

  const config::Machine& machine_;
  const trace::Workload& workload_;
  const RunOptions& options_;
  Engine engine_;
  host::cdma::CopyEngine copy_engine_;
  RunResult result_;
  Totals totals_;
  std::vector<trace::Copy> beside_;         ///< copies that wait for a kernel to run beside
  std::vector<std::size_t> beside_places_;  ///< of them in the result
  std::size_t copies_kept_ = 0;             ///< copies made before the last finished kernel ended
  std::uint64_t total_cycles_ = 0;
  std::uint64_t total_instructions_ = 0;
  std::chrono::steady_clock::time_point last_progress_;
};

}  // namespace

RunResult run(const config::Machine& machine, const trace::Workload& workload, const RunOptions& options,
              const Resume* resume) {
  return Run(machine, workload, options).go(resume);
}

}  // namespace wg::gpu
