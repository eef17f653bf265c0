// Bytes from a file or from memory, decompressed on the way: plain, .xz, .gz and .zst, streaming, in process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace wg::trace {

/// A forward-only stream. `read` fills as much of `out` as it can and returns the count; 0 means the end.
/// Throws wg::Error (file@offset) on I/O errors and on truncated or damaged compressed data.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual std::size_t read(std::span<char> out) = 0;
};

/// Opens the same bytes again from their beginning; how a kernel is read more than once.
using StreamOpener = std::function<std::unique_ptr<ByteStream>()>;

enum class Compression { none, xz, gz, zst };

/// What the first bytes of a file say it is.
Compression compression_by_magic(std::string_view head);
/// What the end of a file's name says it is.
Compression compression_by_suffix(std::string_view name);
/// The suffix with its dot (".xz"), empty for none.
std::string_view suffix_of(Compression compression);

/// Reads `path`, decompressed if its first bytes are those of a known format. A name that promises a format
/// which the content is not is an error.
std::unique_ptr<ByteStream> open_file(const std::string& path);

/// Reads `path` as it lies on disk.
std::unique_ptr<ByteStream> open_plain_file(const std::string& path);

/// `open_file` over bytes in memory, which must outlive the stream; `name` stands for the file in messages
/// and for its suffix.
std::unique_ptr<ByteStream> open_memory(std::string name, std::string_view bytes);

/// Wraps `input` (compressed bytes). `name` is for messages. Concatenated streams read as one.
std::unique_ptr<ByteStream> decompress(std::unique_ptr<ByteStream> input, Compression compression,
                                       std::string name);

}  // namespace wg::trace
