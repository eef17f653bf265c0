#include "codec/frame.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "codec/bytes.hpp"
#include "codec/frame_header.hpp"
#include "codec/zvc.hpp"

namespace wg::codec {

std::size_t index_unit(const FrameSpec& spec, std::size_t raw_bytes) {
  const bool aligned = spec.codec == CodecId::zvc && raw_bytes % spec.element == 0;
  return aligned ? std::min<std::size_t>(spec.element, 4) : 1;
}

std::size_t index_entry(const FrameSpec& spec, std::size_t raw_bytes) {
  return spec.window / index_unit(spec, raw_bytes) <= 0x8000 ? 2 : 4;
}

void require_valid_window(std::size_t window) {
  if (!valid_window(window)) {
    throw Error({.where = "window",
                 .expected = "a multiple of 256 bytes up to 1 MiB",
                 .found = std::to_string(window) + " bytes"},
                ExitCode::usage);
  }
}

FrameEncoder::FrameEncoder(const FrameSpec& spec, Simd simd)
    : spec_(spec), codec_(make_codec(spec.codec, spec.element, simd)) {
  require_valid_window(spec.window);
}

std::size_t FrameEncoder::bound(std::size_t raw_bytes, std::size_t meta_bytes) const {
  const std::size_t windows = detail::window_count(raw_bytes, spec_.window);
  return kFrameHeader + meta_bytes + windows * index_entry(spec_, raw_bytes) + raw_bytes;
}

/// Returns the stored size.
std::size_t FrameEncoder::encode_window(std::span<const std::byte> raw, std::span<std::byte> out,
                                        bool& stored_raw) {
  const std::size_t room = std::min(out.size(), codec_->bound(raw.size()) + detail::kFrameSlack);
  const Outcome outcome = codec_->encode(raw, out.first(room));
  stored_raw = !outcome.ok() || outcome.bytes >= raw.size();
  if (!stored_raw) {
    return outcome.bytes;
  }
  std::memcpy(out.data(), raw.data(), raw.size());
  return raw.size();
}

FrameSizes FrameEncoder::encode(std::span<const std::byte> raw, std::span<const std::byte> meta,
                                std::span<std::byte> out) {
  if (meta.size() > kMostMeta || out.size() < bound(raw.size(), meta.size())) {
    throw Error({.where = "container",
                 .expected = meta.size() > kMostMeta
                                 ? "meta data up to 64 KiB"
                                 : "room for " + std::to_string(bound(raw.size(), meta.size())) + " bytes",
                 .found = std::to_string(meta.size() > kMostMeta ? meta.size() : out.size()) + " bytes"},
                ExitCode::usage);
  }
  const std::size_t entry = index_entry(spec_, raw.size());
  const std::size_t unit = index_unit(spec_, raw.size());
  const std::size_t windows = detail::window_count(raw.size(), spec_.window);
  const auto index = out.subspan(kFrameHeader + meta.size(), windows * entry);
  const std::size_t payload_at = kFrameHeader + meta.size() + index.size();
  std::size_t at = payload_at;
  for (std::size_t i = 0; i < windows; ++i) {
    const auto window = raw.subspan(i * spec_.window, std::min(spec_.window, raw.size() - i * spec_.window));
    bool stored_raw = false;
    const std::size_t size = encode_window(window, out.subspan(at), stored_raw);
    detail::store_entry(index, i, entry, stored_raw ? 0 : size / unit, stored_raw);
    at += size;
  }
  if (!meta.empty()) {
    std::memcpy(out.data() + kFrameHeader, meta.data(), meta.size());
  }
  detail::store_header(out.first(payload_at), spec_,
                       {.entry = entry,
                        .unit = unit,
                        .raw = raw.size(),
                        .payload = at - payload_at,
                        .hash = detail::hash(raw),
                        .meta = meta.size()});
  return {raw.size(), at - payload_at, at};
}

std::vector<std::byte> FrameEncoder::encode(std::span<const std::byte> raw, std::span<const std::byte> meta) {
  std::vector<std::byte> out(bound(raw.size(), meta.size()));
  out.resize(encode(raw, meta, out).total);
  return out;
}

}  // namespace wg::codec
