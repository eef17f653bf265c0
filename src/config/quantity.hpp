// Amounts with units as people write them in machine files: "64 KiB", "1.755 GHz", "25.6 GB/s", "1 us".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wg::config {

/// What an integer of a machine file counts. All but `count` have units; a bare integer is in the base unit.
enum class Measure : std::uint8_t {
  count,        ///< no unit
  bytes,        ///< B; KiB MiB GiB TiB are powers of 1024, kB MB GB TB powers of 1000
  hertz,        ///< Hz kHz MHz GHz
  rate,         ///< bytes per second: B/s kB/s MB/s GB/s TB/s
  nanoseconds,  ///< ns us ms s
  thousandths,  ///< no unit: "2.6" is 2600
};

/// Reads `text` (number, optional blanks, optional unit) into the base unit, exactly: "0.3 KiB" is refused
/// because it is no whole number of bytes. On failure returns false and says what is wrong in `why`.
bool parse_quantity(std::string_view text, Measure measure, std::uint64_t& value, std::string& why);

/// The shortest exact spelling that parse_quantity reads back: 65536 bytes are "64 KiB"; a plain number for
/// `count`.
std::string print_quantity(std::uint64_t value, Measure measure);

/// For messages: `a size such as "64 KiB"`.
std::string_view describe(Measure measure);

}  // namespace wg::config
