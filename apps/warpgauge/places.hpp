// Where this program finds its machine files, and how it writes to its user.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/reader.hpp"
#include "report/text.hpp"

namespace wg::app {

/// The folder with gpus/ and workloads/ that came with this program.
struct DataFolder {
  std::filesystem::path path;
  const char* why;  ///< for people
};
/// ../share/warpgauge as seen from the executable, then the executable's own folder, then the sources.
DataFolder data_folder();
/// $WARPGAUGE_GPUS, then gpus/ of the data folder.
config::Directories machine_places();
/// Where networks, times and densities are: $WARPGAUGE_WORKLOADS, then workloads/ of the data folder.
std::vector<std::filesystem::path> workload_places();
/// Colour on a terminal only, block characters where the locale has UTF-8.
report::Style output_style(bool verbose);
/// True when writing one would replace the other, whether it exists yet or not. Pipes and devices stay.
bool same_file(const std::string& a, const std::string& b);
/// Throws wg::Error (bad input) when writing one of `outputs` would destroy an input or another output. Files
/// may not exist yet; empty names stand for none.
void refuse_files_in_use(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);
/// To standard output; throws wg::Error when that cannot take it.
void print(const std::string& text);

}  // namespace wg::app
