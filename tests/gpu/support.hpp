// Machines and workloads for tests of the whole, and results as text that must be equal byte for byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/simulation.hpp"
#include "kernels/catalogue.hpp"
#include "sm/bench_kernel.hpp"
#include "trace/workload.hpp"

namespace wg::gpu::test {

/// A machine of gpus/, with settings as on the command line.
config::Machine machine(const std::string& name, const std::vector<std::string>& settings = {});
/// V100 cut down to 16 SMs and 8 channels, so that a test sees many events in few cycles.
config::Machine small_machine();

/// The workload of a kernel: URI in the instructions of the machine.
trace::Workload builder(const config::Machine& machine, const std::string& uri);
/// A workload of one hand-made kernel.
trace::Workload workload_of(sm::test::Code code);

RunResult run_uri(const config::Machine& machine, const std::string& uri, const RunOptions& options = {});

/// A counter of a kernel, interval or run by its dictionary name.
std::uint64_t counter(const std::vector<CounterValue>& counters, std::string_view name);

/// Everything in `totals` and `kernels`, doubles with all their bits.
std::string text_of(const RunResult& result);
std::string text_of(const KernelResult& kernel);

/// Warp instructions of a kernel, counted by decoding it.
std::uint64_t traced_instructions(const trace::Kernel& kernel);
std::vector<const trace::Kernel*> kernels_of(const trace::Workload& workload);

/// What must hold for every kernel of a run, finished or not; reports through GoogleTest.
void expect_sound(const config::Machine& machine, const trace::Workload& workload, const RunResult& result);

}  // namespace wg::gpu::test
