#include "mem/l2_tags.hpp"

#include <algorithm>
#include <cassert>

#include "mem/bytes.hpp"

namespace wg::mem {
namespace {

std::uint32_t sets_of(const config::L2Config& config, std::uint32_t slices) {
  const std::uint64_t lines = config.size.count() / slices / config.line.count();
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, lines / config.ways));
}

}  // namespace

L2Tags::L2Tags(const config::L2Config& config, std::uint32_t slices, std::uint64_t seed)
    : sets_(sets_of(config, slices)),
      ways_(config.ways),
      way_reciprocal_((std::uint64_t{1} << 32) / config.ways + 1),
      words_(std::size_t{sets_} * ways_),
      replacement_(make_replacement(config.replacement, sets_, ways_, seed)) {
  assert(std::uint64_t{slots()} * ways_ < std::uint64_t{1} << 32);
}

std::uint32_t L2Tags::room(std::uint64_t line, std::uint32_t who) {
  const std::uint32_t set = set_of(line);
  const std::uint32_t first = set * ways_;
  std::uint64_t empty = 0;
  std::uint64_t candidates = 0;
  for (std::uint32_t way = ways_; way-- > 0;) {
    const TagWord word = words_[first + way];
    empty = 2 * empty + (word.empty() ? 1 : 0);
    candidates = 2 * candidates + (word.pending() == 0 ? 1 : 0);
  }
  if (empty != 0) {
    return first + static_cast<std::uint32_t>(std::countr_zero(empty));
  }
  return candidates == 0 ? kNoSlot : first + replacement_->victim(set, candidates, who);
}

std::uint32_t L2Tags::excess_dirty(std::uint32_t slot, std::uint32_t limit, std::uint32_t who) {
  const std::uint32_t set = slot / ways_;
  const std::uint32_t first = set * ways_;
  std::uint32_t dirty = 0;
  std::uint64_t candidates = 0;
  for (std::uint32_t way = 0; way < ways_; ++way) {
    const TagWord word = words_[first + way];
    const bool counts = !word.empty() && word.dirty() != 0 && first + way != slot;
    dirty += counts ? 1U : 0U;
    candidates |= (counts && word.pending() == 0 ? std::uint64_t{1} : std::uint64_t{0}) << way;
  }
  return dirty < limit || candidates == 0 ? kNoSlot : first + replacement_->victim(set, candidates, who);
}

void L2Tags::clear() {
  std::fill(words_.begin(), words_.end(), TagWord{});
  replacement_->clear();
}

void L2Tags::save(std::vector<std::uint8_t>& out) const {
  put(out, sets_);
  put(out, ways_);
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    if (!words_[slot].empty()) {
      put(out, slot);
      put(out, words_[slot].bits);
    }
  }
  put(out, slots());  // end mark
  replacement_->save(out);
}

std::size_t L2Tags::load(std::span<const std::uint8_t> in) {
  ByteReader reader(in);
  if (reader.get<std::uint32_t>() != sets_ || reader.get<std::uint32_t>() != ways_) {
    return 0;
  }
  clear();
  for (auto slot = reader.get<std::uint32_t>(); slot != slots(); slot = reader.get<std::uint32_t>()) {
    if (!reader.ok() || slot > slots()) {
      return 0;
    }
    const TagWord word{reader.get<std::uint64_t>()};
    if (set_of(word.line()) != slot / ways_ || word.pending() != 0) {
      return 0;
    }
    words_[slot] = word;
  }
  const std::size_t used = replacement_->load(reader.rest());
  return used == 0 ? 0 : reader.position() + used;
}

}  // namespace wg::mem
