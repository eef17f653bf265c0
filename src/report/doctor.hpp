// What this computer offers to Warpgauge, for `warpgauge doctor`.
#pragma once

#include <string>
#include <vector>

#include "config/reader.hpp"

namespace wg::report {

struct Finding {
  enum class State { good, absent, wrong };  ///< absent: optional and not there
  std::string group;                         ///< "program", "machine files" ...
  std::string what;
  State state = State::good;
  std::string detail;  ///< version, path, or what to do
};

/// `data_folder` says where gpus/ and workloads/ are and why there.
/// Looks around: processor, memory, libraries this program was built with, machine files, data, build tools,
/// CUDA. Starts no program but looks along PATH.
std::vector<Finding> examine(const config::Directories& machines, const std::string& data_folder);

/// One aligned line per finding; the last line says whether everything needed is there.
std::string doctor_text(const std::vector<Finding>& findings);
/// True unless something is wrong.
bool healthy(const std::vector<Finding>& findings);

}  // namespace wg::report
