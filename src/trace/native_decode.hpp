// From the columns of a native trace back to the records of one CTA.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/native_block.hpp"
#include "trace/native_format.hpp"
#include "trace/native_predict.hpp"

namespace wg::trace::native {

/// A stretch and its instructions that carry addresses, whose numbers are predictor slots.
struct StretchCode {
  std::uint32_t start = 0;
  std::uint32_t length = 0;
  std::uint32_t first_access = 0;
  std::uint32_t accesses = 0;
};

/// An access that was met in a run; here, in a kernel's code, `record` is the static instruction.
struct AccessPlace {
  std::uint32_t record = 0;
  std::uint32_t slot = 0;
};

/// The static side of decoding; one for a kernel, shared by its decoders.
struct StaticCode {
  std::vector<isa::StaticInst> insts;
  std::vector<AccessPlace> accesses;  ///< of each instruction that carries addresses, in order; padded
  std::vector<StretchCode> stretches;
};

StaticCode make_static_code(const KernelTable& table, const KernelHeader& header);

class ColumnDecoder {
 public:
  /// `code` lives as long as this.
  ColumnDecoder(const StaticCode& code, const KernelTable& table, std::uint32_t warps);

  /// Replaces instructions, warps and addresses of `out` by those of the `cta`-th of the block. Throws
  /// wg::Error unless the columns hold exactly what the directory says.
  void decode(const Block& block, std::size_t cta, CtaTrace& out);

 private:
  void decode_runs(const Block& block, std::size_t cta, CtaTrace& out);
  void decode_accesses(const Block& block, std::size_t cta, CtaTrace& out);

  const StaticCode& code_;
  std::uint32_t warps_;
  AddressPredictor predictor_;
  // Of the CTA at hand.
  std::vector<AccessPlace> accesses_;
  std::vector<std::uint32_t> warp_accesses_;  ///< of each warp: how many of them are its own or come before
};

}  // namespace wg::trace::native
