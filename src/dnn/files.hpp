// Files that ship with the program or that a user writes: networks, measured times, densities, links.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv_table.hpp"
#include "dnn/cost.hpp"
#include "dnn/network.hpp"
#include "dnn/timeline.hpp"

namespace wg::dnn {

/// Folders that hold networks/, times/, densities/ and links.csv, first come first served.
using Folders = std::vector<std::filesystem::path>;
/// Those of $WARPGAUGE_WORKLOADS (separated by ':'), then `prefix`/workloads.
Folders workload_folders(const std::filesystem::path& prefix);

/// `name` as it is when it has a '/' or ends in `extension` and exists, else `part`/`name``extension` of the
/// first folder that has it. Throws wg::Error that lists what there is.
std::filesystem::path find_file(const std::string& name, std::string_view part, std::string_view extension,
                                const Folders& folders);
/// Names that find_file would find, sorted.
std::vector<std::string> names_in(std::string_view part, std::string_view extension, const Folders& folders);

/// A network as TOML: docs/dnn.md has the format. Throws wg::Error with line and column of what is wrong.
Network read_network(const std::filesystem::path& path);

/// A file of at most 16 MiB with the columns of `required` among others. Throws wg::Error.
CsvTable read_table(const std::filesystem::path& path, const std::vector<std::string>& required);

/// Measured times: columns layer, fwd_ms, bwd_ms and a line "# batch: N", perhaps "# gpu: NAME" for the
/// machine. Layers that the file lacks keep the roofline's time and are listed in `missing`. Times are taken
/// to grow in proportion to the batch.
struct MeasuredTimes {
  std::vector<LayerTime> times;
  std::vector<std::string> missing;
  std::uint64_t batch = 0;
  std::string gpu;  ///< on which they were measured; empty when the file does not say
};
MeasuredTimes read_times(const std::filesystem::path& path, const Network& network, std::uint64_t batch,
                         const std::vector<LayerCost>& roofline);

struct Link {
  std::string name;
  double rate = 0;  ///< data bytes per second, each direction
  std::string source;
};
std::vector<Link> read_links(const Folders& folders);

}  // namespace wg::dnn
