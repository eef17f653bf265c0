#include "report/doctor.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "report/format.hpp"
#include "report/table.hpp"

namespace wg::report {
namespace {

using State = Finding::State;
namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// First place of `program` along PATH, or empty.
std::string locate(const std::string& program) {
  const std::string path = environment("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path candidate = fs::path(path.substr(begin, end - begin)) / program;
    std::error_code error;
    if (end > begin && fs::is_regular_file(candidate, error)) {
      return candidate.string();
    }
    begin = end + 1;
  }
  return {};
}

void computer(std::vector<Finding>& out) {
  out.push_back(
      {"computer", "hardware threads", State::good, std::to_string(std::thread::hardware_concurrency())});
  struct sysinfo info{};
  if (sysinfo(&info) == 0) {
    const std::uint64_t unit = info.mem_unit;
    out.push_back({"computer", "memory", State::good,
                   fmt::format("{}, {} free", bytes(info.totalram * unit), bytes(info.freeram * unit))});
  }
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  out.push_back(
      {"computer", "AVX2", avx2 ? State::good : State::absent, avx2 ? "yes" : "no: slower decoding"});
#endif
}

void libraries(std::vector<Finding>& out) {
  out.push_back({"built with", "compiler", State::good, "g++ or clang, " __VERSION__});
  out.push_back({"built with", "fmt", State::good,
                 fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)});
  out.push_back({"built with", "zstd", State::good, ZSTD_versionString()});
}

void machines(const config::Directories& directories, std::vector<Finding>& out) {
  std::size_t good = 0;
  for (const config::MachineEntry& entry : config::list_machines(directories)) {
    if (entry.problem.empty()) {
      ++good;
    } else {
      out.push_back({"machines", entry.name, State::wrong, entry.problem});
    }
  }
  std::string where;
  for (const fs::path& directory : directories) {
    where += where.empty() ? "" : ":";
    where += directory.string();
  }
  out.push_back(
      {"machines", "machine files", good > 0 ? State::good : State::wrong,
       good > 0 ? fmt::format("{} in {}", good, where)
                : fmt::format("none in {}; set WARPGAUGE_GPUS to the folder of the .toml files", where)});
}

void data(std::vector<Finding>& out) {
  const std::string folder = environment("WG_DATA_DIR");
  std::error_code error;
  if (folder.empty()) {
    out.push_back(
        {"data", "WG_DATA_DIR", State::absent, "not set: tests and studies on recorded data are skipped"});
  } else {
    const bool there = fs::is_directory(folder, error);
    out.push_back({"data", "WG_DATA_DIR", there ? State::good : State::wrong,
                   there ? folder : folder + " is no folder"});
  }
}

void programs(std::vector<Finding>& out) {
  struct Program {
    const char* group;
    const char* name;
    const char* use;
  };
  constexpr Program kPrograms[] = {{"build tools", "g++", "builds Warpgauge"},
                                   {"build tools", "clang++-19", "sanitizers and fuzzing"},
                                   {"build tools", "cmake", "builds Warpgauge"},
                                   {"build tools", "ninja", "builds Warpgauge"},
                                   {"build tools", "ccache", "faster rebuilds"},
                                   {"tools", "python3", "scripts and schema checks"},
                                   {"tools", "zstd", "looks into compressed traces"},
                                   {"tools", "xz", "looks into compressed traces"},
                                   {"CUDA", "nvcc", "records own workloads; never needed to simulate"},
                                   {"CUDA", "nvidia-smi", "a GPU to record on; never needed to simulate"}};
  for (const Program& program : kPrograms) {
    const std::string place = locate(program.name);
    out.push_back({program.group, program.name, place.empty() ? State::absent : State::good,
                   place.empty() ? fmt::format("not on PATH ({})", program.use) : place});
  }
  const std::string home = environment("CUDA_HOME");
  std::error_code error;
  const std::string cuda = !home.empty() ? home : "/usr/local/cuda";
  const bool there = fs::is_directory(cuda, error);
  out.push_back({"CUDA", "CUDA toolkit", there ? State::good : State::absent,
                 there ? cuda : "not found (never needed to simulate)"});
}

}  // namespace

std::vector<Finding> examine(const config::Directories& directories, const std::string& data_folder) {
  std::vector<Finding> out;
  computer(out);
  libraries(out);
  out.push_back({"machines", "data folder", State::good, data_folder});
  machines(directories, out);
  data(out);
  programs(out);
  return out;
}

bool healthy(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.state == State::wrong; });
}

std::string doctor_text(const std::vector<Finding>& findings) {
  Table table({{"", Align::left}, {"", Align::left}, {"", Align::left}, {"", Align::left, 200}});
  std::string group;
  for (const Finding& finding : findings) {
    const char* mark = finding.state == State::good ? "ok" : finding.state == State::absent ? "-" : "WRONG";
    table.row({finding.group == group ? "" : finding.group, finding.what, mark, finding.detail});
    group = finding.group;
  }
  return table.text() +
         (healthy(findings) ? "everything needed is there\n" : "something is wrong: see above\n");
}

}  // namespace wg::report
