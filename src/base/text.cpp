#include "base/text.hpp"

#include <cstdint>

namespace wg {
namespace {

/// Bytes of the UTF-8 character that `text` begins with, or 0 where there is none: RFC 3629, section 4.
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return overlong || beyond ? 0 : length;
}

/// C0, DEL, and C1 (U+0080 to U+009F), which some terminals obey as well.
bool is_control(std::string_view character) {
  const auto first = static_cast<std::uint8_t>(character[0]);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && static_cast<std::uint8_t>(character[1]) < 0xA0);
}

void append_escaped(std::string& out, char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (byte) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\x";
      out += kDigits[static_cast<std::uint8_t>(byte) >> 4];
      out += kDigits[static_cast<std::uint8_t>(byte) & 0xF];
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length != 0 && !is_control(character)) {
      out += character;
    } else {
      for (const char byte : character) {
        append_escaped(out, byte);
      }
    }
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace wg
