#include "parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/suggest.hpp"
#include "examples.hpp"
#include "options.hpp"

namespace wg::app {
namespace {

using Action = std::function<int()>;

constexpr const char* kExitCodes =
    "\n\nExit codes: 0 done, 1 wrong usage, 2 bad input, 3 simulated deadlock,\n"
    "4 stopped at a limit or by Ctrl-C (results so far written), 5 our fault.";

/// Everything the subcommands bind to; lives as long as the action.
struct Arguments {
  RunArguments run;
  SweepArguments sweep;
  TraceArguments trace;
  ReportArguments report;
  UvmArguments uvm;
  DnnArguments dnn;
  CompressArguments compress;
  CdmaArguments cdma;
  std::string name;
  std::string out;
  std::vector<std::string> overrides;
  bool json = false;
};

/// The library's own conversion takes -1 for a large number.
CLI::Validator whole() {
  const auto check = [](const std::string& text) {
    return text.starts_with('-') ? "a number from 0 is wanted, not " + text : std::string{};
  };
  return CLI::Validator(check, "");
}

/// Comparisons let NaN through, so the library's own ranges do too.
CLI::Validator finite() {
  const auto check = [](const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool number = !text.empty() && *end == '\0';
    return number && !std::isfinite(value) ? "expected a finite number, found " + text : std::string{};
  };
  return CLI::Validator(check, "");
}

std::string command_name(const CLI::App* app) {
  return app->get_parent() == nullptr ? "warpgauge" : command_name(app->get_parent()) + ' ' + app->get_name();
}

/// A subcommand that takes unknown words for itself, so that we can say what was meant.
CLI::App* add(CLI::App& parent, const std::string& name, const std::string& text) {
  CLI::App* command = parent.add_subcommand(name, text);
  command->allow_extras();
  command->footer(examples_of(command_name(command)));
  command->require_subcommand(0, 1);  // a later word is an argument even when it is a command's name too
  return command;
}

void set_option(CLI::App& command, std::vector<std::string>& overrides, const char* text) {
  command.add_option("--set", overrides, text)
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// What a run and a sweep simulate, and with how many threads.
template <class SimulationArguments>
void simulation_options(CLI::App& command, SimulationArguments& a) {
  command
      .add_option("WORKLOAD", a.workload,
                  "A trace (kernelslist, its folder, one kernel's file) or kernel:URI")
      ->required();
  command.add_option("--kernels", a.kernels, "Simulate only these kernels, counted from 1: 3,5-9");
  command.add_option("--threads", a.threads, "Threads of this computer to use; results do not depend on it")
      ->check(CLI::Range(1U, 1024U).description(""))
      ->type_name("N");
  command.add_flag("--cold", a.cold, "Empty the L2 and close DRAM rows before each kernel");
}

void add_run(CLI::App& app, RunArguments& a, Action& action) {
  CLI::App* run = add(app, "run", "Simulate a workload on a machine: how many cycles, and why");
  simulation_options(*run, a);
  run->add_option("--gpu", a.gpu, "A machine by name (see `warpgauge gpu list`) or a .toml file")->required();
  set_option(*run, a.overrides, "Change one value of the machine, such as l2.size=64MiB (repeatable)");
  run->add_flag("--estimate-threads", a.estimate_threads,
                "Run on one thread, time its pieces and tell what more threads would bring")
      ->excludes("--threads");
  run->add_option("--max-cycles", a.max_cycles, "Stop when the kernels have taken this many cycles together")
      ->check(whole())
      ->type_name("N");
  run->add_option("--json", a.json, "Write the result as JSON, also now and then while running")
      ->type_name("FILE");
  run->add_option("--resume", a.resume,
                  "Go on after the kernels of an earlier, interrupted --json FILE (with its FILE.state)")
      ->type_name("FILE");
  run->add_option("--html", a.html, "Write a report to look at with a browser")->type_name("FILE");
  run->add_option("--timeline", a.timeline, "Write counters over time as CSV")->type_name("FILE");
  run->add_option("--migrations", a.migrations, "Write page migrations over time as CSV (with uvm.enable)")
      ->type_name("FILE");
  run->add_option("--interval", a.interval, "SM cycles of one row of the timeline (default 1000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62).description(""))
      ->type_name("CYCLES");
  run->add_option("--top", a.top, "Hottest instructions kept for each kernel (default 10)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{100000}).description(""))
      ->type_name("N");
  run->add_flag("--verbose", a.verbose, "Show every kernel in full");
  run->add_flag("--quiet", a.quiet, "Print neither the result nor progress");
  run->callback([&a, &action] { action = [&a] { return app::run(a); }; });
}

void add_sweep(CLI::App& app, SweepArguments& a, Action& action) {
  CLI::App* sweep = add(app, "sweep", "Simulate a workload on variants of a machine, side by side");
  simulation_options(*sweep, a);
  sweep
      ->add_option("--gpu", a.gpu,
                   "Machines by name (see `warpgauge gpu list`) or .toml file; several with commas between")
      ->type_name("NAME,NAME")
      ->required();
  sweep->add_option("--vary", a.axes, "Values that a key of the machine takes in turn (repeatable)")
      ->type_name("KEY=VALUE,VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sweep->add_flag("--zip", a.zip, "Take first values with first values and so on, not every combination");
  set_option(*sweep, a.overrides, "Change one value of all machines (repeatable)");
  sweep->add_option("--json", a.json, "Write the table as JSON, also while points finish")->type_name("FILE");
  sweep->add_option("--csv", a.csv, "Write the table as CSV, also while points finish")->type_name("FILE");
  sweep->add_option("--resume", a.resume, "Keep the finished points of an earlier --json FILE")
      ->type_name("FILE");
  sweep->add_flag("--quiet", a.quiet, "Print neither the table nor progress");
  sweep->callback([&a, &action] { action = [&a] { return app::sweep(a); }; });
}

void add_report(CLI::App& app, ReportArguments& a, Action& action) {
  CLI::App* report = add(app, "report", "Print the result in a --json file again, or make its HTML report");
  report->add_option("FILE", a.json, "What `run --json` wrote")->required();
  report->add_option("--html", a.html, "Write a report to look at with a browser")->type_name("OUT");
  report->add_flag("--verbose", a.verbose, "Show every kernel in full");
  report->callback([&a, &action] { action = [&a] { return report_again(a); }; });
}

void add_trace(CLI::App& app, TraceArguments& a, Action& action) {
  CLI::App* trace = add(app, "trace", "Look into recorded traces");
  const auto command = [&](const char* name, const char* text, int (*function)(const TraceArguments&)) {
    CLI::App* sub = add(*trace, name, text);
    sub->add_option("PATH", a.path, "kernelslist, its folder or one kernel's file")->required();
    sub->callback([&a, &action, function] { action = [&a, function] { return function(a); }; });
    return sub;
  };
  const auto sm_option = [&](CLI::App* sub) {
    sub->add_option("--sm", a.sm, "SM version that a kernel:URI is built for (default 80)")
        ->check(whole())
        ->type_name("N");
  };
  CLI::App* info =
      command("info", "What a trace or kernel:URI holds: kernels, sizes, instruction mix", trace_info);
  info->add_flag("--headers", a.headers_only, "Only the headers; quick for any size");
  sm_option(info);
  command("check", "Read everything and report all that is wrong", trace_check);
  CLI::App* cat = command("cat", "Print the instructions of one CTA as they are understood", trace_cat);
  cat->add_option("--kernel", a.kernel, "Which kernel, counted from 1 (default 1)")
      ->check(whole())
      ->type_name("N");
  cat->add_option("--cta", a.cta, "Which CTA in issue order, counted from 0 (default 0)")
      ->check(whole())
      ->type_name("N");
  sm_option(cat);
  CLI::App* convert = command(
      "convert", "Write a trace in another form, such as app.wgt: small, quick to read", trace_convert);
  convert
      ->add_option("OUT", a.out,
                   "NAME.wgt: one file; NAME.tracez: a folder of .tracez; else a folder of text")
      ->required();
  convert
      ->add_option("--tracer-version", a.tracer_version,
                   "Version of text: 3 to 6 (default 5, or 6 if recorded so)")
      ->check(whole())
      ->type_name("N");
  sm_option(convert);
}

void add_compress(CLI::App& app, CompressArguments& a, Action& action) {
  CLI::App* compress =
      add(app, "compress", "Compress an array (.npy) as a copy engine would, or report how well");
  compress->add_option("FILE", a.files, "Arrays written by NumPy; axes are N, C, H, W")->required();
  compress->add_option("--codec", a.codec, "zvc (default), rle16, rle8, rle_val, rle_zero or deflate");
  compress->add_option("--layout", a.layout,
                       "Order of the axes to compress in: nchw (default), nhwc or chwn");
  compress->add_option("--window", a.window, "Bytes that are compressed on their own (default 4096)")
      ->check(whole())
      ->type_name("BYTES");
  compress->add_option("--out", a.out, "Write the compressed array")->type_name("OUT");
  compress->add_flag("--report", a.report, "Only measure: all codecs in all layouts unless one is chosen");
  compress->add_option("--json", a.json, "Write the report as JSON")->type_name("FILE");
  compress->callback(
      [&a, &action] { action = [&a] { return a.report ? compress_report(a) : app::compress(a); }; });
}

void add_decompress(CLI::App& app, Arguments& a, Action& action) {
  CLI::App* command = add(app, "decompress", "Give back the array that `compress` took, byte for byte");
  command->add_option("FILE", a.name, "What `compress --out` wrote")->required();
  command->add_option("--out", a.out, "Write the array")->required()->type_name("OUT");
  command->callback([&a, &action] { action = [&a] { return decompress(a.name, a.out); }; });
}

void add_cdma(CLI::App& app, CdmaArguments& a, Action& action) {
  CLI::App* cdma = add(app, "cdma", "One copy through the compressing DMA engine: rate, limit, load");
  const auto text = [cdma](const char* name, std::string& value, const char* what, const char* type) {
    cdma->add_option(name, value, what)->type_name(type);
  };
  cdma->add_option("--ratio", a.ratio, "Raw over compressed bytes (default 2.6)")
      ->check(finite())
      ->type_name("R");
  cdma->add_option("--density", a.density, "Share of values that are not zero, under zvc")
      ->check(finite())
      ->type_name("D");
  text("--densities", a.densities, "Ranges of the copy with their density or ratio", "FILE");
  text("--map", a.map, "Compress an array (.npy) line by line", "FILE");
  text("--codec", a.codec, "Of --map: zvc (default), rle16, rle8, rle_val, rle_zero or deflate", "NAME");
  text("--layout", a.layout, "Of --map: nchw (default), nhwc or chwn", "NAME");
  text("--bytes", a.bytes, "Size of the copy, at most 16 GiB (default 64 MiB)", "SIZE");
  cdma->add_flag("--prefetch", a.prefetch, "From the host to the device; otherwise to the host");
  text("--placement", a.placement, "Units at the memory controllers (mc) or in the copy engine (dma)",
       "NAME");
  text("--buffer", a.buffer, "Of the copy engine (default 70000 B)", "SIZE");
  text("--latency", a.latency, "From a request to its line (default 350 ns)", "TIME");
  text("--link", a.link,
       "The host link: 12.8GB/s, GB/s alone, or a name of `warpgauge dnn list` (default 16)", "RATE");
  text("--read-limit", a.read_limit, "DRAM bandwidth left over, in GB/s without a unit (default 236)",
       "RATE");
  text("--provision", a.provision, "What the engine asks for at most, likewise (default 200)", "RATE");
  text("--port", a.port, "Crossbar port of the copy engine, likewise (default: no limit)", "RATE");
  cdma->add_option("--units", a.units, "Compression units in all (default 6)")
      ->check(CLI::Range(1U, 4096U).description(""))
      ->type_name("N");
  text("--gpu", a.gpu, "Take the engine and the link from a machine", "NAME");
  set_option(*cdma, a.overrides, "Change one value of the machine, such as cdma.line=64 (repeatable)");
  text("--json", a.json, "Write the figures as JSON", "FILE");
  cdma->add_flag("-q,--quiet", a.quiet, "Print nothing but errors");
  cdma->callback([&a, &action] { action = [&a] { return app::cdma(a); }; });
}

void uvm_output(CLI::App* command, UvmArguments& a) {
  command->add_option("-o,--output", a.output, "Where the stream goes (default: standard output)")
      ->type_name("FILE");
  command->add_flag("--binary", a.binary, "Write fixed records instead of text");
  command->add_option("--gap", a.gap, "Time between two accesses of the stream (default 10)")
      ->check(whole())
      ->type_name("NS");
}

void add_uvm(CLI::App& app, UvmArguments& a, Action& action) {
  CLI::App* uvm = add(app, "uvm", "Unified virtual memory alone: page streams, prefetch decisions");
  const auto command = [&](const char* name, const char* text, int (*function)(const UvmArguments&)) {
    CLI::App* sub = add(*uvm, name, text);
    sub->callback([&a, &action, function] { action = [&a, function] { return function(a); }; });
    return sub;
  };
  CLI::App* replay = command("replay", "Run a page stream: faults, migrations, time, and why", uvm_replay);
  replay->add_option("STREAM", a.path, "What `uvm generate` or `uvm from-trace` wrote")->required();
  replay->add_option("--gpu", a.gpu, "A machine by name or a .toml file (default gtx-1080)");
  set_option(*replay, a.overrides, "Change one value, such as uvm.prefetcher=tbn (repeatable)");
  replay->add_option("--json", a.json, "Write the report as JSON")->type_name("FILE");
  replay->add_option("--batches", a.batches, "Write a line for each fault batch as CSV")->type_name("FILE");
  replay->add_flag("--quiet", a.quiet, "Print nothing");
  CLI::App* decide = command("decide", "Prefetch decisions of a file of JSON lines", uvm_decide);
  decide->add_option("FILE", a.path, "Single decisions and histories, one a line")->required();
  decide->add_flag("--check", a.check, "Compare with the answers in the file");
  decide->add_flag("--clamp-fix", a.clamp_fix, "Without the driver's quirk in blocks that start unaligned");
  CLI::App* generate = command("generate", "Write the page stream of a known workload", uvm_generate);
  generate->add_option("NAME", a.path, "The workload; without it, all names are listed");
  generate->add_option("--bytes", a.bytes, "Footprint (default: the workload's own)")->type_name("SIZE");
  generate->add_option("--iterations", a.iterations, "Kernels or repetitions (default: the workload's own)")
      ->check(whole())
      ->type_name("N");
  generate->add_option("--stride", a.stride, "Pages of a step of `stride` (default 16)")
      ->check(whole())
      ->type_name("N");
  generate->add_option("--seed", a.seed, "Of random workloads (default 1)")->check(whole())->type_name("N");
  uvm_output(generate, a);
  CLI::App* from = command("from-trace", "Turn a kernel trace into a page stream", uvm_from_trace);
  from->add_option("TRACE", a.path, "A trace or kernel:URI")->required();
  from->add_option("--sm", a.sm, "SM version that a kernel:URI is built for (default 80)")
      ->check(whole())
      ->type_name("N");
  uvm_output(from, a);
}

void dnn_link_options(CLI::App* run, DnnArguments& a) {
  run->add_option("--codec", a.codec, "Of the copy engine: none (default), zvc, rle (or rle16) or deflate")
      ->check(CLI::IsMember({"none", "zvc", "rle", "rle16", "deflate"}).description(""));
  run->add_option("--ratio", a.ratio, "Every map shrinks by this factor")
      ->check(finite())
      ->check(CLI::Range(0.01, 1e6).description(""))
      ->type_name("R");
  run->add_option("--densities", a.densities,
                  "How dense each map is (see `warpgauge dnn list`) or a .csv file")
      ->type_name("NAME");
  run->add_option_function<std::uint64_t>(
         "--step,--training-step",
         [&a](std::uint64_t step) {
           a.step = step;
           a.last_step = false;
         },
         "Densities of this training iteration (default: the last that was recorded)")
      ->check(whole())
      ->type_name("N");
  run->add_flag("--trajectory", a.trajectory, "A line for each training iteration in the densities");
  run->add_option("--link", a.link,
                  "Each way, 12.8GB/s or GB/s alone, or a name of `warpgauge dnn list` (default: the GPU's)")
      ->type_name("RATE");
  run->add_option("--shared-by", a.shared_by, "GPUs that share the link (default 1)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1024}).description(""))
      ->type_name("N");
}

void add_dnn(CLI::App& app, DnnArguments& a, Action& action) {
  CLI::App* dnn = add(app, "dnn", "Training networks that do not fit: offload over the host link");
  CLI::App* run = add(*dnn, "run", "One training iteration: time, memory, traffic, and whether offload pays");
  run->add_option("--net", a.network, "A network by name (see `warpgauge dnn list`) or a .toml file")
      ->required();
  run->add_option("--batch", a.batch, "Images of an iteration (default: the network's)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20).description(""))
      ->type_name("N");
  run->add_option("--gpu", a.gpu, "A machine by name or a .toml file (default titan-x)");
  set_option(*run, a.overrides, "Change one value of the machine (repeatable)");
  run->add_option("--policy", a.policy, "What is offloaded: all (default), conv, dyn or none")
      ->check(CLI::IsMember({"all", "conv", "dyn", "none"}).description(""));
  run->add_option("--algo", a.algorithm, "Convolutions without scratch memory (m) or fastest (p, default)")
      ->check(CLI::IsMember({"m", "p"}).description(""));
  run->add_option("--sync", a.sync, "Streams wait for each other at each layer (default), event or none")
      ->check(CLI::IsMember({"layer", "event", "none"}).description(""));
  dnn_link_options(run, a);
  run->add_option("--times", a.times, "Of layers: roofline (default), measured, or a .csv file")
      ->type_name("T");
  run->add_option("--speed", a.speed, "Layers compute this many times as fast (default 1)")
      ->check(finite())
      ->check(CLI::Range(1e-3, 1e6).description(""))
      ->type_name("X");
  run->add_option("--json", a.json, "Write the result as JSON")->type_name("FILE");
  run->add_flag("--layers", a.layers, "Show every layer");
  run->add_flag("--quiet", a.quiet, "Print nothing");
  run->callback([&a, &action] { action = [&a] { return dnn_run(a); }; });
  add(*dnn, "list", "Networks, measured times, densities and links that ship")->callback([&] {
    action = dnn_list;
  });
  CLI::App* densities = add(*dnn, "densities", "Make a file of densities from dumped activation maps");
  densities->add_option("DUMP", a.dumps, "Arrays LAYER_itITERATION.npy, or folders of them")->required();
  densities->add_option("--out", a.out, "Write the file (default: print it)")->type_name("FILE");
  densities->callback([&a, &action] { action = [&a] { return dnn_densities(a); }; });
}

void add_rest(CLI::App& app, Arguments& a, Action& action) {
  CLI::App* statistics = add(app, "stats", "Explain every counter: unit, meaning, Nsight Compute metric");
  statistics->add_flag("--json", a.json, "As JSON");
  statistics->callback([&] { action = [&a] { return stats(a.json); }; });

  CLI::App* gpu = add(app, "gpu", "Machines that can be simulated");
  add(*gpu, "list", "Names of all machine files")->callback([&] { action = gpu_list; });
  CLI::App* show = add(*gpu, "show", "Every value of a machine with its source");
  show->add_option("NAME", a.name, "A machine by name or a .toml file")->required();
  set_option(*show, a.overrides, "Change one value first (repeatable)");
  show->callback([&] { action = [&a] { return gpu_show(a.name, a.overrides); }; });

  CLI::App* kernels = add(app, "kernels", "Workloads that need no trace: kernel:NAME?ARGUMENT=VALUE");
  add(*kernels, "list", "Names of all of them")->callback([&] { action = kernels_list; });
  CLI::App* one = add(*kernels, "show", "Arguments of one kernel");
  one->add_option("NAME", a.name, "A kernel's name")->required();
  one->callback([&] { action = [&a] { return kernels_show(a.name); }; });

  add(app, "doctor", "What this computer has that Warpgauge can use")->callback([&] { action = doctor; });
}

/// The innermost subcommand that was given.
CLI::App* innermost(CLI::App* app) {
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
  }
  return app;
}

[[noreturn]] void usage(const CLI::App* at, std::string expected, std::string found,
                        const std::string& near) {
  const std::string help = fmt::format("`{} --help` lists what there is", command_name(at));
  throw Error({.where = command_name(at),
               .expected = std::move(expected),
               .found = std::move(found),
               .advice = near.empty() ? help : config::did_you_mean(near)},
              ExitCode::usage);
}

/// Reports a word that no one took, with the nearest option or subcommand of the place where it stood.
void refuse_unknown(CLI::App* at) {
  const std::vector<std::string> unknown = at->remaining();
  if (unknown.empty()) {
    return;
  }
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  std::vector<std::string> candidates;
  const bool option = word.starts_with('-');
  for (const CLI::Option* known : at->get_options()) {
    for (const std::string& name : known->get_lnames()) {
      candidates.push_back("--" + name);
    }
  }
  if (!option) {
    candidates.clear();
    for (const CLI::App* known : at->get_subcommands([](CLI::App*) { return true; })) {
      candidates.push_back(known->get_name());
    }
  }
  const char* expected = option               ? "an option of this command"
                         : candidates.empty() ? "nothing more"
                                              : "a subcommand";
  usage(at, expected, fmt::format("\"{}\"", unknown.front()), config::nearest(word, candidates));
}

void refuse_unknown_anywhere(CLI::App& app) {
  for (CLI::App* at = &app;; at = at->get_subcommands().front()) {
    refuse_unknown(at);
    if (at->get_subcommands().empty()) {
      return;
    }
  }
}

/// Texts that the library takes and that stand for nothing: an empty one would be as if not given.
void refuse_empty(CLI::App& app) {
  const auto wrong = [](const CLI::Option& option, const char* expected, const std::string& found) {
    throw Error({.where = option.get_name(), .expected = expected, .found = fmt::format("\"{}\"", found)});
  };
  for (const CLI::Option* option : innermost(&app)->get_options()) {
    const std::string name = option->get_name();
    for (const std::string& text : option->results()) {
      if (text.empty() && name.starts_with('-')) {
        wrong(*option, "a value", text);
      }
      if (name == "--max-cycles" || name == "--iterations") {
        errno = 0;
        const bool none = std::strtoull(text.c_str(), nullptr, 0) == 0;
        if (none || errno == ERANGE) {
          wrong(*option, "a number from 1 to 2^64-1", text);
        }
      }
    }
  }
}

std::string quoted_command(int argc, char** argv) {
  std::string out;
  for (int i = 0; i < argc; ++i) {
    const std::string word = i == 0 ? "warpgauge" : argv[i];
    const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$&;|<>()*?`") == std::string::npos;
    out += i == 0 ? "" : " ";
    out += plain ? word : fmt::format("'{}'", word);
  }
  return out;
}

}  // namespace

std::function<int()> parse(int argc, char** argv) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->run.command = quoted_command(argc, argv);
  arguments->dnn.command = arguments->run.command;
  arguments->sweep.command = arguments->run.command;
  Action action;
  CLI::App app{
      "Warpgauge: how many cycles a GPU workload takes, why, and what if the hardware were different",
      "warpgauge"};
  app.footer(examples_of("warpgauge") + kExitCodes);
  app.set_version_flag("--version", "warpgauge " WG_VERSION);
  app.allow_extras();
  app.require_subcommand(0, 1);
  add_run(app, arguments->run, action);
  add_sweep(app, arguments->sweep, action);
  add_report(app, arguments->report, action);
  add_trace(app, arguments->trace, action);
  add_compress(app, arguments->compress, action);
  add_decompress(app, *arguments, action);
  add_cdma(app, arguments->cdma, action);
  add_uvm(app, arguments->uvm, action);
  add_dnn(app, arguments->dnn, action);
  add_rest(app, *arguments, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    app.exit(wanted);
    return [] { return 0; };
  } catch (const CLI::ParseError& error) {
    refuse_unknown_anywhere(app);
    const CLI::App* at = innermost(&app);
    throw Error({.where = fmt::format("{}: {}", command_name(at), error.what()),
                 .expected = "",
                 .found = "",
                 .advice = fmt::format("`{} --help` tells more", command_name(at))},
                ExitCode::usage);
  }
  refuse_unknown_anywhere(app);
  refuse_empty(app);
  if (!action) {
    const CLI::App* at = innermost(&app);
    usage(at, "a subcommand", "none", "");
  }
  return [arguments, action] { return action(); };
}

}  // namespace wg::app
