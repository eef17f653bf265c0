// What the command line asks for, as plain values; one struct and one function per subcommand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wg::app {

struct RunArguments {
  std::string workload;  ///< path of a trace or kernel:URI
  std::string gpu;
  std::vector<std::string> overrides;
  std::string kernels;
  std::uint32_t threads = 0;  ///< 0 = as many as the computer has
  std::string json;
  std::string resume;
  std::string timeline;
  std::string html;
  std::uint64_t max_cycles = 0;
  std::uint64_t interval = 1000;  ///< SM cycles
  std::uint64_t top = 10;
  bool cold = false;
  bool quiet = false;
  bool verbose = false;
  std::string command;  ///< the whole command line, for the record
};

struct TraceArguments {
  std::string path;
  std::uint64_t kernel = 1;  ///< cat: 1-based place
  std::uint64_t cta = 0;     ///< cat: 0-based place in issue order
  std::uint32_t sm = 80;     ///< SM version that a kernel:URI is built for
  bool headers_only = false;
};

struct ReportArguments {
  std::string json;
  std::string html;
  bool verbose = false;
};

/// Each returns the exit code or throws.
int run(const RunArguments& arguments);
int report_again(const ReportArguments& arguments);
int trace_info(const TraceArguments& arguments);
int trace_check(const TraceArguments& arguments);
int trace_cat(const TraceArguments& arguments);
int stats(bool json);
int gpu_list();
int gpu_show(const std::string& name, const std::vector<std::string>& overrides);
int kernels_list();
int kernels_show(const std::string& name);
int doctor();

}  // namespace wg::app
