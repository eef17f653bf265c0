#include "base/npy.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/error.hpp"

namespace wg {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;

/// Reads the dictionary, which is Python, from left to right.
class Parser {
 public:
  Parser(std::string_view text, const std::string& name, std::size_t offset)
      : text_(text), name_(name), offset_(offset) {}

  NpyHeader header() {
    NpyHeader header;
    unsigned seen = 0;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      seen |= value(key, header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    blanks();
    if (at_ != text_.size()) {
      fail("nothing after the dictionary");
    }
    if (seen != 7) {
      fail("the keys descr, fortran_order and shape");
    }
    return header;
  }

 private:
  unsigned value(const std::string& key, NpyHeader& header) {
    if (key == "descr") {
      blanks();
      const std::size_t begin = at_;
      header.descr = quoted();
      if (header.element_bytes() == 0) {
        at_ = begin;
        fail("one number per element, such as '<f4'");
      }
      return 1;
    }
    if (key == "fortran_order") {
      header.fortran_order = boolean();
      return 2;
    }
    if (key == "shape") {
      header.shape = tuple();
      return 4;
    }
    fail("the keys descr, fortran_order and shape");
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()), 24);
    throw Error({.where = name_ + '@' + std::to_string(offset_ + at_),
                 .expected = expected,
                 .found = rest.empty() ? "the end of the header" : '"' + printable(rest) + '"'});
  }
  static std::string printable(std::string_view text) {
    std::string out(text);
    std::replace_if(out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return out;
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  bool accept(char c) {
    blanks();
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there ? 1 : 0;
    return there;
  }
  void expect(char c) {
    if (!accept(c)) {
      fail(std::string(1, c));
    }
  }
  std::string quoted() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') {
      expect('"');
    }
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) {
      fail("a closing quote");
    }
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(word);
  }
  bool boolean() {
    blanks();
    for (const bool truth : {true, false}) {
      const std::string_view word = truth ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return truth;
      }
    }
    fail("True or False");
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      blanks();
      std::uint64_t length = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), length);
      if (error != std::errc{} || shape.size() >= 32) {
        fail("at most 32 lengths below 2^64");
      }
      at_ += static_cast<std::size_t>(end - begin);
      shape.push_back(length);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t offset_;
  std::size_t at_ = 0;
};

/// Bytes of the data; nothing when 64 bits do not hold them.
std::optional<std::uint64_t> data_bytes(const NpyHeader& header) {
  if (std::find(header.shape.begin(), header.shape.end(), 0U) != header.shape.end()) {
    return 0;
  }
  std::uint64_t bytes = header.element_bytes();
  for (const std::uint64_t length : header.shape) {
    if (bytes > std::numeric_limits<std::uint64_t>::max() / length) {
      return std::nullopt;
    }
    bytes *= length;
  }
  return bytes;
}

}  // namespace

std::size_t NpyHeader::element_bytes() const {
  constexpr std::string_view kOrders = "<>=|";
  constexpr std::string_view kKinds = "biufcV";
  const bool shaped = descr.size() >= 3 && descr.size() <= 5 && kOrders.find(descr[0]) != kOrders.npos &&
                      kKinds.find(descr[1]) != kKinds.npos;
  std::size_t bytes = 0;
  if (shaped) {
    const char* end = descr.data() + descr.size();
    const auto [stop, error] = std::from_chars(descr.data() + 2, end, bytes);
    bytes = error == std::errc{} && stop == end ? bytes : 0;
  }
  return bytes;
}

std::uint64_t NpyHeader::elements() const {
  std::uint64_t product = 1;
  for (const std::uint64_t length : shape) {
    product *= length;
  }
  return product;
}

NpyHeader parse_npy_dictionary(std::string_view text, const std::string& name, std::size_t offset) {
  return Parser(text, name, offset).header();
}

NpyArray read_npy(std::span<const std::byte> file, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(file[at]); };
  if (!text.starts_with(kMagic) || file.size() < 10) {
    throw Error({.where = name + "@0",
                 .expected = "a NumPy array (\\x93NUMPY)",
                 .found = file.size() < 10 ? "too few bytes" : "other bytes"});
  }
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    throw Error(
        {.where = name + "@6", .expected = "format version 1 to 3", .found = std::to_string(version)});
  }
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::size_t length =
      byte(8) | (byte(9) << 8) | (version == 1 || file.size() < 12 ? 0 : (byte(10) << 16) | (byte(11) << 24));
  if (file.size() < begin || length > file.size() - begin) {
    throw Error({.where = name + "@8",
                 .expected = "a header inside the file",
                 .found = std::to_string(length) + " bytes of header, " + std::to_string(file.size()) +
                          " bytes of file"});
  }
  NpyArray array{parse_npy_dictionary(text.substr(begin, length), name, begin), file.first(begin + length),
                 file.subspan(begin + length)};
  const std::optional<std::uint64_t> bytes = data_bytes(array.header);
  if (bytes != array.data.size()) {
    throw Error(
        {.where = name + '@' + std::to_string(begin + length),
         .expected = bytes ? std::to_string(*bytes) + " bytes of data" : "less than 2^64 bytes of data",
         .found = std::to_string(array.data.size())});
  }
  return array;
}

std::string npy_dictionary(const NpyHeader& header) {
  std::string text = "{'descr': '" + header.descr +
                     "', 'fortran_order': " + (header.fortran_order ? "True" : "False") + ", 'shape': (";
  for (std::size_t i = 0; i < header.shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(header.shape[i]);
  }
  text += header.shape.size() == 1 ? ",), }" : "), }";
  return text;
}

std::string npy_preamble(const NpyHeader& header) {
  const std::string dictionary = npy_dictionary(header);
  // NumPy leaves room for the longest axis to grow to 21 digits, in C order the first.
  std::size_t spare = 0;
  if (!header.shape.empty()) {
    const std::uint64_t growing = header.fortran_order ? header.shape.back() : header.shape.front();
    spare = 21 - std::min<std::size_t>(21, std::to_string(growing).size());
  }
  const std::size_t before = kMagic.size() + 4;
  const std::size_t used = before + dictionary.size() + spare + 1;
  const std::size_t total = (used / kAlignment + 1) * kAlignment;  // a whole line of blanks where none is due
  const std::size_t length = total - before;
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  out += dictionary;
  out.resize(total - 1, ' ');
  return out + '\n';
}

}  // namespace wg
