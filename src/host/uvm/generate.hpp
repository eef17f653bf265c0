// Page streams of known workloads, made on the spot.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/uvm/event.hpp"

namespace wg::host::uvm {

struct GenerateOptions {
  std::uint64_t bytes = 0;       ///< footprint of all objects; 0 = the workload's own
  std::uint64_t iterations = 0;  ///< kernels or repetitions; 0 = the workload's own
  std::uint64_t stride = 16;     ///< pages, of `stride`
  std::uint64_t gap_ns = 10;     ///< between two accesses
  std::uint64_t seed = 1;
};

struct Workload {
  std::string_view name;
  std::string_view text;  ///< one line, with the source
};

const std::vector<Workload>& workloads();
/// Throws wg::Error for an unknown name or a footprint too small for the workload.
void generate(std::string_view name, const GenerateOptions& options, EventSink& out);

}  // namespace wg::host::uvm
