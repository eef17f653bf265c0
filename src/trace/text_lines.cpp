#include "trace/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/error.hpp"
#include "trace/inst_line.hpp"

namespace wg::trace {
namespace {

/// Empty for a number that no register of the text has.
std::string register_name(std::uint16_t number, std::uint32_t version) {
  if (number <= isa::kRegZero) {
    return fmt::format("R{}", number);
  }
  if (version < 6) {
    return {};
  }
  if (number < isa::kRegPredicateTrue + 1) {
    return fmt::format("P{}", number - isa::kRegPredicate0);
  }
  if (number <= isa::kRegUniformZero) {
    return fmt::format("UR{}", number - isa::kRegUniform0);
  }
  return number >= isa::kRegUniformPredicate0 ? fmt::format("UP{}", number - isa::kRegUniformPredicate0)
                                              : std::string{};
}

/// True if the lanes of `mask` lie side by side: only then can the text give a stride.
bool contiguous(std::uint32_t mask) {
  const std::uint32_t run = mask >> std::countr_zero(mask);
  return (run & (run + 1)) == 0;
}

void append_addresses(const AddressForm& form, std::uint32_t mask, std::string& out) {
  const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
  auto to = std::back_inserter(out);
  if (mask == 0 || (form.strided && lanes > 1 && contiguous(mask))) {
    fmt::format_to(to, "1 0x{:x} {} ", form.strided ? form.base : 0, mask == 0 ? 0 : form.stride);
    return;
  }
  fmt::format_to(to, "2 0x{:x} ", form.at(0));
  for (std::uint32_t lane = 1; lane < lanes; ++lane) {
    fmt::format_to(to, "{} ", static_cast<std::int64_t>(form.at(lane) - form.at(lane - 1)));
  }
}

}  // namespace

std::uint32_t written_version(const KernelHeader& header, std::uint32_t wanted) {
  const std::uint32_t version = wanted != 0 ? wanted : header.tracer_version >= 6 ? 6 : 5;
  if (version < kOldestWritten || version > kNewestWritten) {
    throw Error(Problem{"tracer version", fmt::format("{} to {}", kOldestWritten, kNewestWritten),
                        fmt::format("{}", version), ""},
                ExitCode::usage);
  }
  if ((version >= 6) != (header.tracer_version >= 6)) {
    throw Error(Problem{fmt::format("kernel {} {}", header.id, header.name),
                        header.tracer_version >= 6 ? "tracer version 6" : "a tracer version from 3 to 5",
                        fmt::format("{}", version), "only version 6 names predicates and uniform registers"});
  }
  return version;
}

KernelHeader written_header(KernelHeader header, std::uint32_t version) {
  header.tracer_version = version;
  header.line_info = header.line_info && version >= 4;
  return header;
}

TextLines::TextLines(const KernelHeader& header, const CtaDecoder& decoder)
    : header_(header), decoder_(decoder) {}

void TextLines::append(const CtaTrace& cta, std::span<const DynInst> insts, std::string& out) {
  for (const DynInst& inst : insts) {
    const Parts& parts = parts_of(inst.inst);
    out += parts.prefix;
    fmt::format_to(std::back_inserter(out), "{:08x}", inst.mask);
    out += parts.before;
    const bool addressed = inst.address != DynInst::kNoAddress;
    if (parts.bulk) {
      out += addressed ? fmt::format("0x0 0 0 0 3 1 0x{:x} ", cta.form(inst).at(0)) : "0x0 0 0 0 3 0 ";
    } else if (parts.memory && addressed) {
      append_addresses(cta.form(inst), inst.mask, out);
    } else if (parts.memory) {
      throw Error(Problem{header_.name, "addresses that text can say",
                          fmt::format("none for {}", decoder_.mnemonic(inst.inst)), ""});
    }
    out += parts.after;
  }
}

const TextLines::Parts& TextLines::parts_of(std::uint32_t inst) {
  if (inst >= parts_.size()) {
    parts_.resize(decoder_.instructions().size());
  }
  Parts& parts = parts_[inst];
  if (parts.known) {
    return parts;
  }
  const isa::RawInst raw = decoder_.spelling(inst);
  const std::uint32_t version = header_.tracer_version;
  parts.known = true;
  parts.memory = raw.has_address;
  parts.bulk = raw.has_address && has_bulk_tail(raw.mnemonic, version);
  parts.prefix =
      header_.line_info ? fmt::format("{} {:04x} ", raw.line, raw.pc) : fmt::format("{:04x} ", raw.pc);
  parts.before = fmt::format(" {} {} {}", registers(raw.dst, raw.mnemonic), raw.mnemonic,
                             registers(raw.src, raw.mnemonic));
  if (version >= 6 && raw.mnemonic.find("GMMA") != std::string_view::npos) {
    parts.before += " 0";
  }
  // The width says whether addresses follow, so that it cannot be 0 where they do.
  parts.before += fmt::format(" {} ", raw.has_address ? std::max<unsigned>(raw.traced_width, 1) : 0U);
  if (version >= 4) {
    parts.after = fmt::format("{} ", raw.imm);
  }
  parts.after += version >= 6 ? "0 NoVal \n" : "\n";
  return parts;
}

std::string TextLines::registers(std::span<const std::uint16_t> numbers, std::string_view mnemonic) const {
  std::string out = fmt::format("{}", numbers.size());
  for (const std::uint16_t number : numbers) {
    const std::string name = register_name(number, header_.tracer_version);
    if (name.empty()) {
      throw Error(Problem{header_.name,
                          fmt::format("registers that tracer version {} can name", header_.tracer_version),
                          fmt::format("register number {} of {}", number, mnemonic), ""});
    }
    out += ' ' + name;
  }
  return out;
}

}  // namespace wg::trace
