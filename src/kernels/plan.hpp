// What a catalogue entry makes from its arguments: buffers, copies and kernels as code.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "kernels/warp_builder.hpp"
#include "trace/workload.hpp"

namespace wg::kernels {

/// A kernel as code. `warp` is called once for every warp of a CTA, warps in order, CTAs in any order and by
/// several decoders at once: it must depend on nothing but what the builder tells it.
struct KernelCode {
  trace::KernelHeader header;
  std::function<void(WarpBuilder&)> warp;
};

/// Device memory that the kernels access.
struct Buffer {
  std::string_view name;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] std::uint64_t end() const { return address + bytes; }
};

/// First address of the region in which all buffers lie.
inline constexpr std::uint64_t kRegion = 0x7f1a'2000'0000;
/// Buffers begin at multiples of this, as cudaMalloc places large ones.
inline constexpr std::uint64_t kBufferAlignment = std::uint64_t{2} << 20;

struct Plan {
  std::vector<Buffer> buffers;
  std::vector<trace::Copy> inputs;  ///< host to device, before the first kernel
  std::vector<KernelCode> kernels;

  /// Places a buffer behind the last one and returns its address.
  std::uint64_t buffer(std::string_view name, std::uint64_t bytes);
  /// The same for one that the host fills first.
  std::uint64_t input(std::string_view name, std::uint64_t bytes);
};

/// Header of a launch; id, binary version and the windows of shared and local memory are filled in later.
trace::KernelHeader launch(std::string_view name, trace::Dim3 grid, trace::Dim3 block,
                           std::uint32_t registers, std::uint64_t shared_bytes = 0);

}  // namespace wg::kernels
