// The copies of a trace through the engine that a machine describes, plain or compressing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/machine.hpp"
#include "host/cdma/densities.hpp"
#include "host/cdma/lines.hpp"
#include "host/cdma/model.hpp"
#include "host/link.hpp"
#include "trace/workload.hpp"

namespace wg::host::cdma {

/// The engine of `machine` (its cdma.* figures, its link in this direction, its memory channels).
EngineConfig engine_of(const config::Machine& machine, Direction direction);

/// The machine's unified memory with the link's rates replaced by those that the engine sustains at
/// cdma.ratio, when cdma.codec and cdma.uvm ask for it; the machine's own otherwise. The fixed costs of a
/// migration stay.
config::UvmConfig uvm_of(const config::Machine& machine);

/// Lines of consecutive pieces; a line over a border belongs to the piece it begins in. Densities are those
/// of ZVC with values of `element` bytes.
std::unique_ptr<LineSource> piece_lines(Bytes line, std::size_t element, std::vector<Piece> pieces,
                                        std::uint64_t seed);

struct CopyCost {
  std::uint64_t time_ps = 0;
  std::uint64_t link_bytes = 0;      ///< over the link, without packet headers
  std::uint64_t crossbar_bytes = 0;  ///< between memory and copy engine, in whole flits
};

class CopyEngine {
 public:
  /// Reads the file of densities, if any. Throws wg::Error when it cannot, or when it holds densities and the
  /// codec is not zvc.
  explicit CopyEngine(const config::Machine& machine);

  /// What the copy costs when nothing else uses the link. `index` is its place, from 0, among the copies over
  /// the link. A copy inside the device crosses the crossbar twice and takes no time.
  [[nodiscard]] CopyCost cost(const trace::Copy& copy, std::size_t index) const;

 private:
  [[nodiscard]] CopyCost compressed(const trace::Copy& copy, std::size_t index) const;

  config::LinkConfig link_config_;
  config::CdmaConfig config_;
  HostLink link_;
  EngineConfig to_host_, to_device_;
  Densities densities_;
};

}  // namespace wg::host::cdma
