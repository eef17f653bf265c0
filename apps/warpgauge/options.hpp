// What the command line asks for, as plain values; one struct and one function per subcommand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wg::app {

struct RunArguments {
  std::string workload;  ///< path of a trace or kernel:URI
  std::string gpu;
  std::vector<std::string> overrides;
  std::string kernels;
  bool estimate_threads = false;
  std::uint32_t threads = 0;  ///< 0 = as many as the computer has
  std::string json;
  std::string resume;
  std::string timeline;
  std::string migrations;
  std::string html;
  std::uint64_t max_cycles = 0;
  std::uint64_t interval = 1000;  ///< SM cycles
  std::uint64_t top = 10;
  bool cold = false;
  bool quiet = false;
  bool verbose = false;
  std::string command;  ///< the whole command line, for the record
};

struct SweepArguments {
  std::string workload;           ///< path of a trace or kernel:URI
  std::string gpu;                ///< one or several, with commas between
  std::vector<std::string> axes;  ///< KEY=VALUE,VALUE
  std::vector<std::string> overrides;
  std::string kernels;
  std::uint32_t threads = 0;  ///< 0 = as many as the computer has
  std::string json;
  std::string csv;
  std::string resume;
  bool zip = false;
  bool cold = false;
  bool quiet = false;
  std::string command;  ///< the whole command line, for the record
};

struct TraceArguments {
  std::string path;
  std::uint64_t kernel = 1;  ///< cat: 1-based place
  std::uint64_t cta = 0;     ///< cat: 0-based place in issue order
  std::uint32_t sm = 80;     ///< SM version that a kernel:URI is built for
  bool headers_only = false;
  std::string out;                   ///< convert
  std::uint32_t tracer_version = 0;  ///< convert: of text; 0 = as it was recorded, at least 5
};

struct ReportArguments {
  std::string json;
  std::string html;
  bool verbose = false;
};

struct CompressArguments {
  std::vector<std::string> files;
  std::string codec;   ///< empty: zvc, or all of a report
  std::string layout;  ///< empty: nchw, or all of a report
  std::string out;
  std::string json;
  std::uint64_t window = 4096;  ///< bytes
  bool report = false;
};

/// Texts are empty, and numbers 0 or nothing, where the engine keeps its own figure.
struct CdmaArguments {
  std::optional<double> ratio;
  std::optional<double> density;
  std::string densities;
  std::string map;  ///< .npy file
  std::string codec;
  std::string layout;
  std::string bytes;
  std::string placement;
  std::string buffer;
  std::string link;
  std::string latency;
  std::string read_limit;
  std::string provision;
  std::string port;
  std::uint32_t units = 0;
  std::string gpu;
  std::vector<std::string> overrides;
  std::string json;
  bool prefetch = false;
  bool quiet = false;
};

struct UvmArguments {
  std::string path;  ///< stream, file of decisions, trace, or name of a workload
  std::string gpu = "gtx-1080";
  std::vector<std::string> overrides;
  std::string json;
  std::string batches;
  std::string output = "-";
  std::string bytes;
  std::uint64_t iterations = 0;  ///< 0 = the workload's own
  std::uint64_t stride = 16;     ///< pages
  std::uint64_t gap = 10;        ///< ns
  std::uint64_t seed = 1;
  std::uint32_t sm = 80;  ///< SM version that a kernel:URI is built for
  bool binary = false;
  bool check = false;
  bool clamp_fix = false;
  bool quiet = false;
};

struct DnnArguments {
  std::string network;
  std::uint64_t batch = 0;  ///< 0 = the network's own
  std::string gpu = "titan-x";
  std::vector<std::string> overrides;
  std::string policy = "all";
  std::string algorithm = "p";
  std::string sync = "layer";
  std::string codec = "none";
  double ratio = 0;  ///< 0 = not given
  std::string densities;
  std::uint64_t step = 0;
  bool last_step = true;  ///< --step was not given
  bool trajectory = false;
  std::string link;             ///< empty: the machine's
  std::uint64_t shared_by = 1;  ///< GPUs on one link
  std::string times = "roofline";
  double speed = 1;
  std::string json;
  bool layers = false;
  bool quiet = false;
  std::vector<std::string> dumps;
  std::string out;
  std::string command;  ///< the whole command line, for the record
};

/// Each returns the exit code or throws.
int run(const RunArguments& arguments);
int sweep(const SweepArguments& arguments);
int report_again(const ReportArguments& arguments);
int trace_info(const TraceArguments& arguments);
int trace_check(const TraceArguments& arguments);
int trace_cat(const TraceArguments& arguments);
int trace_convert(const TraceArguments& arguments);
int stats(bool json);
int gpu_list();
int gpu_show(const std::string& name, const std::vector<std::string>& overrides);
int kernels_list();
int kernels_show(const std::string& name);
int uvm_replay(const UvmArguments& arguments);
int uvm_decide(const UvmArguments& arguments);
int uvm_generate(const UvmArguments& arguments);
int uvm_from_trace(const UvmArguments& arguments);
int dnn_run(const DnnArguments& arguments);
int dnn_list();
int dnn_densities(const DnnArguments& arguments);
int doctor();
int cdma(const CdmaArguments& arguments);
int compress(const CompressArguments& arguments);
int compress_report(const CompressArguments& arguments);
int decompress(const std::string& path, const std::string& out);

}  // namespace wg::app
