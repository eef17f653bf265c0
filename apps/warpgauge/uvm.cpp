#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/error.hpp"
#include "config/reader.hpp"
#include "host/cdma/copy.hpp"
#include "host/uvm/decide_file.hpp"
#include "host/uvm/from_trace.hpp"
#include "host/uvm/generate.hpp"
#include "host/uvm/replay.hpp"
#include "host/uvm/stream_file.hpp"
#include "open.hpp"
#include "options.hpp"
#include "places.hpp"
#include "report/files.hpp"
#include "stoppable.hpp"
#include "trace/output_file.hpp"

namespace wg::app {
namespace {

namespace uvm = host::uvm;

constexpr const char* kBatchColumns =
    "batch,start_ns,time_ns,raw,coalesced,duplicates,unique,vablocks,faulted,prefetched,evictions,evicted,"
    "transfers_in,transfers_out\n";

std::string batch_row(const uvm::Batch& b) {
  return fmt::format(
      "{},{:.3f},{:.3f},{},{},{},{},{},{},{},{},{},{},{}\n", b.number, static_cast<double>(b.start_ps) * 1e-3,
      static_cast<double>(b.end_ps - b.start_ps) * 1e-3, b.raw, b.coalesced, b.duplicates, b.unique, b.blocks,
      b.fault_pages, b.prefetch_pages, b.evictions, b.evicted_pages, b.transfers_in, b.transfers_out);
}

/// A stream to read that Ctrl-C ends.
std::unique_ptr<uvm::EventSource> stream(const std::string& path) {
  return stoppable(uvm::open_stream(path), "the replay was not finished; no file was written");
}

std::string outcome_of(const std::string& output) {
  return output == "-" ? "the stream is not complete" : output + " was not written";
}

}  // namespace

int uvm_replay(const UvmArguments& a) {
  const config::LoadedMachine loaded = config::load(a.gpu, a.overrides, machine_places());
  const config::Machine& machine = loaded.machine;
  std::vector<std::string> inputs = loaded.files;
  inputs.push_back(a.path);
  refuse_files_in_use(inputs, {a.json, a.batches});
  uvm::ReplayOptions options;
  if (machine.uvm.oversubscription != 0) {  // takes a pass of its own, which a pipe does not allow
    options.memory = uvm::replay_memory(machine.uvm, machine.memory, *stream(a.path));
  } else {
    options.memory = machine.uvm.memory.count() != 0 ? machine.uvm.memory : machine.memory;
  }
  uvm::Future future;
  const config::UvmConfig parts = host::cdma::uvm_of(machine);
  if (uvm::needs_future(parts.prefetcher) || uvm::needs_future(parts.prefetcher_full) ||
      uvm::needs_future(parts.evictor)) {
    future = uvm::read_future(*stream(a.path), parts.alloc_round == "pow2-64k");
    options.future = &future;
  }
  std::optional<trace::OutputFile> batches;
  if (!a.batches.empty()) {
    batches.emplace(a.batches);
    batches->write(kBatchColumns);
    options.batch_served = [&batches](const uvm::Batch& batch) { batches->write(batch_row(batch)); };
  }
  const uvm::UvmReport report = uvm::replay(parts, *stream(a.path), options);
  if (batches) {
    batches->finish();
  }
  if (!a.json.empty()) {
    report::write_file(a.json, uvm::report_json(report));
  }
  if (!a.quiet) {
    print(uvm::report_text(report));
    if (machine.cdma.uvm && machine.cdma.codec != "none") {
      constexpr double kGiga = 1e9;
      print(fmt::format(
          "Migrations compressed, {} at ratio {:.2f}: {:.2f} GB/s to the device, {:.2f} to the host\n",
          machine.cdma.codec, static_cast<double>(machine.cdma.ratio) / 1000,
          static_cast<double>(parts.to_device) / kGiga, static_cast<double>(parts.to_host) / kGiga));
    }
  }
  return 0;
}

int uvm_decide(const UvmArguments& a) {
  const auto line = [](const std::string& text) { print(text + "\n"); };
  const uvm::DecideSummary sum = uvm::decide_file(a.path, {.check = a.check, .clamp_fix = a.clamp_fix}, line);
  if (!a.check) {
    return 0;
  }
  print(
      fmt::format("{} records: {} decisions of the driver's rule, {} of the published one, {} differences\n",
                  sum.records, sum.decisions, sum.leaf_steps, sum.differences));
  if (sum.differences != 0) {
    print("First difference\n" + sum.first_difference);
  }
  return static_cast<int>(sum.differences == 0 ? ExitCode::ok : ExitCode::bad_input);
}

int uvm_generate(const UvmArguments& a) {
  if (a.path.empty()) {
    for (const uvm::Workload& workload : uvm::workloads()) {
      print(fmt::format("  {:<14}{}\n", workload.name, workload.text));
    }
    return 0;
  }
  std::uint64_t bytes = 0;
  std::string why;
  if (!a.bytes.empty() && !config::parse_quantity(a.bytes, config::Measure::bytes, bytes, why)) {
    throw Error({.where = "--bytes",
                 .expected = "a size such as \"64 MiB\"",
                 .found = fmt::format("\"{}\"", a.bytes),
                 .advice = why},
                ExitCode::usage);
  }
  if (!a.bytes.empty() && bytes == 0) {
    throw Error({.where = "--bytes", .expected = "a size from 1 B", .found = fmt::format("\"{}\"", a.bytes)});
  }
  uvm::StreamWriter writer(a.output, a.binary);
  uvm::generate(
      a.path,
      {.bytes = bytes, .iterations = a.iterations, .stride = a.stride, .gap_ns = a.gap, .seed = a.seed},
      *stoppable(writer, outcome_of(a.output)));
  writer.close();
  return 0;
}

int uvm_from_trace(const UvmArguments& a) {
  const trace::Workload workload = open_workload(a.path, a.sm);
  refuse_files_in_use(workload.files, {a.output == "-" ? "" : a.output});
  uvm::StreamWriter writer(a.output, a.binary);
  // The trace is read before the first event is written.
  uvm::stream_from_trace(stoppable(workload, outcome_of(a.output)), {.gap_ns = a.gap}, writer);
  writer.close();
  return 0;
}

}  // namespace wg::app
