// A bounded place to write to, and one to read from: the loops ask first, so nothing runs over.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <span>

#include "codec/bytes.hpp"

namespace wg::codec::detail {

class ByteWriter {
 public:
  explicit ByteWriter(std::span<std::byte> out) : out_(out) {}

  [[nodiscard]] std::size_t written() const { return at_; }
  [[nodiscard]] std::size_t room() const { return out_.size() - at_; }
  /// False, and nothing written, when there is no room.
  bool put(std::span<const std::byte> bytes) {
    if (bytes.size() > room()) {
      return false;
    }
    if (!bytes.empty()) {
      std::memcpy(out_.data() + at_, bytes.data(), bytes.size());
      at_ += bytes.size();
    }
    return true;
  }
  template <class T>
  bool put_value(T value) {
    return put(std::as_bytes(std::span(&value, 1)));
  }
  bool fill_zero(std::size_t bytes) {
    if (bytes > room()) {
      return false;
    }
    if (bytes != 0) {
      std::memset(out_.data() + at_, 0, bytes);
      at_ += bytes;
    }
    return true;
  }

 private:
  std::span<std::byte> out_;
  std::size_t at_ = 0;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> in) : in_(in) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t left() const { return in_.size() - at_; }
  /// The next `bytes` bytes; there are as many left.
  std::span<const std::byte> take(std::size_t bytes) {
    assert(bytes <= left());
    const auto taken = in_.subspan(at_, bytes);
    at_ += bytes;
    return taken;
  }
  template <class T>
  T take_value() {
    return load<T>(take(sizeof(T)).data());
  }

 private:
  std::span<const std::byte> in_;
  std::size_t at_ = 0;
};

}  // namespace wg::codec::detail
