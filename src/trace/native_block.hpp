// An unpacked block of a native trace: where its columns lie, checked as far as that costs no decoding.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "trace/native_file.hpp"
#include "trace/native_format.hpp"

namespace wg::trace::native {

/// Where one CTA begins in the columns of its block; it ends where the next one begins.
struct CtaPlace {
  std::uint64_t index = 0;  ///< in the grid, x fastest
  std::uint64_t insts = 0;  ///< warp instructions
  std::size_t runs = 0;
  std::size_t accesses = 0;
  std::size_t values = 0;
  std::size_t lists = 0;
  std::size_t addresses = 0;
};

struct Block {
  const BlockInfo* info = nullptr;
  const FileBytes* file = nullptr;
  Unpacked control_storage;
  Unpacked lists_storage;

  std::vector<CtaPlace> ctas;             ///< and one behind the last
  std::vector<std::uint32_t> masks;       ///< those of its runs
  Column warp_runs;                       ///< of each warp of each CTA: runs
  Column stretches;                       ///< of each run: number in the kernel's table, which has it
  Column mask_of;                         ///< of each run: number in `masks`, which has it
  const unsigned char* codes = nullptr;   ///< of each access, a valid one
  const unsigned char* values = nullptr;  ///< what the codes ask for
  const unsigned char* lists = nullptr;   ///< offsets

  [[nodiscard]] bool holds(std::uint64_t cta) const {
    return cta >= info->first_cta && cta - info->first_cta < info->ctas;
  }
  [[noreturn]] void fail(std::string_view part, std::string_view expected, std::string_view found) const;
};

/// Throws wg::Error. `info`, `file` and `table` live as long as the block.
std::shared_ptr<const Block> read_block(const FileBytes& file, const BlockInfo& info,
                                        const KernelTable& table, const KernelHeader& header);

}  // namespace wg::trace::native
