// Records as the text of a tracer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/workload.hpp"

namespace wg::trace {

/// Tracer versions that can be written. Version 3 has neither immediates nor source lines.
inline constexpr std::uint32_t kOldestWritten = 3;
inline constexpr std::uint32_t kNewestWritten = 6;

/// The version a kernel is written in: `wanted`, or for 0 the first that says all that is known (5; 6 for a
/// kernel recorded in version 6). Throws wg::Error for a version that cannot be written or cannot say it:
/// before 6 traces do not name predicates and uniform registers.
std::uint32_t written_version(const KernelHeader& header, std::uint32_t wanted);

/// The header of a kernel as written: of the version of the text.
KernelHeader written_header(KernelHeader header, std::uint32_t version);

/// Appends instruction lines, each with its '\n'. What records do not hold is written as empty as the grammar
/// allows: second immediates, register values and stored data; of a TMA instruction barrier and byte counts.
class TextLines {
 public:
  /// `header` as `written_header` gives it; both live as long as this.
  TextLines(const KernelHeader& header, const CtaDecoder& decoder);
  void append(const CtaTrace& cta, std::span<const DynInst> insts, std::string& out);

 private:
  struct Parts {
    std::string before;  ///< between mask and addresses
    std::string after;   ///< behind the addresses
    std::string prefix;  ///< line number and PC
    bool known = false;
    bool memory = false;
    bool bulk = false;
  };
  const Parts& parts_of(std::uint32_t inst);
  std::string registers(std::span<const std::uint16_t> numbers, std::string_view mnemonic) const;

  const KernelHeader& header_;
  const CtaDecoder& decoder_;
  std::vector<Parts> parts_;
};

}  // namespace wg::trace
