// From the columns of a native trace back to the records of one CTA.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/native_bytes.hpp"
#include "trace/native_format.hpp"
#include "trace/native_predict.hpp"

namespace wg::trace::native {

/// The static side of decoding; one for a kernel, shared by its decoders.
struct StaticCode {
  std::vector<isa::StaticInst> insts;
  /// Of each instruction and of one behind the last: the first at or behind it that carries addresses.
  std::vector<std::uint32_t> next_memory;
  std::vector<std::uint32_t> slots;  ///< of each instruction: predictor slot where it carries addresses
};

StaticCode make_static_code(const KernelTable& table, const KernelHeader& header);

class ColumnDecoder {
 public:
  /// `code` lives as long as this.
  ColumnDecoder(const StaticCode& code, const KernelTable& table, std::uint32_t warps);

  /// Adds the `insts` instructions of all warps to `out`, which is empty. Throws wg::Error unless the columns
  /// hold exactly that.
  void decode(ByteReader& runs, ByteReader& accesses, ByteReader& lists, std::uint64_t insts, CtaTrace& out);

 private:
  void decode_run(ByteReader& runs);
  std::uint32_t read_mask(ByteReader& runs, MaskForm form);
  void decode_access(DynInst& inst, std::uint32_t slot);
  void decode_list(DynInst& inst, std::uint64_t least);

  const StaticCode& code_;
  std::uint32_t warps_;
  AddressPredictor predictor_;

  // Of the CTA or warp at hand.
  CtaTrace* out_ = nullptr;
  ByteReader* accesses_ = nullptr;
  ByteReader* lists_ = nullptr;
  std::array<std::uint32_t, kRecentMasks> recent_{};
  std::uint32_t recent_next_ = 0;
  std::uint32_t mask_ = 0;
  std::uint64_t expected_ = 0;
  std::size_t done_ = 0;  ///< records of the CTA so far
};

}  // namespace wg::trace::native
