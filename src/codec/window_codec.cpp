#include "codec/window_codec.hpp"

#include <array>
#include <string>

#include "base/error.hpp"
#include "codec/deflate.hpp"
#include "codec/rle.hpp"
#include "codec/zvc.hpp"

namespace wg::codec {
namespace {

class Zvc final : public WindowCodec {
 public:
  Zvc(std::size_t element, Simd simd) : element_(element), simd_(simd) {}
  [[nodiscard]] std::size_t bound(std::size_t bytes) const override { return zvc_bound(bytes, element_); }
  Outcome encode(std::span<const std::byte> raw, std::span<std::byte> out) override {
    return zvc_encode(raw, element_, out, simd_);
  }
  Outcome decode(std::span<const std::byte> readable, std::size_t stream_bytes,
                 std::span<std::byte> raw) override {
    return zvc_decode_within(readable, stream_bytes, element_, raw, simd_);
  }

 private:
  std::size_t element_;
  Simd simd_;
};

template <Rle Variant>
class RunLength final : public WindowCodec {
 public:
  RunLength(std::size_t element, Simd simd) : element_(element), simd_(simd) {}
  [[nodiscard]] std::size_t bound(std::size_t bytes) const override {
    return rle_bound(Variant, bytes, element_);
  }
  Outcome encode(std::span<const std::byte> raw, std::span<std::byte> out) override {
    return rle_encode(Variant, raw, element_, out, simd_);
  }
  Outcome decode(std::span<const std::byte> readable, std::size_t stream_bytes,
                 std::span<std::byte> raw) override {
    return rle_decode(Variant, readable.first(stream_bytes), element_, raw);
  }

 private:
  std::size_t element_;
  Simd simd_;
};

class DeflateWindows final : public WindowCodec {
 public:
  DeflateWindows(std::size_t, Simd) {}
  [[nodiscard]] std::size_t bound(std::size_t bytes) const override { return deflate_.bound(bytes); }
  Outcome encode(std::span<const std::byte> raw, std::span<std::byte> out) override {
    return deflate_.encode(raw, out);
  }
  Outcome decode(std::span<const std::byte> readable, std::size_t stream_bytes,
                 std::span<std::byte> raw) override {
    return deflate_.decode(readable.first(stream_bytes), raw);
  }

 private:
  Deflate deflate_;
};

template <class Part>
std::unique_ptr<WindowCodec> make(std::size_t element, Simd simd) {
  return std::make_unique<Part>(element, simd);
}

constexpr std::array kCodecs{
    CodecInfo{CodecId::zvc, "zvc", "a mask of 32 bits, then the elements that are not zero", make<Zvc>},
    CodecInfo{CodecId::rle16, "rle16", "runs of zeros and of values, 16-bit lengths",
              make<RunLength<Rle::rle16>>},
    CodecInfo{CodecId::rle8, "rle8", "runs of zeros and of values, 8-bit lengths",
              make<RunLength<Rle::rle8>>},
    CodecInfo{CodecId::rle_val, "rle_val", "runs of equal elements", make<RunLength<Rle::rle_val>>},
    CodecInfo{CodecId::rle_zero, "rle_zero", "runs of zeros in 7 bits, one bit before each value",
              make<RunLength<Rle::rle_zero>>},
    CodecInfo{CodecId::deflate, "deflate", "raw deflate, level 6", make<DeflateWindows>}};

}  // namespace

std::span<const CodecInfo> codecs() { return kCodecs; }

const CodecInfo& info(CodecId id) { return kCodecs[static_cast<std::size_t>(id)]; }

CodecId codec_named(std::string_view name) {
  std::string names;
  for (const CodecInfo& codec : kCodecs) {
    if (codec.name == name) {
      return codec.id;
    }
    names += (names.empty() ? "" : ", ") + std::string(codec.name);
  }
  throw Error({.where = "codec", .expected = "one of " + names, .found = '"' + std::string(name) + '"'},
              ExitCode::usage);
}

std::unique_ptr<WindowCodec> make_codec(CodecId id, std::size_t element, Simd simd) {
  if (!valid_element(element)) {
    throw Error({.where = "element size", .expected = "1, 2, 4 or 8 bytes", .found = std::to_string(element)},
                ExitCode::usage);
  }
  return info(id).make(element, simd);
}

}  // namespace wg::codec
