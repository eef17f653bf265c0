// State of a simulator as bytes and back: one function of each class serves both directions.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace wg {

/// Writes what it is given, or overwrites it with what was written. Bytes are those of this machine: good for
/// a state that the same program reads again, not for exchange. Throws wg::Error when bytes are missing.
class Archive {
 public:
  /// Appends to `out`, which outlives it.
  explicit Archive(std::vector<std::uint8_t>& out) : out_(&out) {}
  explicit Archive(std::span<const std::uint8_t> in) : in_(in) {}

  [[nodiscard]] bool loading() const { return out_ == nullptr; }
  /// Bytes not read yet.
  [[nodiscard]] std::span<const std::uint8_t> rest() const { return in_; }

  template <class T>
    requires std::is_trivially_copyable_v<T>
  void operator()(T& value) {
    bytes(&value, sizeof value);
  }
  void operator()(std::string& text) {
    text.resize(size(text.size(), 1));
    bytes(text.data(), text.size());
  }
  void operator()(std::vector<bool>& bits) {
    bits.resize(size(bits.size(), 1));
    for (std::size_t i = 0; i < bits.size(); ++i) {
      std::uint8_t bit = bits[i] ? 1 : 0;
      (*this)(bit);
      bits[i] = bit != 0;
    }
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      values.resize(size(values.size(), sizeof(T)));
      bytes(values.data(), values.size() * sizeof(T));
    } else {
      values.resize(size(values.size(), 1));
      each(values);
    }
  }
  template <class T>
  void operator()(std::deque<T>& values) {
    values.resize(size(values.size(), 1));
    each(values);
  }
  template <class First, class Second>
    requires(!std::is_trivially_copyable_v<std::pair<First, Second>>)
  void operator()(std::pair<First, Second>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }
  template <class Key, class T>
  void operator()(std::unordered_map<Key, T>& map) {
    table(map);
  }
  template <class Key, class T>
  void operator()(std::map<Key, T>& map) {
    table(map);
  }
  template <class T>
  void operator()(std::set<T>& set) {
    std::vector<T> values(set.begin(), set.end());
    (*this)(values);
    if (loading()) {
      set = std::set<T>(values.begin(), values.end());
    }
  }

 private:
  void bytes(void* data, std::size_t count) {
    if (count == 0) {
      return;
    }
    if (out_ != nullptr) {
      const auto* from = static_cast<const std::uint8_t*>(data);
      out_->insert(out_->end(), from, from + count);
      return;
    }
    need(count);
    std::memcpy(data, in_.data(), count);
    in_ = in_.subspan(count);
  }
  void need(std::uint64_t count) const {
    if (count > in_.size()) {
      throw Error({.where = "saved state", .expected = "a whole state", .found = "one that is cut off"});
    }
  }
  /// Writes a length, or reads one that what is left can hold.
  std::size_t size(std::size_t now, std::size_t unit) {
    std::uint64_t count = now;
    (*this)(count);
    if (loading()) {
      need(count);
      need(count * unit);
    }
    return count;
  }
  template <class Values>
  void each(Values& values) {
    for (auto& value : values) {
      (*this)(value);
    }
  }
  template <class Map>
  void table(Map& map) {
    std::vector<std::pair<typename Map::key_type, typename Map::mapped_type>> rows(map.begin(), map.end());
    rows.resize(size(rows.size(), 1));
    for (auto& [key, value] : rows) {
      (*this)(key);
      (*this)(value);
    }
    if (loading()) {
      map = Map(rows.begin(), rows.end());
    }
  }

  std::vector<std::uint8_t>* out_ = nullptr;
  std::span<const std::uint8_t> in_;
};

}  // namespace wg
