// Plain integers in and out of a byte buffer, little endian, for the state that outlives a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wg::mem {

template <class Integer>
void put(std::vector<std::uint8_t>& out, Integer value) {
  std::array<std::uint8_t, sizeof(Integer)> bytes{};
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Reads from the front; once something was missing `ok` stays false and every value is 0.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> in) : in_(in) {}

  template <class Integer>
  Integer get() {
    if (in_.size() - at_ < sizeof(Integer)) {
      ok_ = false;
      at_ = in_.size();
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      value |= std::uint64_t{in_[at_ + i]} << (8 * i);
    }
    at_ += sizeof(Integer);
    return static_cast<Integer>(value);
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] std::span<const std::uint8_t> rest() const { return in_.subspan(at_); }
  void skip(std::size_t bytes) { at_ += bytes; }

 private:
  std::span<const std::uint8_t> in_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace wg::mem
