#include "kernels/plan.hpp"

namespace wg::kernels {

std::uint64_t Plan::buffer(std::string_view name, std::uint64_t bytes) {
  const std::uint64_t free = buffers.empty() ? kRegion : buffers.back().end();
  const std::uint64_t address = (free + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  buffers.push_back({name, address, bytes});
  return address;
}

std::uint64_t Plan::input(std::string_view name, std::uint64_t bytes) {
  const std::uint64_t address = buffer(name, bytes);
  inputs.push_back({trace::CopyKind::host_to_device, address, Bytes{bytes}});
  return address;
}

trace::KernelHeader launch(std::string_view name, trace::Dim3 grid, trace::Dim3 block,
                           std::uint32_t registers, std::uint64_t shared_bytes) {
  trace::KernelHeader header;
  header.name = name;
  header.grid = grid;
  header.block = block;
  header.registers = registers;
  header.shared_bytes = Bytes{shared_bytes};
  return header;
}

}  // namespace wg::kernels
