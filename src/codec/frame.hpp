// A container of independently compressed windows: random access, parallel decoding, and never more than the
// index larger than the data, because a window that does not shrink is stored as it is.
//
// Layout, little endian (ours; the paper defines no container):
//    0  8  "WGFRAME1"
//    8  1  codec (CodecId)          9  1  bytes of an element: 1, 2, 4, 8
//   10  1  bytes of an index entry: 2, or 4 where 15 bits do not hold a window in units
//   11  1  unit of sizes, in bytes (see index_unit)
//   12  4  window, in bytes         16  8  bytes of data
//   24  8  bytes of payload         32  8  XXH3-64 of the data
//   40  4  bytes of meta data       44  4  low half of XXH3-64 of the first 44 bytes, the meta data and the
//   index 48     meta data (the caller's), the index, the payload
// An index entry is the window's stored size in units; its highest bit says that the window is stored raw,
// and then the rest is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/window_codec.hpp"

namespace wg::codec {

inline constexpr std::size_t kFrameHeader = 48;
inline constexpr std::size_t kMostWindow = std::size_t{1} << 20;
inline constexpr std::size_t kMostMeta = std::size_t{1} << 16;

/// Windows are whole ZVC blocks of every element size: multiples of 256 bytes up to 1 MiB.
constexpr bool valid_window(std::size_t window) {
  return window != 0 && window % 256 == 0 && window <= kMostWindow;
}

/// Throws wg::Error (usage) when it is not.
void require_valid_window(std::size_t window);

struct FrameSpec {
  CodecId codec = CodecId::zvc;
  std::size_t element = 4;
  std::size_t window = kDefaultWindow;
};

/// Sizes of one container.
struct FrameSizes {
  std::uint64_t raw = 0;
  std::uint64_t payload = 0;  ///< stored windows
  std::uint64_t total = 0;    ///< with header, meta data and index
};

/// Sizes of ZVC windows divide by the element, up to 4 bytes; others by 1. Only the last window may hold a
/// rest, which makes its unit 1: then every entry's is.
std::size_t index_unit(const FrameSpec& spec, std::size_t raw_bytes);
/// Bytes of an index entry.
std::size_t index_entry(const FrameSpec& spec, std::size_t raw_bytes);

/// Compresses into containers. Allocates when it is made, not per call. One thread at a time.
class FrameEncoder {
 public:
  /// Throws wg::Error (usage) for an invalid element or window.
  explicit FrameEncoder(const FrameSpec& spec, Simd simd = best_simd());

  /// The most that encode writes.
  [[nodiscard]] std::size_t bound(std::size_t raw_bytes, std::size_t meta_bytes = 0) const;
  /// Throws wg::Error when `out` is smaller than bound(), or `meta` larger than kMostMeta.
  FrameSizes encode(std::span<const std::byte> raw, std::span<const std::byte> meta,
                    std::span<std::byte> out);
  /// The same into memory of the exact size.
  std::vector<std::byte> encode(std::span<const std::byte> raw, std::span<const std::byte> meta = {});

 private:
  std::size_t encode_window(std::span<const std::byte> raw, std::span<std::byte> out, bool& stored_raw);

  FrameSpec spec_;
  std::unique_ptr<WindowCodec> codec_;
};

/// Reads a container in memory, which must outlive it. Everything that a header claims is checked on opening.
class FrameReader {
 public:
  /// `name` is for messages. Throws wg::Error with the offset of what is wrong.
  FrameReader(std::span<const std::byte> file, std::string name, Simd simd = best_simd());

  [[nodiscard]] const FrameSpec& spec() const { return spec_; }
  [[nodiscard]] const FrameSizes& sizes() const { return sizes_; }
  [[nodiscard]] std::span<const std::byte> meta() const { return meta_; }
  [[nodiscard]] std::size_t windows() const { return begins_.size() - 1; }
  /// Bytes of data in window `index`: spec().window except in the last.
  [[nodiscard]] std::size_t window_bytes(std::size_t index) const;
  /// Whether it is stored as it is, and in how many bytes. `index` < windows().
  [[nodiscard]] bool stored_raw(std::size_t index) const { return raw_[index]; }
  [[nodiscard]] std::size_t stored_bytes(std::size_t index) const {
    return begins_[index + 1] - begins_[index];
  }

  /// Expands one window into exactly window_bytes(index) bytes. Throws wg::Error when it is corrupt; the hash
  /// covers the whole and is not checked here.
  void decode_window(std::size_t index, std::span<std::byte> out);
  /// Expands all into exactly sizes().raw bytes and checks the hash.
  void decode(std::span<std::byte> out);
  std::vector<std::byte> decode();

 private:
  void read_header(std::span<const std::byte> file);
  void read_index(std::span<const std::byte> index, std::size_t entry, std::size_t unit);
  [[noreturn]] void fail(std::size_t offset, std::string expected, std::string found) const;

  std::string name_;
  FrameSpec spec_;
  FrameSizes sizes_;
  std::uint64_t hash_ = 0;
  std::size_t payload_at_ = 0;
  std::span<const std::byte> meta_;
  std::span<const std::byte> payload_;
  std::vector<std::size_t> begins_;  ///< of the windows in the payload, and its end
  std::vector<bool> raw_;
  std::unique_ptr<WindowCodec> codec_;
};

}  // namespace wg::codec
