#include "gpu/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/reader.hpp"

namespace wg::gpu::test {

config::Machine machine(const std::string& name, const std::vector<std::string>& settings) {
  const config::Directories directories = {std::filesystem::path(WG_SOURCE_DIR) / "gpus"};
  return config::load_machine(name, settings, directories);
}

config::Machine small_machine() {
  return machine("v100", {"sm.count=16", "dram.channels=8", "l2.size=1MiB", "launch.kernel_cycles=200"});
}

trace::Workload builder(const config::Machine& machine, const std::string& uri) {
  return kernels::open_builder(uri, machine.sm_version);
}

trace::Workload workload_of(sm::test::Code code) {
  const auto warps = static_cast<std::uint32_t>(code.ctas.at(0).size());
  code.header.block = {warps * 32, 1, 1};
  code.header.grid = {static_cast<std::uint32_t>(code.ctas.size()), 1, 1};
  trace::Workload workload;
  workload.name = "bench";
  workload.commands.emplace_back(sm::test::make_kernel(std::move(code)));
  return workload;
}

RunResult run_uri(const config::Machine& machine, const std::string& uri, const RunOptions& options) {
  return run(machine, builder(machine, uri), options);
}

std::uint64_t counter(const std::vector<CounterValue>& counters, std::string_view name) {
  for (const CounterValue& value : counters) {
    if (value.info->name == name) {
      return std::get<std::uint64_t>(value.value);
    }
  }
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

namespace {

void add_counters(std::string& out, const std::vector<CounterValue>& counters) {
  for (const CounterValue& value : counters) {
    if (const auto* number = std::get_if<std::uint64_t>(&value.value)) {
      out += fmt::format("{} {}\n", value.info->name, *number);
    } else {
      out += fmt::format("{} {:a}\n", value.info->name, std::get<double>(value.value));
    }
  }
}

void add_slots(std::string& out, const sm::StallCycles& slots) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    out += fmt::format("{} {}\n", sm::name_of(static_cast<sm::Stall>(i)), slots[i]);
  }
}

}  // namespace

std::string text_of(const KernelResult& kernel) {
  std::string out =
      fmt::format("kernel {} id {} {} cycles {} ps {} instructions {} threads {} ctas {} complete {}\n",
                  kernel.index, kernel.id, kernel.name, kernel.cycles, kernel.time_ps,
                  kernel.warp_instructions, kernel.thread_instructions, kernel.ctas, kernel.complete);
  out += fmt::format("occupancy {} {} {} {} {:a}\n", kernel.occupancy.ctas_per_sm,
                     kernel.occupancy.warps_per_sm, kernel.occupancy.max_warps_per_sm,
                     kernel.occupancy.limited_by, kernel.occupancy.achieved_warps);
  out += fmt::format("slots {} issued {}\n", kernel.issue_slots, kernel.issued_slots);
  add_slots(out, kernel.slots);
  add_counters(out, kernel.counters);
  for (const PcProfile& profile : kernel.profile) {
    out += fmt::format("pc {:x} {} {} {}\n", profile.pc, profile.mnemonic, profile.issues, profile.threads);
    add_slots(out, profile.stalls);
  }
  for (const Limit& limit : kernel.limits) {
    out += fmt::format("limit {} {} {:a} {:a}\n", limit.name, limit.unit, limit.used, limit.peak);
  }
  for (const Interval& interval : kernel.timeline) {
    out += fmt::format("interval {} {}\n", interval.begin_cycle, interval.end_cycle);
    add_counters(out, interval.counters);
  }
  for (const std::string& warning : kernel.warnings) {
    out += warning + "\n";
  }
  return out;
}

std::string text_of(const RunResult& result) {
  std::string out;
  for (const KernelResult& kernel : result.kernels) {
    out += text_of(kernel);
  }
  out += fmt::format("totals: complete {} stopped by {} slots {} issued {}\n", result.complete,
                     result.stopped_by, result.issue_slots, result.issued_slots);
  add_slots(out, result.slots);
  add_counters(out, result.totals);
  for (const CopyResult& copy : result.copies) {
    out += fmt::format("copy {} {:x} {} {}\n", copy.kind, copy.address, copy.bytes, copy.time_ps);
  }
  return out;
}

std::vector<const trace::Kernel*> kernels_of(const trace::Workload& workload) {
  std::vector<const trace::Kernel*> kernels;
  for (const trace::Command& command : workload.commands) {
    if (const auto* kernel = std::get_if<std::shared_ptr<const trace::Kernel>>(&command)) {
      kernels.push_back(kernel->get());
    }
  }
  return kernels;
}

std::uint64_t traced_instructions(const trace::Kernel& kernel) {
  const auto source = kernel.open();
  const auto decoder = kernel.decoder();
  trace::CtaBlob blob;
  trace::CtaTrace cta;
  std::uint64_t sum = 0;
  while (source->next(blob)) {
    decoder->decode(blob, cta);
    sum += cta.insts.size();
  }
  return sum;
}

void expect_sound(const config::Machine& machine, const trace::Workload& workload, const RunResult& result) {
  const std::vector<const trace::Kernel*> kernels = kernels_of(workload);
  for (const KernelResult& kernel : result.kernels) {
    SCOPED_TRACE(fmt::format("{} kernel {} on {}", workload.name, kernel.index, machine.name));
    const auto of = [&kernel](std::string_view name) { return counter(kernel.counters, name); };
    std::uint64_t slots = kernel.issued_slots;
    for (const std::uint64_t reason : kernel.slots) {
      slots += reason;
    }
    EXPECT_EQ(slots, kernel.issue_slots);
    EXPECT_EQ(kernel.issue_slots, kernel.cycles * machine.sm.count * machine.sm.subcores);
    EXPECT_EQ(kernel.slots[static_cast<std::size_t>(sm::Stall::not_selected)], 0U);
    if (!kernel.complete) {
      continue;
    }
    EXPECT_EQ(kernel.warp_instructions, traced_instructions(*kernels.at(kernel.index - 1)));
    EXPECT_EQ(kernel.ctas, kernel.grid.count());
    EXPECT_EQ(of("sectors_requested"), of("sectors_answered"));
    EXPECT_EQ(of("l2_load_sectors") + of("l2_store_sectors") + of("l2_atomic_sectors") +
                  of("l2_instruction_sectors"),
              of("sectors_requested"));
    EXPECT_EQ(of("l2_requests"), of("request_packets"));
    // What the L1 neither has nor expects is asked of the L2; merges of local loads are not counted.
    const std::uint64_t missed =
        of("l1_load_sectors") - of("l1_load_sector_hits") - of("l1_load_sector_merges");
    const std::uint64_t local = of("l1_local_sectors") - of("l1_local_sector_hits");
    EXPECT_GE(of("l2_load_sectors"), missed + of("bypass_sectors"));
    EXPECT_LE(of("l2_load_sectors"), missed + of("bypass_sectors") + local);
    EXPECT_EQ(of("l2_store_sectors"), of("l1_store_sectors"));
    EXPECT_EQ(of("l2_atomic_sectors"), of("atomic_sectors"));
  }
}

}  // namespace wg::gpu::test
