#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "codec/bytes.hpp"
#include "codec/frame.hpp"
#include "codec/frame_header.hpp"
#include "codec/zvc.hpp"

namespace wg::codec {
namespace {

/// No codec shrinks further: rle16 makes 2 bytes of 1024 elements of 8. So a small file cannot ask for much
/// memory.
constexpr std::size_t kMostRatio = 4096;

}  // namespace

FrameReader::FrameReader(std::span<const std::byte> file, std::string name, Simd simd)
    : name_(std::move(name)) {
  read_header(file);
  codec_ = make_codec(spec_.codec, spec_.element, simd);
}

void FrameReader::fail(std::size_t offset, std::string expected, std::string found) const {
  throw Error({.where = name_ + '@' + std::to_string(offset),
               .expected = std::move(expected),
               .found = std::move(found)});
}

void FrameReader::read_header(std::span<const std::byte> file) {
  if (file.size() < kFrameHeader || std::memcmp(file.data(), "WGFRAME1", 8) != 0) {
    fail(0, "a container that begins with WGFRAME1", file.size() < kFrameHeader ? "too few bytes" : "others");
  }
  const std::byte* at = file.data();
  const unsigned codec = load<std::uint8_t>(at + 8);
  if (codec >= codecs().size()) {
    fail(8, "a codec up to " + std::to_string(codecs().size() - 1), std::to_string(codec));
  }
  spec_ = {static_cast<CodecId>(codec), load<std::uint8_t>(at + 9), load<std::uint32_t>(at + 12)};
  if (!valid_element(spec_.element)) {
    fail(9, "an element of 1, 2, 4 or 8 bytes", std::to_string(spec_.element));
  }
  if (!valid_window(spec_.window)) {
    fail(12, "a window that is a multiple of 256 bytes up to 1 MiB", std::to_string(spec_.window));
  }
  sizes_ = {load<std::uint64_t>(at + 16), load<std::uint64_t>(at + 24), file.size()};
  const std::size_t unit = index_unit(spec_, sizes_.raw);
  const std::size_t entry = index_entry(spec_, sizes_.raw);
  if (load<std::uint8_t>(at + 10) != entry || load<std::uint8_t>(at + 11) != unit) {
    fail(10, "index entries of " + std::to_string(entry) + " bytes in units of " + std::to_string(unit),
         std::to_string(load<std::uint8_t>(at + 10)) + " and " + std::to_string(load<std::uint8_t>(at + 11)));
  }
  const std::size_t meta = load<std::uint32_t>(at + 40);
  const std::size_t room = file.size() - kFrameHeader;
  if (meta > kMostMeta || meta > room) {
    fail(40, "meta data up to 64 KiB inside the file", std::to_string(meta) + " bytes");
  }
  const std::size_t windows = detail::window_count(sizes_.raw, spec_.window);
  if (windows > (room - meta) / entry || room - meta - windows * entry != sizes_.payload) {
    fail(file.size(), "a file of header, index and " + std::to_string(sizes_.payload) + " bytes of payload",
         std::to_string(file.size()) + " bytes in all");
  }
  payload_at_ = kFrameHeader + meta + windows * entry;
  if (load<std::uint32_t>(at + 44) != detail::header_check(file.first(payload_at_))) {
    fail(44, "the check of header and index", "another: they are damaged");
  }
  hash_ = load<std::uint64_t>(at + 32);
  meta_ = file.subspan(kFrameHeader, meta);
  payload_ = file.subspan(payload_at_);
  read_index(file.subspan(kFrameHeader + meta, windows * entry), entry, unit);
}

void FrameReader::read_index(std::span<const std::byte> index, std::size_t entry, std::size_t unit) {
  const std::size_t windows = index.size() / entry;
  begins_.assign(windows + 1, 0);
  raw_.assign(windows, false);
  const std::uint32_t flag = entry == 2 ? 0x8000U : 0x80000000U;
  for (std::size_t i = 0; i < windows; ++i) {
    const std::byte* at = index.data() + i * entry;
    const std::uint32_t value = entry == 2 ? load<std::uint16_t>(at) : load<std::uint32_t>(at);
    raw_[i] = (value & flag) != 0;
    const std::size_t size = raw_[i] ? window_bytes(i) : value * unit;
    const bool valid =
        raw_[i] ? value == flag : size < window_bytes(i) && size * kMostRatio >= window_bytes(i);
    if (!valid || size > payload_.size() - begins_[i]) {
      fail(payload_at_ - index.size() + i * entry, "the size of a window that shrank", std::to_string(size));
    }
    begins_[i + 1] = begins_[i] + size;
  }
  if (begins_.back() != payload_.size()) {
    fail(payload_at_ - index.size(), "sizes that add up to " + std::to_string(payload_.size()),
         std::to_string(begins_.back()));
  }
}

std::size_t FrameReader::window_bytes(std::size_t index) const {
  return std::min<std::size_t>(spec_.window, sizes_.raw - index * spec_.window);
}

void FrameReader::decode_window(std::size_t index, std::span<std::byte> out) {
  if (index >= windows() || out.size() != window_bytes(index)) {
    throw Error({.where = name_ + ", window " + std::to_string(index),
                 .expected = "a window below " + std::to_string(windows()) + " and room for exactly its data",
                 .found = std::to_string(out.size()) + " bytes of room"},
                ExitCode::usage);
  }
  const auto readable = payload_.subspan(begins_[index]);
  if (raw_[index]) {
    std::memcpy(out.data(), readable.data(), out.size());
    return;
  }
  const Outcome outcome = codec_->decode(readable, stored_bytes(index), out);
  if (!outcome.ok()) {
    fail(payload_at_ + begins_[index] + outcome.bytes,
         "a " + std::string(info(spec_.codec).name) + " stream of window " + std::to_string(index),
         std::string(text_of(outcome.status)));
  }
}

void FrameReader::decode(std::span<std::byte> out) {
  if (out.size() != sizes_.raw) {
    throw Error({.where = name_,
                 .expected = "room for " + std::to_string(sizes_.raw) + " bytes",
                 .found = std::to_string(out.size())},
                ExitCode::usage);
  }
  for (std::size_t i = 0; i < windows(); ++i) {
    decode_window(i, out.subspan(i * spec_.window, window_bytes(i)));
  }
  if (detail::hash(out) != hash_) {
    fail(32, "the hash of the data", "another: the payload is damaged");
  }
}

std::vector<std::byte> FrameReader::decode() {
  std::vector<std::byte> out(sizes_.raw);
  decode(out);
  return out;
}

}  // namespace wg::codec
