// Data that the codec tests share.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "codec/window_codec.hpp"

namespace wg::codec::test {

using Bytes = std::vector<std::byte>;

inline constexpr std::array<std::size_t, 4> kElements{1, 2, 4, 8};

/// Bytes of hexadecimal digits; blanks do not count.
Bytes from_hex(const std::string& digits);

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto view = std::as_bytes(std::span(values));
  return {view.begin(), view.end()};
}

/// `count` elements, of which about `density` (0..1) are not zero.
Bytes sparse(std::size_t count, std::size_t element, double density, Rng& rng);
Bytes noise(std::size_t bytes, Rng& rng);

/// Random and adversarial data of `element`-byte elements: all zero, dense, alternating, single values at the
/// ends of blocks, long runs, a rest that fills no element.
std::vector<Bytes> hard_cases(std::size_t element);

/// A copy in memory of exactly its size, so that the address sanitizer sees every byte read beyond it.
template <class T>
class Exact {
 public:
  explicit Exact(std::size_t size, std::size_t shift = 0)
      : memory_(new T[size + shift]), at_(shift), size_(size) {}
  explicit Exact(std::span<const T> from, std::size_t shift = 0) : Exact(from.size(), shift) {
    std::copy(from.begin(), from.end(), memory_.get() + at_);
  }
  std::span<T> span() { return {memory_.get() + at_, size_}; }

 private:
  std::unique_ptr<T[]> memory_;
  std::size_t at_;
  std::size_t size_;
};
using ExactBytes = Exact<std::byte>;

/// Encodes into memory of the codec's bound; the test fails when that does not do.
Bytes encode(WindowCodec& codec, std::span<const std::byte> raw);

/// The whole file. Throws when there is none.
Bytes read_file(const std::string& path);

/// A line of data/MANIFEST.tsv.
struct GoldenMap {
  std::string file;
  std::uint64_t bytes, nonzeros, zvc, rle16, deflate;
};
std::vector<GoldenMap> golden_maps();
std::string data_path(const std::string& file);

}  // namespace wg::codec::test
