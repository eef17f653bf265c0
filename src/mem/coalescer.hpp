// From the addresses of one warp instruction to lines, sectors and shared-memory passes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "trace/workload.hpp"

namespace wg::mem {

/// One line touched by a warp instruction.
struct LineAccess {
  std::uint64_t line = 0;         ///< byte address, multiple of the line size
  std::uint8_t sectors = 0;       ///< touched 32-byte sectors, bit i = sector i of the line
  std::uint8_t full_sectors = 0;  ///< sectors of which every byte is touched
  std::uint8_t operations = 0;    ///< active lanes that start in this line
  std::uint8_t same_address = 0;  ///< most lanes with one and the same address
};

/// The lines of one warp instruction in the order in which its lanes first touch them.
/// 32 lanes touch at most two lines each; in local memory, at most four words each that all lie in lines of
/// their own.
class LineList {
 public:
  [[nodiscard]] std::span<const LineAccess> lines() const { return {items_.data(), count_}; }
  [[nodiscard]] std::uint32_t sector_count() const;
  void clear() { count_ = 0; }
  LineAccess& find_or_add(std::uint64_t line);

 private:
  std::array<LineAccess, 128> items_{};
  std::uint32_t count_ = 0;
};

/// Geometry used by the coalescer. `sector` divides `line`; at most 8 sectors to a line.
struct LineGeometry {
  std::uint32_t line = 128;
  std::uint32_t sector = 32;
};

/// Reduces an access of `width` bytes per active lane (at most a line) to lines and sectors. `full_sectors`
/// is filled when `want_full`; `operations` and `same_address` when `want_operations`.
void coalesce(const trace::AddressForm& form, std::uint32_t mask, std::uint32_t width, LineGeometry geometry,
              bool want_full, bool want_operations, LineList& out);

/// Passes that shared memory needs: 32 banks of 4 bytes; one pass serves one word of each bank to any number
/// of lanes. 8-byte accesses go in half warps, 16-byte ones in quarter warps (CUDA programming guide;
/// sjfeng1999's RTX 2070 measurements). One address for all lanes is one pass whatever the width. At least 1
/// for a non-empty mask.
std::uint32_t shared_passes(const trace::AddressForm& form, std::uint32_t mask, std::uint32_t width,
                            std::uint32_t banks);

}  // namespace wg::mem
