#include "mem/coalescer.hpp"

#include <algorithm>
#include <bit>

namespace wg::mem {
namespace {

// GPU virtual addresses stay below this; what a damaged trace has above is dropped.
constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 56) - 1;

// Bits [first, last] of a byte mask.
constexpr std::uint8_t bit_range(std::uint32_t first, std::uint32_t last) {
  return static_cast<std::uint8_t>(((1U << (last + 1)) - 1U) & ~((1U << first) - 1U));
}

// A dense run of bytes: the common case of consecutive lanes touching consecutive words.
void add_range(std::uint64_t begin, std::uint64_t end, LineGeometry g, LineList& out) {
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t line = at & ~std::uint64_t{g.line - 1};
    const std::uint64_t stop = std::min(end, line + g.line);
    LineAccess& access = out.find_or_add(line);
    const auto first = static_cast<std::uint32_t>(at - line);
    const auto last = static_cast<std::uint32_t>(stop - line);  // one past
    access.sectors |= bit_range(first / g.sector, (last - 1) / g.sector);
    const std::uint32_t full_first = (first + g.sector - 1) / g.sector;
    const std::uint32_t full_end = last / g.sector;
    if (full_end > full_first) {
      access.full_sectors |= bit_range(full_first, full_end - 1);
    }
    at = stop;
  }
}

void add_lane(std::uint64_t address, std::uint32_t width, LineGeometry g, LineList& out) {
  const std::uint64_t last_byte = address + width - 1;
  for (std::uint64_t line = address & ~std::uint64_t{g.line - 1};; line += g.line) {
    const std::uint64_t first = std::max(address, line) - line;
    const std::uint64_t last = std::min(last_byte, line + g.line - 1) - line;
    out.find_or_add(line).sectors |=
        bit_range(static_cast<std::uint32_t>(first) / g.sector, static_cast<std::uint32_t>(last) / g.sector);
    if (last_byte < line + g.line) {
      return;
    }
  }
}

// Sectors whose every byte some lane writes: sorts the lanes' byte ranges and walks their union.
void mark_full(const trace::AddressForm& form, std::uint32_t lanes, std::uint32_t width, LineGeometry g,
               LineList& out) {
  std::array<std::uint64_t, 32> start;
  for (std::uint32_t i = 0; i < lanes; ++i) {
    start[i] = form.at(i) & kAddressMask;
  }
  std::sort(start.begin(), start.begin() + lanes);
  for (std::uint32_t i = 0; i < lanes;) {
    const std::uint64_t begin = start[i];
    std::uint64_t end = begin + width;
    for (++i; i < lanes && start[i] <= end; ++i) {
      end = std::max(end, start[i] + width);
    }
    const std::uint64_t first = (begin + g.sector - 1) / g.sector;
    for (std::uint64_t sector = first; (sector + 1) * g.sector <= end; ++sector) {
      const std::uint64_t byte = sector * g.sector;
      const std::uint64_t line = byte & ~std::uint64_t{g.line - 1};
      out.find_or_add(line).full_sectors |= static_cast<std::uint8_t>(1U << ((byte - line) / g.sector));
    }
  }
}

void count_operations(const trace::AddressForm& form, std::uint32_t lanes, LineGeometry g, LineList& out) {
  std::array<std::uint64_t, 32> address;
  for (std::uint32_t i = 0; i < lanes; ++i) {
    address[i] = form.at(i) & kAddressMask;
  }
  std::sort(address.begin(), address.begin() + lanes);
  std::uint8_t run = 0;
  for (std::uint32_t i = 0; i < lanes; ++i) {
    run = i > 0 && address[i] == address[i - 1] ? static_cast<std::uint8_t>(run + 1) : std::uint8_t{1};
    LineAccess& access = out.find_or_add(address[i] & ~std::uint64_t{g.line - 1});
    ++access.operations;
    access.same_address = std::max(access.same_address, run);
  }
}

bool one_address(const trace::AddressForm& form) {
  return form.strided ? form.stride == 0
                      : std::all_of(form.list.begin(), form.list.end(),
                                    [&form](std::uint64_t address) { return address == form.list[0]; });
}

std::uint32_t group_passes(const trace::AddressForm& form, std::uint32_t first, std::uint32_t last,
                           std::uint32_t width, std::uint32_t banks) {
  // Distinct words of each bank; at most 8 lanes x 4 words or 32 lanes x 1 word in a group.
  std::array<std::uint64_t, 64> words;
  std::uint32_t count = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const std::uint64_t begin = form.at(i) / 4;
    const std::uint64_t end = (form.at(i) + width + 3) / 4;
    for (std::uint64_t word = begin; word < end && count < words.size(); ++word) {
      words[count++] = word;
    }
  }
  std::sort(words.begin(), words.begin() + count);
  const auto distinct =
      static_cast<std::uint32_t>(std::unique(words.begin(), words.begin() + count) - words.begin());
  std::array<std::uint8_t, 64> load{};
  std::uint8_t most = 0;
  for (std::uint32_t i = 0; i < distinct; ++i) {
    most = std::max(most, ++load[words[i] % banks]);
  }
  return most;
}

}  // namespace

std::uint32_t LineList::sector_count() const {
  std::uint32_t sum = 0;
  for (const LineAccess& access : lines()) {
    sum += static_cast<std::uint32_t>(std::popcount(access.sectors));
  }
  return sum;
}

LineAccess& LineList::find_or_add(std::uint64_t line) {
  for (std::uint32_t i = count_; i-- > 0;) {
    if (items_[i].line == line) {
      return items_[i];
    }
  }
  LineAccess& access = items_[count_++];
  access = {.line = line};
  return access;
}

void coalesce(const trace::AddressForm& form, std::uint32_t mask, std::uint32_t width, LineGeometry geometry,
              bool want_full, bool want_operations, LineList& out) {
  out.clear();
  width = std::min(width, geometry.line);
  const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
  if (lanes == 0 || width == 0) {
    return;
  }
  const bool dense = form.strided && (form.stride == static_cast<std::int64_t>(width) || lanes == 1);
  if (dense) {
    const std::uint64_t base = form.base & kAddressMask;
    add_range(base, base + std::uint64_t{lanes} * width, geometry, out);
  } else if (form.strided && form.stride == 0) {
    const std::uint64_t base = form.base & kAddressMask;
    add_range(base, base + width, geometry, out);
  } else {
    for (std::uint32_t i = 0; i < lanes; ++i) {
      add_lane(form.at(i) & kAddressMask, width, geometry, out);
    }
    if (want_full) {
      mark_full(form, lanes, width, geometry, out);
    }
  }
  if (want_operations) {
    count_operations(form, lanes, geometry, out);
  }
}

std::uint32_t shared_passes(const trace::AddressForm& form, std::uint32_t mask, std::uint32_t width,
                            std::uint32_t banks) {
  const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
  if (lanes == 0) {
    return 0;
  }
  if (one_address(form)) {
    return 1;  // one word (or one wide word) for all lanes
  }
  const bool aligned = form.strided && form.base % std::max(4U, width) == 0;
  const bool all_lanes_below = (mask & (mask + 1)) == 0;  // so that no group is cut by an inactive lane
  if (aligned && form.stride == static_cast<std::int64_t>(width) && (width <= 4 || all_lanes_below)) {
    return std::max(1U, (lanes * width + 4 * banks - 1) / (4 * banks));
  }
  if (aligned && width == 4 && form.stride % 4 == 0 && std::has_single_bit(banks)) {
    const auto stride = static_cast<std::uint64_t>(form.stride);
    const std::uint64_t step = (form.stride < 0 ? 0 - stride : stride) / 4;
    const std::uint32_t shift = std::min(static_cast<std::uint32_t>(std::countr_zero(step)),
                                         static_cast<std::uint32_t>(std::countr_zero(banks)));
    const std::uint32_t distinct_banks = banks >> shift;
    return (lanes + distinct_banks - 1) / distinct_banks;
  }
  // Lanes of a group are taken by lane number, so inactive lanes leave their place empty.
  const std::uint32_t group = width <= 4 ? 32 : width <= 8 ? 16 : 8;
  std::uint32_t passes = 0;
  std::uint32_t before = 0;
  for (std::uint32_t lane = 0; lane < 32; lane += group) {
    const std::uint32_t bits = group == 32 ? mask : (mask >> lane) & ((1U << group) - 1U);
    const auto active = static_cast<std::uint32_t>(std::popcount(bits));
    if (active > 0) {
      passes += group_passes(form, before, before + active, width, banks);
    }
    before += active;
  }
  return std::max(1U, passes);
}

}  // namespace wg::mem
