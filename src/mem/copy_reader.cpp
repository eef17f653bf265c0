#include "mem/copy_reader.hpp"

#include <algorithm>
#include <bit>

#include "mem/copy_range.hpp"

namespace wg::mem {

CopyReader::CopyReader(const AddressMap& map, std::uint32_t channel, std::span<const L2Slice> slices,
                       std::uint64_t sector_bytes, std::uint32_t most, std::span<const CopyRead> copies)
    : map_(&map),
      channel_(channel),
      slices_(static_cast<std::uint32_t>(slices.size())),
      line_bytes_(slices.front().line_bytes()),
      sector_bytes_(sector_bytes),
      most_(most),
      copies_(copies.begin(), copies.end()),
      ends_(copies.size()) {
  find();
}

std::uint64_t CopyReader::line_address() const {
  return map_->address({channel_, slice_, group_ * map_->interleave()}) + line_ * line_bytes_;
}

void CopyReader::find() {
  __extension__ typedef unsigned __int128 Wide;
  for (; copy_ < copies_.size(); ++copy_, begun_ = false) {
    const CopyRead& copy = copies_[copy_];
    if (copy.bytes == 0) {
      continue;
    }
    const Range range{copy.address, copy.address + copy.bytes};
    if (!begun_) {
      begun_ = true;
      group_ = map_->place(range.begin).local / map_->interleave();
      last_group_ = map_->place(range.end - 1).local / map_->interleave();
      slice_ = 0;
      line_ = 0;
    }
    for (; group_ <= last_group_; ++group_, slice_ = 0) {
      for (; slice_ < slices_; ++slice_, line_ = 0) {
        for (; line_ < map_->interleave() / line_bytes_; ++line_) {
          const std::uint64_t address = line_address();
          sectors_ = sectors_in(range, address, line_bytes_, sector_bytes_);
          if (sectors_ != 0) {
            const std::uint64_t done = std::max(address, range.begin) - range.begin;
            const auto time = static_cast<std::uint64_t>(Wide{copy.duration_ps} * done / copy.bytes);
            next_ps_ = std::max(next_ps_, copy.begin_ps + time);
            return;
          }
        }
      }
    }
  }
  next_ps_ = kNever;
}

bool CopyReader::has_room(const DramChannel& dram) const {
  const std::uint32_t entries = dram.entries(sectors_);
  return dram.has_read_room(entries) && (in_flight_ == 0 || in_flight_ + entries <= most_);
}

void CopyReader::step(DramChannel& dram, std::span<const L2Slice> slices) {
  const L2Slice& slice = slices[slice_];
  const std::uint64_t line = group_ * (map_->interleave() / line_bytes_) + line_;
  const std::uint32_t slot = slice.tags().find(line);
  const std::uint32_t missing =
      slot == L2Tags::kNoSlot ? sectors_ : sectors_ & ~slice.tags().at(slot).valid();
  if (missing != 0) {
    if (!has_room(dram)) {
      waiting_ = true;
      return;
    }
    dram.read(next_ps_, slice.dram_address(line), missing, kCopySlice, static_cast<std::uint32_t>(copy_));
    in_flight_ += dram.entries(missing);
    ends_[copy_].read_bytes += static_cast<std::uint64_t>(std::popcount(missing)) * sector_bytes_;
  }
  ++line_;
  find();
}

void CopyReader::arrived(std::uint32_t copy, std::uint64_t ready_ps) {
  --in_flight_;
  ends_[copy].end_ps = std::max(ends_[copy].end_ps, ready_ps);
}

void CopyReader::wake(std::uint64_t now, const DramChannel& dram) {
  if (waiting_ && has_room(dram)) {
    waiting_ = false;
    next_ps_ = std::max(next_ps_, now);
  }
}

}  // namespace wg::mem
