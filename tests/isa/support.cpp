#include "support.hpp"

namespace wg::isa::test {
namespace {

std::string name_of_register(std::uint16_t reg) {
  struct File {
    std::uint16_t first;
    std::uint16_t end;
    std::string_view prefix;
  };
  static constexpr File kFiles[] = {{0, kRegZero, "R"},
                                    {kRegPredicate0, kRegPredicateTrue, "P"},
                                    {kRegUniform0, kRegUniformZero, "UR"},
                                    {kRegUniformPredicate0, kRegCount, "UP"}};
  for (const File& file : kFiles) {
    if (reg >= file.first && reg < file.end) {
      std::string name{file.prefix};
      name += std::to_string(reg - file.first);
      return name;
    }
  }
  return reg == kRegAnyPredicate ? "P" : "none";
}

}  // namespace

StaticInst decoded(Generation generation, const Line& line) {
  RawInst raw;
  raw.mnemonic = line.mnemonic;
  raw.dst = line.dst;
  raw.src = line.src;
  raw.imm = line.imm;
  raw.has_address = line.has_address;
  raw.traced_width = line.traced_width;
  raw.names_predicates = line.names_predicates;
  return decode(table_of(generation), raw);
}

std::string text_of(std::span<const RegRange> ranges) {
  std::string out;
  for (const RegRange& range : ranges) {
    if (!out.empty()) {
      out += ' ';
    }
    out += name_of_register(range.first);
    out += '*';
    out += std::to_string(range.count);
  }
  return out;
}

}  // namespace wg::isa::test
