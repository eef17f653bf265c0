#include "trace/native_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace wg::trace {
namespace {

template <class Word>
std::uint64_t greatest_of(const unsigned char* p, std::size_t count) {
  Word most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Word word{};
    std::memcpy(&word, p + i * sizeof(Word), sizeof(Word));
    most = std::max(most, word);
  }
  return most;
}

}  // namespace

std::uint64_t Column::greatest(std::size_t count) const {
  switch (width_) {
    case 1:
      return greatest_of<std::uint8_t>(begin_, count);
    case 2:
      return greatest_of<std::uint16_t>(begin_, count);
    case 4:
      return greatest_of<std::uint32_t>(begin_, count);
    default:
      return greatest_of<std::uint64_t>(begin_, count);
  }
}

void ByteWriter::column(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t any = 0;
  for (const std::uint64_t value : numbers) {
    any |= value;
  }
  const auto needed = static_cast<unsigned>(std::bit_width(any) + 7) / 8;
  const unsigned width = std::bit_ceil(std::max(needed, 1U));
  byte(static_cast<std::uint8_t>(width));
  for (const std::uint64_t value : numbers) {
    bytes(value, width);
  }
}

std::uint64_t ByteReader::long_number(const char* what) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte(what);
    if (shift == 63 && next > 1) {
      break;
    }
    value |= std::uint64_t{next & 0x7FU} << shift;
    if (next < 0x80) {
      return value;
    }
  }
  fail(what, "a number of more than 64 bits");
}

std::uint64_t ByteReader::number(const char* what, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t value = number(what);
  if (value < least || value > most) {
    fail(fmt::format("{} from {} to {}", what, least, most), fmt::format("{}", value));
  }
  return value;
}

std::size_t ByteReader::count(const char* what, std::size_t item_bytes) {
  const std::uint64_t value = number(what);
  if (value > left() / item_bytes) {
    fail(fmt::format("{} that fits the {} bytes left", what, left()), fmt::format("{}", value));
  }
  return static_cast<std::size_t>(value);
}

std::string_view ByteReader::text(const char* what) {
  const std::size_t size = count(what, 1);
  return {reinterpret_cast<const char*>(take(size, what)), size};
}

Column ByteReader::column(const char* what, std::size_t count) {
  const std::uint8_t width = byte(what);
  if (width > 8 || !std::has_single_bit(width)) {
    fail(fmt::format("{} in 1, 2, 4 or 8 bytes each", what), fmt::format("{}", width));
  }
  if (count > left() / width) {
    fail(fmt::format("{}, {} times {} bytes", what, count, width), fmt::format("{} bytes", left()));
  }
  return {take(count * width, what), width};
}

void ByteReader::finish(const char* what) {
  if (p_ != end_) {
    fail(fmt::format("the end of {}", what), fmt::format("{} bytes more", left()));
  }
}

void ByteReader::fail(std::string_view expected, std::string_view found) const {
  throw Error(Problem{fmt::format("{}@{}", place_.file, place_.offset), std::string(expected),
                      fmt::format("{} at byte {} of the unpacked {}", found,
                                  static_cast<std::uint64_t>(p_ - begin_), place_.part),
                      "the file is damaged or was not written by `warpgauge trace convert`"});
}

}  // namespace wg::trace
