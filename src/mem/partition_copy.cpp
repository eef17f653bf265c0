// Memory copies seen by a partition: untimed, but with their effect on the tags and the DRAM traffic.
#include <algorithm>
#include <bit>

#include "mem/copy_range.hpp"
#include "mem/partition_state.hpp"

namespace wg::mem {
namespace {

/// The blocks of a range that belong to one slice: one in each group of interleave blocks.
class SliceBlocks {
 public:
  SliceBlocks(const AddressMap& map, std::uint32_t channel, std::uint32_t slice, const Range& range)
      : map_(&map),
        channel_(channel),
        slice_(slice),
        first_group_(map.place(range.begin).local / map.interleave()),
        last_group_(map.place(range.end - 1).local / map.interleave()) {}

  [[nodiscard]] std::uint64_t first_group() const { return first_group_; }
  [[nodiscard]] std::uint64_t last_group() const { return last_group_; }
  /// Byte address of the slice's block in a group.
  [[nodiscard]] std::uint64_t address(std::uint64_t group) const {
    return map_->address({channel_, slice_, group * map_->interleave()});
  }
  /// Calls visit(line number inside the slice, its sectors inside the range) for a group's lines.
  template <class Visit>
  void lines(std::uint64_t group, const Range& range, std::uint64_t line_bytes, std::uint64_t sector_bytes,
             Visit visit) const {
    const std::uint64_t begin = address(group);
    const std::uint64_t lines = map_->interleave() / line_bytes;
    for (std::uint64_t i = 0; i < lines; ++i) {
      const std::uint32_t sectors = sectors_in(range, begin + i * line_bytes, line_bytes, sector_bytes);
      if (sectors != 0) {
        visit(group * lines + i, sectors);
      }
    }
  }

 private:
  const AddressMap* map_;
  std::uint32_t channel_;
  std::uint32_t slice_;
  std::uint64_t first_group_;
  std::uint64_t last_group_;
};

std::uint64_t count_of(std::uint32_t sectors) { return static_cast<std::uint64_t>(std::popcount(sectors)); }

/// Makes the sectors of a line valid and clean; returns the number of sectors written to DRAM for it: those
/// of the copy, and dirty ones pushed out.
std::uint64_t install_line(L2Tags& tags, std::uint64_t line, std::uint32_t sectors) {
  std::uint64_t written = count_of(sectors);
  const std::uint32_t copy = tags.find(line | L2Tags::kCopy);
  if (copy != L2Tags::kNoSlot) {
    tags.drop(copy);
  }
  std::uint32_t slot = tags.find(line);
  if (slot == L2Tags::kNoSlot) {
    slot = tags.room(line, 0);
    if (!tags.at(slot).empty()) {
      written += count_of(tags.at(slot).dirty());
    }
    tags.place(slot, line);
  }
  tags.at(slot).add_valid(sectors);
  tags.touch(slot, 0);
  return written;
}

/// Sectors of the range that the slice's L2 holds, by looking at every line that it holds.
std::uint64_t held_sectors(const AddressMap& map, std::uint32_t channel, std::uint32_t index,
                           const L2Slice& slice, const Range& range, std::uint64_t sector_bytes) {
  std::uint64_t held = 0;
  const L2Tags& tags = slice.tags();
  for (std::uint32_t slot = 0; slot < tags.slots(); ++slot) {
    const TagWord word = tags.at(slot);
    if (!word.empty() && (word.line() & L2Tags::kCopy) == 0) {
      const std::uint64_t address = map.address({channel, index, word.line() * slice.line_bytes()});
      held += count_of(word.valid() & sectors_in(range, address, slice.line_bytes(), sector_bytes));
    }
  }
  return held;
}

}  // namespace

void Partition::install(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) {
    return;
  }
  State& state = *state_;
  constexpr std::uint64_t kKeep = 4;  // times the capacity: replaces what was there in any sane policy
  const Range range{address, address + bytes};
  std::uint64_t written = 0;  // sectors
  for (std::uint32_t index = 0; index < state.slices.size(); ++index) {
    L2Slice& slice = state.slices[index];
    const SliceBlocks blocks(state.map, state.channel, index, range);
    const std::uint64_t kept_groups = kKeep * state.capacity / state.map.interleave();
    for (std::uint64_t group = blocks.first_group(); group <= blocks.last_group(); ++group) {
      if (group > blocks.first_group() && blocks.last_group() - group > kept_groups) {
        const std::uint64_t skipped = blocks.last_group() - group - kept_groups;
        written += skipped * state.map.interleave() / state.sector_bytes;
        group += skipped;
      }
      blocks.lines(group, range, slice.line_bytes(), state.sector_bytes,
                   [&](std::uint64_t line, std::uint32_t sectors) {
                     written += install_line(slice.tags(), line, sectors);
                   });
    }
  }
  state.counters.l2_writeback_sectors += written;
  state.counters.dram_write_bytes += written * state.sector_bytes;
}

void Partition::read_out(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) {
    return;
  }
  State& state = *state_;
  const Range range{address, address + bytes};
  std::uint64_t missing = 0;  // sectors
  for (std::uint32_t index = 0; index < state.slices.size(); ++index) {
    const L2Slice& slice = state.slices[index];
    const SliceBlocks blocks(state.map, state.channel, index, range);
    const auto count_missing = [&](std::uint64_t line, std::uint32_t sectors) {
      const std::uint32_t slot = slice.tags().find(line);
      missing += count_of(slot == L2Tags::kNoSlot ? sectors : sectors & ~slice.tags().at(slot).valid());
    };
    const std::uint64_t groups = blocks.last_group() - blocks.first_group() + 1;
    if (groups <= 2 || groups * state.map.interleave() <= state.capacity) {
      for (std::uint64_t group = blocks.first_group(); group <= blocks.last_group(); ++group) {
        blocks.lines(group, range, slice.line_bytes(), state.sector_bytes, count_missing);
      }
      continue;
    }
    const auto count_all = [&](std::uint64_t /*line*/, std::uint32_t sectors) {
      missing += count_of(sectors);
    };
    blocks.lines(blocks.first_group(), range, slice.line_bytes(), state.sector_bytes, count_all);
    blocks.lines(blocks.last_group(), range, slice.line_bytes(), state.sector_bytes, count_all);
    missing += (groups - 2) * state.map.interleave() / state.sector_bytes;
    missing -= held_sectors(state.map, state.channel, index, slice, range, state.sector_bytes);
  }
  state.counters.dram_read_bytes += missing * state.sector_bytes;
}

}  // namespace wg::mem
