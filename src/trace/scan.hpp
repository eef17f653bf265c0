// Hand-written number scanning for trace text. Every function stops at the first character that does not
// belong, so text must end in '\0' or '\n' (a std::string does).
#pragma once

#include <array>
#include <cstdint>

namespace wg::trace {

inline constexpr std::array<std::uint8_t, 256> kHexValue = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(0xFF);
  for (std::uint8_t i = 0; i < 10; ++i) {
    table[std::uint8_t{'0'} + i] = i;
  }
  for (std::uint8_t i = 0; i < 6; ++i) {
    table[std::uint8_t{'a'} + i] = static_cast<std::uint8_t>(10 + i);
    table[std::uint8_t{'A'} + i] = static_cast<std::uint8_t>(10 + i);
  }
  return table;
}();

inline std::uint8_t hex_value(char c) { return kHexValue[static_cast<unsigned char>(c)]; }
inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
/// End of a token: blank, end of line or end of text.
inline bool is_end(char c) { return is_blank(c) || c == '\n' || c == '\0'; }

inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) {
    ++p;
  }
  return p;
}

/// Hexadecimal digits at `p`, at most 16. Returns the first character behind them, or nullptr if there is no
/// digit or there are too many.
inline const char* scan_hex(const char* p, std::uint64_t& value) {
  const char* const start = p;
  std::uint64_t v = 0;
  for (std::uint8_t d = hex_value(*p); d < 16; d = hex_value(*++p)) {
    v = (v << 4) | d;
  }
  value = v;
  return p == start || p - start > 16 ? nullptr : p;
}

/// The same with an optional "0x" before the digits.
inline const char* scan_address(const char* p, std::uint64_t& value) {
  if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
    p += 2;
  }
  return scan_hex(p, value);
}

/// Decimal digits at `p`, at most 19 (so below 10^19 and without overflow). nullptr as above.
inline const char* scan_decimal(const char* p, std::uint64_t& value) {
  const char* const start = p;
  std::uint64_t v = 0;
  for (; is_digit(*p); ++p) {
    v = v * 10 + static_cast<std::uint64_t>(*p - '0');
  }
  value = v;
  return p == start || p - start > 19 ? nullptr : p;
}

/// The same with an optional minus sign; values wrap to two's complement.
inline const char* scan_signed(const char* p, std::int64_t& value) {
  const bool negative = *p == '-';
  std::uint64_t magnitude = 0;
  const char* const end = scan_decimal(p + (negative ? 1 : 0), magnitude);
  value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  return end;
}

}  // namespace wg::trace
