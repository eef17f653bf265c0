#include "host/cdma/lines.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <vector>

#include "base/rng.hpp"
#include "codec/bytes.hpp"
#include "codec/zvc.hpp"

namespace wg::host::cdma {
namespace {

constexpr std::uint64_t kBlock = 32;  // elements under one mask
constexpr std::uint64_t kMask = 4;    // bytes

class ConstantLines final : public LineSource {
 public:
  ConstantLines(Bytes line, double ratio) : size_(static_cast<double>(line.count()) / ratio) {}
  Line next() override {
    ++count_;
    const auto end = static_cast<std::uint64_t>(std::llround(size_ * static_cast<double>(count_)));
    const auto bytes = static_cast<std::uint32_t>(end - given_);
    given_ = end;
    return {bytes};
  }

 private:
  double size_;
  std::uint64_t count_ = 0;
  std::uint64_t given_ = 0;
};

class DensityLines final : public LineSource {
 public:
  DensityLines(Bytes line, std::size_t element, double density, std::uint64_t seed)
      : elements_(line.count() / element), element_(element), rng_(seed) {
    constexpr double kScale = 0x1p32;
    below_ = static_cast<std::uint64_t>(std::llround(std::clamp(density, 0.0, 1.0) * kScale));
  }
  Line next() override {
    std::uint64_t nonzero = 0;
    for (std::uint64_t i = 0; i < elements_; i += 2) {
      const std::uint64_t two = rng_.next();
      nonzero += (two & 0xFFFF'FFFF) < below_ ? 1 : 0;
      nonzero += i + 1 < elements_ && (two >> 32) < below_ ? 1 : 0;
    }
    // Masks of the blocks that begin in this line: one line can hold several blocks, or a part of one.
    const std::uint64_t blocks = (given_ + elements_ + kBlock - 1) / kBlock - (given_ + kBlock - 1) / kBlock;
    given_ += elements_;
    return {static_cast<std::uint32_t>(blocks * kMask + nonzero * element_)};
  }

 private:
  std::uint64_t elements_;
  std::uint64_t element_;
  std::uint64_t given_ = 0;  ///< elements so far
  std::uint64_t below_ = 0;  ///< an element is non-zero when 32 random bits are below
  Rng rng_;
};

class ZvcLines final : public LineSource {
 public:
  ZvcLines(std::span<const std::byte> data, Bytes line, std::size_t element)
      : data_(data), line_(line.count()), element_(element), out_(codec::zvc_bound(line_, element)) {}
  Line next() override {
    const std::span<const std::byte> raw = data_.first(std::min<std::size_t>(line_, data_.size()));
    data_ = data_.subspan(raw.size());
    const codec::Outcome done = codec::zvc_encode(raw, element_, out_);
    assert(done.ok());
    return {static_cast<std::uint32_t>(done.bytes), std::span(out_).first(done.bytes)};
  }

 private:
  std::span<const std::byte> data_;
  std::size_t line_;
  std::size_t element_;
  std::vector<std::byte> out_;
};

class WindowLines final : public LineSource {
 public:
  WindowLines(std::span<const std::byte> data, Bytes line, codec::CodecId codec, std::size_t element,
              std::size_t window)
      : data_(data),
        line_(line.count()),
        window_(window),
        codec_(codec::make_codec(codec, element)),
        out_(codec_->bound(window)) {}
  Line next() override {
    if (at_ == lines_) {
      const std::span<const std::byte> raw = data_.first(std::min(window_, data_.size()));
      data_ = data_.subspan(raw.size());
      lines_ = (raw.size() + line_ - 1) / line_;
      size_ = codec_->encode(raw, out_).bytes;
      at_ = 0;
    }
    const std::uint64_t begin = size_ * at_ / lines_;
    ++at_;
    return {static_cast<std::uint32_t>(size_ * at_ / lines_ - begin)};
  }

 private:
  std::span<const std::byte> data_;
  std::size_t line_;
  std::size_t window_;
  std::unique_ptr<codec::WindowCodec> codec_;
  std::vector<std::byte> out_;
  std::uint64_t at_ = 0;
  std::uint64_t lines_ = 0;  ///< of this window
  std::uint64_t size_ = 0;   ///< of this window, compressed
};

}  // namespace

std::unique_ptr<LineSource> constant_lines(Bytes line, double ratio) {
  assert(ratio > 0);
  return std::make_unique<ConstantLines>(line, ratio);
}

std::unique_ptr<LineSource> density_lines(Bytes line, std::size_t element, double density,
                                          std::uint64_t seed) {
  assert(codec::valid_element(element));
  return std::make_unique<DensityLines>(line, element, density, seed);
}

std::unique_ptr<LineSource> data_lines(std::span<const std::byte> data, Bytes line, codec::CodecId codec,
                                       std::size_t element, std::size_t window) {
  if (codec == codec::CodecId::zvc && codec::valid_element(element) &&
      line.count() % (kBlock * element) == 0) {
    return std::make_unique<ZvcLines>(data, line, element);
  }
  assert(window % line.count() == 0);
  return std::make_unique<WindowLines>(data, line, codec, element, window);
}

double zvc_density(double ratio, std::size_t element) {
  return std::clamp(1 / ratio - 1 / (8 * static_cast<double>(element)), 0.0, 1.0);
}

double zvc_ratio(double density, std::size_t element) {
  return 1 / (density + 1 / (8 * static_cast<double>(element)));
}

ZvcParser::ZvcParser(std::span<const std::byte> stream, Bytes raw, std::size_t element, Bytes line)
    : stream_(stream), left_(raw.count()), element_(element), line_(line.count()) {
  assert(codec::valid_element(element) && line.count() % (kBlock * element) == 0);
}

std::span<const std::byte> ZvcParser::next() {
  const std::uint64_t raw = std::min(left_, line_);
  std::size_t bytes = 0;
  for (std::uint64_t done = 0; done + element_ <= raw; done += kBlock * element_) {
    if (bytes + kMask > stream_.size()) {
      left_ = 0;
      return {};
    }
    const auto mask = codec::load<std::uint32_t>(stream_.data() + bytes);
    bytes += kMask + element_ * static_cast<std::size_t>(std::popcount(mask));
  }
  bytes += raw % element_;
  if (bytes > stream_.size()) {
    left_ = 0;
    return {};
  }
  const std::span<const std::byte> line = stream_.first(bytes);
  stream_ = stream_.subspan(bytes);
  left_ -= raw;
  return line;
}

}  // namespace wg::host::cdma
