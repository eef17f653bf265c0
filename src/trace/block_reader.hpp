// Large blocks of text from a stream, with the place (offset and line) kept for messages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/byte_stream.hpp"

namespace wg::trace {

/// Number of '\n' in `text`, at close to memory speed.
std::uint64_t count_newlines(std::string_view text);

/// Copies up to 40 characters of a token for a message, with everything unprintable escaped.
std::string quoted(std::string_view token);

class BlockReader {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;
  /// Longest line that `line()` accepts: a full warp of 128-bit store values takes about 6 KiB.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// Reads `first_block` bytes, then twice as many each time up to kBlock: small files stay cheap.
  BlockReader(std::unique_ptr<ByteStream> stream, std::string name,
              std::size_t first_block = std::size_t{32} << 10);

  /// Text read and not yet consumed; the character behind it is '\0'. Valid until the next call of `more`,
  /// `line` or `skip`.
  [[nodiscard]] std::string_view view() const { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Reads another block behind the present view; false when there is nothing more.
  bool more();
  /// Takes `count` bytes off the front of the view.
  void consume(std::size_t count);
  /// Takes the next line without its '\n' (and without a '\r' before it); false at the end of the text. The
  /// character behind `out` is '\r', '\n' or '\0'.
  bool line(std::string_view& out);
  /// Skips `bytes` that hold `lines` newlines.
  void skip(std::uint64_t bytes, std::uint64_t lines);

  [[nodiscard]] std::uint64_t offset() const { return offset_; }     ///< of the front of the view
  [[nodiscard]] std::uint64_t line_number() const { return line_; }  ///< of the front of the view, from 1
  [[nodiscard]] const std::string& name() const { return name_; }
  /// "file:line" of the front of the view.
  [[nodiscard]] std::string place() const;

 private:
  std::unique_ptr<ByteStream> stream_;
  std::string name_;
  std::size_t block_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace wg::trace
