#include "kernels/program.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace wg::kernels {
namespace {

constexpr std::size_t kMostSources = 6;

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
  if (form.srcs.size() > kMostSources) {
    throw std::logic_error("an instruction of a builder kernel has more than six sources");
  }
  Text text{std::string(form.mnemonic), {}, {}, form.has_address, form.imm};
  if (form.dst != kNoDst) {
    text.dst.push_back(form.dst.number);
  }
  std::ranges::transform(form.srcs, std::back_inserter(text.srcs), [](Reg reg) { return reg.number; });
  const std::uint32_t slot = size();
  texts_.push_back(std::move(text));
  instructions_.push_back(isa::decode(*table_, raw_of(texts_.back(), slot)));
}

isa::RawInst Program::spelling(std::uint32_t slot) const { return raw_of(texts_[slot], slot); }

isa::RawInst Program::raw_of(const Text& text, std::uint32_t slot) const {
  isa::RawInst raw;
  raw.pc = pc_of_slot(slot, sm_version_);
  raw.mnemonic = text.mnemonic;
  raw.dst = text.dst;
  raw.src = text.srcs;
  raw.has_address = text.has_address;
  raw.traced_width = text.has_address ? 4 : 0;
  raw.imm = text.imm;
  return raw;
}

bool Program::matches(std::uint32_t slot, const StaticForm& form) const {
  const Text& text = texts_[slot];
  const Reg dst = text.dst.empty() ? kNoDst : Reg(unsigned{text.dst.front()});
  return text.mnemonic == form.mnemonic && dst == form.dst &&
         std::ranges::equal(text.srcs, form.srcs, {}, {}, &Reg::number) &&
         text.has_address == form.has_address && text.imm == form.imm;
}

}  // namespace wg::kernels
