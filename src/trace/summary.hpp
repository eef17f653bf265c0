// What a trace holds and whether it is sound, found by streaming through it once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "trace/workload.hpp"

namespace wg::trace {

struct UnknownOpcode {
  std::string mnemonic;     ///< with its modifiers
  std::uint64_t count = 0;  ///< executed warp instructions
};

struct KernelSummary {
  std::uint64_t ctas = 0;
  std::uint64_t warps = 0;
  std::uint64_t empty_warps = 0;       ///< warps without an instruction
  std::uint64_t unfinished_warps = 0;  ///< warps with instructions whose last one is no EXIT
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;  ///< active lanes summed
  std::uint64_t predicated_off = 0;       ///< warp instructions with an empty mask
  std::uint64_t memory_instructions = 0;  ///< warp instructions that carry addresses
  std::uint64_t static_instructions = 0;  ///< distinct instructions (PC and text)
  std::uint64_t min_warp_instructions = std::numeric_limits<std::uint64_t>::max();  ///< of one warp
  std::uint64_t max_warp_instructions = 0;
  std::uint64_t text_bytes = 0;                             ///< of the CTAs, uncompressed
  std::array<std::uint64_t, isa::kInstClasses> by_class{};  ///< warp instructions
  /// Distinct 128-byte lines touched in global memory (shared and local windows of generic accesses left
  /// out). A lower bound when not exact: counting stops at the cap of the options.
  std::uint64_t footprint_lines = 0;
  bool footprint_exact = true;
  std::vector<UnknownOpcode> unknown;  ///< most frequent first
};

struct SummaryOptions {
  /// Lines of the footprint that are remembered, at about 16 to 32 bytes each; 0 turns it off.
  std::uint64_t footprint_cap = std::uint64_t{4} << 20;
};

/// Reads the whole kernel, one CTA in memory at a time. Throws wg::Error as the reader does.
KernelSummary summarize(const Kernel& kernel, const SummaryOptions& options = {});

/// Adds the counts of `from` to `to`. Footprints add up as if kernels shared no line, so the sum of two is
/// marked as not exact.
void merge(KernelSummary& to, const KernelSummary& from);

/// Distinct mnemonics that the decoder met and its opcode table does not know; counts are of static
/// instructions.
std::vector<UnknownOpcode> unknown_opcodes(const CtaDecoder& decoder);

struct CheckReport {
  std::vector<Problem> problems;      ///< at most as many as asked for
  std::uint64_t problem_count = 0;    ///< all
  std::vector<std::string> warnings;  ///< sound, but worth a look: unknown opcodes, misaligned addresses ...
  KernelSummary summary;              ///< of what could be read, without a footprint
  [[nodiscard]] bool good() const { return problem_count == 0; }
};

/// Reads the whole kernel and goes on behind every problem where that is possible: a bad CTA costs that CTA,
/// a damaged file what lies behind the damage.
CheckReport check_kernel(const Kernel& kernel, std::size_t most_problems = 20);

/// The same for all that `open_trace` opens, missing and unreadable files included. `progress`, if given, is
/// told each kernel before it is read.
CheckReport check_trace(const std::string& path, std::size_t most_problems = 20,
                        const std::function<void(const KernelHeader&)>& progress = {});

/// One executed instruction as a line of text, for people: PC, mask, mnemonic, registers written "<-"
/// registers read as far as dependences know them, immediate; outside shared memory how many sectors of 32
/// bytes are touched; addresses: the first lane's and the step from lane to lane or those of all active
/// lanes.
std::string describe(const CtaTrace& cta, const DynInst& inst, const CtaDecoder& decoder);

/// Writes the kernel as a grouped text trace (header, then each CTA), piece by piece. Works for kernels of
/// text files, raw ones included.
void write_grouped(const Kernel& kernel, const std::function<void(std::string_view)>& write);

}  // namespace wg::trace
