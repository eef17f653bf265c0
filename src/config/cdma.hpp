// The compressing DMA engine as data. See host/cdma/model.hpp for what each figure means.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.hpp"

namespace wg::config {

/// Defaults: off; the engine of the cDMA paper on its Titan X (Rhu et al., HPCA 2018). The rates of the link
/// and of the memory controllers are the machine's.
struct CdmaConfig {
  std::string codec = "none";      ///< none: copies are plain; zvc, rle16, rle8, rle_val, rle_zero, deflate
  std::uint64_t ratio = 2600;      ///< thousandths: raw over compressed bytes where nothing else says it
  std::string densities = "none";  ///< file with densities or ratios of address ranges, or of copies
  std::uint32_t element = 4;       ///< bytes of a value: 1, 2, 4 or 8
  std::string model = "event";     ///< event: line by line; closed: the rate in closed form
  std::string placement = "mc";    ///< units beside the memory controllers, or dma: in the copy engine
  bool overlap = false;  ///< a copy to the host runs beside the next kernel and takes DRAM bandwidth from it
  bool uvm = false;      ///< migrations of unified memory are compressed as well
  std::uint32_t units = 6;                     ///< in all
  Bytes bytes_per_cycle{32};                   ///< of a unit
  Hertz clock{1'050'000'000};                  ///< of the units
  std::uint32_t compress_stages = 3;           ///< cycles
  std::uint32_t decompress_cycles = 2;         ///< until the first bytes of a line come out
  std::uint32_t parse_lines = 2;               ///< lines whose end is found per cycle when expanding
  Bytes line{128};                             ///< what one request moves
  Bytes buffer{70'000};                        ///< of the copy engine
  std::uint64_t latency_ns = 350;              ///< from a request to its line in the buffer
  std::uint64_t read_limit = 236'000'000'000;  ///< bytes per second of DRAM left over
  std::uint64_t provision = 200'000'000'000;   ///< bytes per second that the engine asks for at most
  std::uint64_t port = 0;                      ///< bytes per second of the crossbar's port; 0 = counted only
  Bytes flit{32};                              ///< of the crossbar
  Bytes packet{256};                           ///< payload of a link packet
  Bytes packet_header{0};                      ///< of a link packet; 0 where the link's rate is that of data
};

}  // namespace wg::config
