// Where this program finds its machine files, and how it writes to its user.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/reader.hpp"
#include "report/text.hpp"

namespace wg::app {

/// $WARPGAUGE_GPUS, then gpus/ of the folder this program was built or installed to.
config::Directories machine_places();
/// Where networks, times and densities are: $WARPGAUGE_WORKLOADS, then workloads/ of the same folder.
std::vector<std::filesystem::path> workload_places();
/// Colour on a terminal only, block characters where the locale has UTF-8.
report::Style output_style(bool verbose);
/// Throws wg::Error (usage) when `out` is the file `in`, which writing would destroy. Either may not exist.
void refuse_same_file(const char* command, const std::string& in, const std::string& out);
void print(const std::string& text);

}  // namespace wg::app
