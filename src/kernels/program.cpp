#include "kernels/program.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace wg::kernels {
namespace {

const isa::OpcodeTable& table_for(std::uint32_t sm_version) {
  isa::Generation generation{};
  if (!isa::generation_of(sm_version, generation)) {
    throw std::logic_error("builder kernel for an SM version that does not exist");
  }
  return isa::table_of(generation);
}

/// Slots in a group of 8-byte words that begins with a control word.
std::uint64_t grouped_pc(std::uint32_t slot, std::uint32_t per_group) {
  const std::uint32_t group = slot / per_group;
  return (std::uint64_t{group} * (per_group + 1) + slot % per_group + 1) * 8;
}

}  // namespace

std::uint64_t pc_of_slot(std::uint32_t slot, std::uint32_t sm_version) {
  if (sm_version >= 70) {
    return std::uint64_t{slot} * 16;
  }
  if (sm_version >= 50) {
    return grouped_pc(slot, 3);
  }
  return sm_version >= 30 ? grouped_pc(slot, 7) : std::uint64_t{slot} * 8;
}

Program::Program(std::uint32_t sm_version) : sm_version_(sm_version), table_(&table_for(sm_version)) {}

void Program::append(const StaticForm& form) {
  const std::array<std::uint16_t, 1> dst{form.dst.number};
  std::array<std::uint16_t, 6> src{};
  if (form.srcs.size() > src.size()) {
    throw std::logic_error("an instruction of a builder kernel has more than six sources");
  }
  std::ranges::transform(form.srcs, src.begin(), [](Reg reg) { return reg.number; });
  isa::RawInst raw;
  raw.pc = pc_of_slot(size(), sm_version_);
  raw.mnemonic = form.mnemonic;
  raw.dst = std::span(dst).first(form.dst == kNoDst ? 0 : 1);
  raw.src = std::span(src).first(form.srcs.size());
  raw.has_address = form.has_address;
  raw.traced_width = form.has_address ? 4 : 0;
  raw.imm = form.imm;
  instructions_.push_back(isa::decode(*table_, raw));
  texts_.push_back({std::string(form.mnemonic), form.dst, form.srcs, form.has_address, form.imm});
}

bool Program::matches(std::uint32_t slot, const StaticForm& form) const {
  const Text& text = texts_[slot];
  return text.mnemonic == form.mnemonic && text.dst == form.dst && std::ranges::equal(text.srcs, form.srcs) &&
         text.has_address == form.has_address && text.imm == form.imm;
}

}  // namespace wg::kernels
