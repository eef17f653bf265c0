// Numbers and names as people read them. Locale-independent; the same value always gives the same text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wg::report {

/// 1234567 -> "1,234,567".
std::string grouped(std::uint64_t value);
/// A share of one as a percentage with one decimal: 0.4512 -> "45.1 %". Shares above zero that would round to
/// nothing show as "<0.1 %".
std::string percent(double share);
/// Three or four significant digits, without exponent: 0.1234, 12.35, 1,235.
std::string compact(double value);
/// With a decimal prefix: (8.123e11, "B/s") -> "812.3 GB/s".
std::string si(double value, std::string_view unit);
/// A clock in MHz: 1755000000 -> "1,755 MHz".
std::string clock(std::uint64_t hertz);
/// "1 CTA", "1,024 CTAs".
std::string counted(std::uint64_t count, std::string_view noun);
/// Binary prefix: 241172480 -> "230.0 MiB".
std::string bytes(std::uint64_t count);
/// 4.25e-6 -> "4.25 us", 75 -> "1 min 15 s", 7500 -> "2 h 5 min".
std::string duration(double seconds);

/// Code points of UTF-8 text, which is its width for everything this program prints.
std::size_t width(std::string_view text);
/// Exactly `columns` wide: padded with blanks on the right (left for `pad_left`), or cut with a mark.
std::string pad(std::string_view text, std::size_t columns);
std::string pad_left(std::string_view text, std::size_t columns);
std::string cut(std::string_view text, std::size_t columns);

/// A kernel's name for reading: demangled, without its parameter list. Unmangled names come back as they are,
/// with control characters escaped.
std::string readable_name(const std::string& name);

/// A horizontal bar of `share` (0..1) of `columns`: eighth blocks, or '#' where `unicode` is false.
std::string bar(double share, std::size_t columns, bool unicode);

}  // namespace wg::report
