// Numbers as bytes: little-endian words and variable-length integers, written and read with every bound
// checked.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace wg::trace {

static_assert(std::endian::native == std::endian::little, "native traces are read in place");

/// Signed numbers near zero become small unsigned ones: 0 -1 1 -2 ... -> 0 1 2 3 ...
inline std::uint64_t zigzag(std::uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }
inline std::uint64_t unzigzag(std::uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

/// Bytes behind every range that is decoded that may be loaded, though they mean nothing.
inline constexpr std::size_t kSlack = 64;

/// The `width` bytes at `p` as a number, `width` at most 8; 8 bytes are loaded.
inline std::uint64_t load_bytes(const unsigned char* p, unsigned width) {
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  static constexpr std::uint64_t kKept[16] = {0,          kAll >> 56, kAll >> 48, kAll >> 40, kAll >> 32,
                                              kAll >> 24, kAll >> 16, kAll >> 8,  kAll};
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word & kKept[width % 16];
}

/// Numbers of one width, 1, 2, 4 or 8 bytes, back to back; kSlack bytes behind them can be loaded.
class Column {
 public:
  Column() = default;
  Column(const unsigned char* begin, unsigned width) : begin_(begin), width_(width) {}
  [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
    return load_bytes(begin_ + i * width_, width_);
  }
  /// The greatest of the first `count` numbers, 0 of none.
  [[nodiscard]] std::uint64_t greatest(std::size_t count) const;

 private:
  const unsigned char* begin_ = nullptr;
  unsigned width_ = 1;
};

class ByteWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  template <class Word>
  void word(Word value) {
    char raw[sizeof(Word)];
    std::memcpy(raw, &value, sizeof(Word));
    bytes_.append(raw, sizeof(Word));
  }
  /// Seven bits a byte, lowest first; the high bit says that more follow.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      byte(static_cast<std::uint8_t>(value | 0x80));
    }
    byte(static_cast<std::uint8_t>(value));
  }
  void difference(std::uint64_t value) { number(zigzag(value)); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  void raw(std::string_view value) { bytes_.append(value); }
  /// The lowest `count` bytes.
  void bytes(std::uint64_t value, unsigned count) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes_.append(raw, count);
  }
  /// A byte with the least width that holds all numbers, then the numbers.
  void column(const std::vector<std::uint64_t>& numbers);

  [[nodiscard]] std::string_view view() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

/// Where bytes come from, for messages.
struct BytePlace {
  std::string_view file;
  std::uint64_t offset = 0;  ///< of the section in the file
  std::string_view part;     ///< what the section is
};

/// Every function throws wg::Error (file@offset) where the bytes do not hold what is asked for.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, const BytePlace& place)
      : begin_(reinterpret_cast<const unsigned char*>(bytes.data())),
        p_(begin_),
        end_(begin_ + bytes.size()),
        place_(place) {}

  std::uint8_t byte(const char* what) {
    if (p_ == end_) {
      fail(what, "the end of the section");
    }
    return *p_++;
  }
  /// A byte that is 0 or 1.
  bool flag(const char* what) {
    const std::uint8_t value = byte(what);
    if (value > 1) {
      fail(what, "a byte above 1");
    }
    return value != 0;
  }
  template <class Word>
  Word word(const char* what) {
    Word value{};
    std::memcpy(&value, take(sizeof(Word), what), sizeof(Word));
    return value;
  }
  std::uint64_t number(const char* what) {
    if (p_ != end_ && *p_ < 0x80) {
      return *p_++;
    }
    return long_number(what);
  }
  std::uint64_t difference(const char* what) { return unzigzag(number(what)); }
  /// A number from `least` to `most`.
  std::uint64_t number(const char* what, std::uint64_t least, std::uint64_t most);
  std::uint32_t number32(const char* what) {
    return static_cast<std::uint32_t>(number(what, 0, ~std::uint32_t{0}));
  }
  /// How many items follow, each of at least `item_bytes` bytes: never more than the bytes left allow.
  std::size_t count(const char* what, std::size_t item_bytes);
  std::string_view text(const char* what);
  const unsigned char* take(std::size_t count, const char* what) {
    if (count > left()) {
      fail(what, "the end of the section");
    }
    const unsigned char* const at = p_;
    p_ += count;
    return at;
  }
  /// A width, then `count` numbers.
  Column column(const char* what, std::size_t count);
  /// Fails unless all bytes were read.
  void finish(const char* what);

  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - p_); }
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

 private:
  std::uint64_t long_number(const char* what);

  const unsigned char* begin_;
  const unsigned char* p_;
  const unsigned char* end_;
  BytePlace place_;
};

}  // namespace wg::trace
