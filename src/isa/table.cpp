#include <algorithm>
#include <array>

#include "isa/opcode.hpp"

namespace wg::isa {
namespace {

void append(const Family& family, std::vector<Opcode>& out) {
  std::string_view rest = family.names;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    out.push_back({rest.substr(0, blank), family.cls, family.space, family.shape, family.flags});
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
}

/// The first eight characters as a number that orders as they do; of shorter names the rest is 0.
std::uint64_t key_of(std::string_view name) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(name.size(), 8); ++i) {
    key |= std::uint64_t{static_cast<unsigned char>(name[i])} << (56 - 8 * i);
  }
  return key;
}

}  // namespace

OpcodeTable::OpcodeTable(Generation generation) : generation_(generation) {
  for (const auto families : {arithmetic_families(), memory_families(), control_families()}) {
    for (const Family& family : families) {
      if (family.first <= generation && generation <= family.last) {
        append(family, opcodes_);
      }
    }
  }
  std::sort(opcodes_.begin(), opcodes_.end(),
            [](const Opcode& a, const Opcode& b) { return a.name < b.name; });
  names_.reserve(opcodes_.size());
  for (const Opcode& opcode : opcodes_) {
    names_.push_back(opcode.name);
    keys_.push_back(key_of(opcode.name));
  }
}

std::uint16_t OpcodeTable::find(std::string_view name) const {
  const std::uint64_t key = key_of(name);
  const auto first =
      static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin());
  for (std::size_t i = first; i < keys_.size() && keys_[i] == key; ++i) {
    if (names_[i] == name) {
      return static_cast<std::uint16_t>(i);
    }
  }
  return kUnknownOpcode;
}

const OpcodeTable& table_of(Generation generation) {
  static const std::array<OpcodeTable, 9> tables{
      OpcodeTable{Generation::fermi},  OpcodeTable{Generation::kepler}, OpcodeTable{Generation::maxwell},
      OpcodeTable{Generation::pascal}, OpcodeTable{Generation::volta},  OpcodeTable{Generation::turing},
      OpcodeTable{Generation::ampere}, OpcodeTable{Generation::ada},    OpcodeTable{Generation::hopper}};
  return tables[std::min(static_cast<std::size_t>(generation), tables.size() - 1)];
}

std::span<const std::string_view> mnemonics(const OpcodeTable& table) { return table.names(); }

}  // namespace wg::isa
