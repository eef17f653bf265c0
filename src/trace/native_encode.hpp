// From the records of one CTA to the columns of a native trace.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/native_format.hpp"
#include "trace/native_predict.hpp"

namespace wg::trace::native {

/// The columns of one CTA. A run is a stretch under one mask.
struct CtaColumns {
  std::vector<std::uint64_t> warp_runs;  ///< of each warp
  std::vector<std::uint64_t> stretches;  ///< of each run: number in the kernel's table
  std::vector<std::uint32_t> masks;      ///< of each run
  ByteWriter codes;                      ///< of each access, see AccessForm
  ByteWriter values;                     ///< what the codes ask for
  ByteWriter lists;                      ///< offsets
  std::uint64_t addresses = 0;           ///< entries of CtaTrace::addresses that they make

  void clear();
};

/// Gives static instructions numbers of its own, in the order in which they run first, so that code that runs
/// in sequence is numbered in sequence.
class CtaEncoder {
 public:
  /// All live as long as this. Instructions and stretches are added to `table` as they are met.
  CtaEncoder(const KernelHeader& header, const CtaDecoder& decoder, KernelTable& table)
      : header_(header), decoder_(decoder), table_(table) {}

  /// Replaces `out`. Throws std::logic_error for records that break the rules of CtaTrace.
  void encode(const CtaTrace& cta, CtaColumns& out);

 private:
  void encode_warp(const CtaTrace& cta, const WarpTrace& warp);
  std::uint32_t number_of(const CtaTrace& cta, const DynInst& inst);
  void add_static(const CtaTrace& cta, const DynInst& inst);
  std::uint32_t stretch_number(std::uint32_t start, std::uint32_t length);
  void write_access(const CtaTrace& cta, const DynInst& inst, std::uint32_t slot, std::uint32_t warp);

  const KernelHeader& header_;
  const CtaDecoder& decoder_;
  KernelTable& table_;
  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::unordered_map<std::uint64_t, std::uint32_t> stretches_;
  std::vector<std::uint32_t> numbers_;  ///< of the decoder's instructions, 0 = none, else number + 1
  std::vector<std::uint32_t> slots_;    ///< of own numbers: predictor slot + 1, 0 = none
  std::uint32_t slot_count_ = 0;
  AddressPredictor predictor_;
  CtaColumns* out_ = nullptr;  ///< of the CTA at hand
};

}  // namespace wg::trace::native
