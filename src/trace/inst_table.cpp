#include "trace/inst_table.hpp"

#include <utility>

namespace wg::trace {

std::uint32_t InstTable::find_imm(std::uint32_t like, std::int32_t imm) const {
  const Variant& wanted = variants_[like];
  const std::string_view key(wanted.key, wanted.key_length);
  for (std::uint32_t v = slots_[slot_of(wanted.pc)]; v != 0; v = variants_[v].next) {
    const Variant& other = variants_[v];
    if (other.imm == imm && other.line == wanted.line &&
        key == std::string_view(other.key, other.key_length)) {
      return v;
    }
  }
  return 0;
}

std::uint32_t InstTable::add(Variant variant, std::string_view key) {
  if ((used_slots_ + 1) * 2 > slots_.size()) {
    grow();
  }
  keys_.emplace_back(key);
  variant.key = keys_.back().data();
  variant.key_length = static_cast<std::uint32_t>(key.size());
  const std::size_t slot = slot_of(variant.pc);
  used_slots_ += slots_[slot] == 0 ? 1U : 0U;
  variant.next = slots_[slot];
  const std::uint32_t number = static_cast<std::uint32_t>(variants_.size());
  slots_[slot] = number;
  variants_.push_back(variant);
  return number;
}

void InstTable::grow() {
  std::vector<std::uint32_t> old(slots_.size() * 2, 0);
  old.swap(slots_);
  for (const std::uint32_t first : old) {
    if (first != 0) {
      slots_[slot_of(variants_[first].pc)] = first;
    }
  }
}

}  // namespace wg::trace
