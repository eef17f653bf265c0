#include <fmt/format.h>
#include <xxhash.h>

#include <array>

#include "base/error.hpp"
#include "mem/bytes.hpp"
#include "mem/partition_state.hpp"

namespace wg::mem {
namespace {

constexpr std::uint32_t kMagic = 0x504D4757;  // "WGMP"
constexpr std::uint32_t kVersion = 1;

[[noreturn]] void reject(std::size_t offset, std::string expected, std::string found) {
  throw Error(Problem{.where = fmt::format("memory partition state, byte {}", offset),
                      .expected = std::move(expected),
                      .found = std::move(found),
                      .advice = "resume with the machine and the version that saved the state"});
}

}  // namespace

std::uint64_t geometry_hash(const config::Machine& machine) {
  const std::array<std::uint64_t, 11> values{
      machine.l2.size.count(),
      machine.l2.slices_per_channel,
      machine.l2.ways,
      machine.l2.line.count(),
      machine.l2.sector.count(),
      machine.l2.interleave.count(),
      machine.dram.channels,
      machine.dram.banks,
      machine.dram.bank_groups,
      machine.dram.row.count(),
      XXH3_64bits(machine.l2.replacement.data(), machine.l2.replacement.size())};
  return XXH3_64bits(values.data(), sizeof(values));
}

void Partition::save(std::vector<std::uint8_t>& out) const {
  const State& state = *state_;
  put(out, kMagic);
  put(out, kVersion);
  put(out, state.geometry);
  put(out, state.channel);
  for (const L2Slice& slice : state.slices) {
    slice.tags().save(out);
  }
  state.dram.save(out);
}

std::size_t Partition::load(std::span<const std::uint8_t> in) {
  State& state = *state_;
  ByteReader reader(in);
  if (const auto magic = reader.get<std::uint32_t>(); magic != kMagic) {
    reject(0, fmt::format("{:#x}", kMagic), fmt::format("{:#x}", magic));
  }
  if (const auto version = reader.get<std::uint32_t>(); version != kVersion) {
    reject(4, fmt::format("version {}", kVersion), fmt::format("version {}", version));
  }
  if (reader.get<std::uint64_t>() != state.geometry) {
    reject(8, "the L2 and DRAM of this machine", "those of another");
  }
  if (const auto channel = reader.get<std::uint32_t>(); channel != state.channel) {
    reject(16, fmt::format("channel {}", state.channel), fmt::format("channel {}", channel));
  }
  const auto advance = [&](std::size_t used, const char* what) {
    if (used == 0) {
      begin_kernel(true);
      reject(reader.position(), what, "something else, or the end");
    }
    reader.skip(used);
  };
  for (L2Slice& slice : state.slices) {
    advance(slice.tags().load(reader.rest()), "the tags of an L2 slice");
  }
  advance(state.dram.load(reader.rest()), "the open rows of a DRAM channel");
  return reader.position();
}

}  // namespace wg::mem
