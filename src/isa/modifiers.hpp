// The dot modifiers of a mnemonic: everything after the first dot.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace wg::isa {

/// Walks the modifiers in place; holds a view of the mnemonic, which must outlive it.
class Modifiers {
 public:
  /// `text` is what follows the base mnemonic, without the first dot; may be empty.
  explicit Modifiers(std::string_view text) : text_(text) {}

  /// Calls `visit(token)` for each modifier in order until it returns true; returns whether it did.
  template <class Visit>
  bool any(Visit visit) const {
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      if (visit(rest.substr(0, dot))) {
        return true;
      }
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    return false;
  }

  [[nodiscard]] bool has(std::string_view token) const {
    return any([token](std::string_view t) { return t == token; });
  }
  [[nodiscard]] bool has_any(std::initializer_list<std::string_view> tokens) const {
    return any(
        [&](std::string_view t) { return std::find(tokens.begin(), tokens.end(), t) != tokens.end(); });
  }
  [[nodiscard]] bool has_prefix(std::string_view prefix) const {
    return any([prefix](std::string_view t) { return t.starts_with(prefix); });
  }

 private:
  std::string_view text_;
};

/// The mnemonic before its first dot, and its modifiers.
struct SplitMnemonic {
  std::string_view base;
  Modifiers modifiers;
};
inline SplitMnemonic split(std::string_view mnemonic) {
  const std::size_t dot = std::min(mnemonic.find('.'), mnemonic.size());
  return {mnemonic.substr(0, dot), Modifiers{mnemonic.substr(std::min(dot + 1, mnemonic.size()))}};
}

}  // namespace wg::isa
