// Counting the instructions of decoded CTAs into a KernelSummary.
#pragma once

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <string>
#include <vector>

#include "trace/summary.hpp"

namespace wg::trace {

/// Distinct 128-byte lines, remembered up to a cap.
class Footprint {
 public:
  explicit Footprint(std::uint64_t cap) : cap_(cap) {}
  void touch(std::uint64_t address, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t lines() const { return lines_.size(); }
  [[nodiscard]] bool exact() const { return exact_; }

 private:
  static constexpr std::uint64_t kLineBytes = 128;
  std::uint64_t cap_;
  bool exact_ = true;
  std::uint64_t last_ = ~std::uint64_t{0};
  tsl::robin_set<std::uint64_t> lines_;
};

class Accumulator {
 public:
  Accumulator(const KernelHeader& header, const CtaDecoder& decoder, std::uint64_t footprint_cap);

  void add(const CtaBlob& blob, const CtaTrace& cta);
  /// The summary so far.
  [[nodiscard]] KernelSummary result() const;
  /// Lanes whose address is no multiple of the access width, and lanes active beyond the block's threads.
  [[nodiscard]] std::uint64_t misaligned() const { return misaligned_; }
  [[nodiscard]] std::uint64_t stray_lanes() const { return stray_lanes_; }
  /// "block (x,y,z) PC 00a0" of the first of each.
  [[nodiscard]] const std::string& first_misaligned() const { return first_misaligned_; }
  [[nodiscard]] const std::string& first_stray() const { return first_stray_; }

 private:
  void add_warp(const CtaTrace& cta, const WarpTrace& warp);
  void add_accesses(const CtaTrace& cta, const DynInst& inst, const isa::StaticInst& info);
  [[nodiscard]] bool in_window(std::uint64_t address) const;

  const KernelHeader& header_;
  const CtaDecoder& decoder_;
  KernelSummary counts_;
  std::vector<std::uint64_t> by_inst_;  ///< executions of each static instruction
  Footprint footprint_;
  bool want_footprint_;
  std::uint64_t misaligned_ = 0;
  std::uint64_t stray_lanes_ = 0;
  std::string first_misaligned_;
  std::string first_stray_;
};

}  // namespace wg::trace
