// From the records of one CTA to the columns of a native trace.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/native_format.hpp"
#include "trace/native_predict.hpp"

namespace wg::trace::native {

/// The columns of one CTA.
struct CtaColumns {
  ByteWriter runs;
  ByteWriter accesses;
  ByteWriter lists;
};

/// Gives static instructions numbers of its own, in the order in which they run first, so that code that runs
/// in sequence is numbered in sequence.
class CtaEncoder {
 public:
  /// Both live as long as this.
  CtaEncoder(const KernelHeader& header, const CtaDecoder& decoder) : header_(header), decoder_(decoder) {}

  /// Replaces `out`. Throws std::logic_error for records that break the rules of CtaTrace.
  void encode(const CtaTrace& cta, CtaColumns& out);
  /// The instructions met so far.
  [[nodiscard]] const std::vector<StaticEntry>& statics() const { return statics_; }

 private:
  void encode_warp(const CtaTrace& cta, std::span<const DynInst> insts);
  std::uint32_t number_of(const CtaTrace& cta, const DynInst& inst);
  void write_run(std::uint32_t start, std::uint32_t length, std::uint32_t mask, ByteWriter& out);
  void write_access(const CtaTrace& cta, const DynInst& inst, std::uint32_t slot);
  void write_list(std::span<const std::uint64_t> list, std::uint64_t least);

  const KernelHeader& header_;
  const CtaDecoder& decoder_;
  std::vector<StaticEntry> statics_;
  std::vector<std::uint32_t> numbers_;  ///< of the decoder's instructions, 0 = none, else number + 1
  std::vector<std::uint32_t> slots_;    ///< of own numbers: predictor slot
  std::uint32_t slot_count_ = 0;
  AddressPredictor predictor_;

  // Of the CTA or warp at hand.
  CtaColumns* out_ = nullptr;
  ByteWriter runs_;
  std::array<std::uint32_t, kRecentMasks> recent_{};
  std::uint32_t recent_next_ = 0;
  std::uint32_t mask_ = 0;
  std::uint32_t expected_ = 0;
};

}  // namespace wg::trace::native
