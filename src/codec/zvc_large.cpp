#include "codec/zvc_large.hpp"

#include <array>
#include <bit>
#include <cstring>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace wg::codec::detail {
namespace {

// Measured on Sapphire Rapids: longer steps or a longer way ahead are slower.
constexpr std::size_t kStep = 1024;   ///< bytes of data; whole blocks of every element size
constexpr std::size_t kAhead = 1024;  ///< bytes from the reading place to what is fetched
constexpr std::size_t kLine = 64;
/// The most that a step makes of bytes, which have the most masks.
constexpr std::size_t kStepBound = kStep + kStep / kBlockElements * kMaskBytes;

void fetch(const std::byte* at) {
  for (std::size_t i = 0; i < kStep; i += kLine) {
    __builtin_prefetch(at + i);
  }
}

/// Copies whole lines to an aligned place.
void stream_lines(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < bytes; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Collects output and writes it in whole, aligned lines.
class LineWriter {
 public:
  explicit LineWriter(std::byte* out) : out_(out) {}

  /// Where all that is committed ends in the output.
  [[nodiscard]] std::byte* end() const { return out_ + fill_; }
  /// Room for kStepBound bytes and the slack of a kernel.
  [[nodiscard]] std::byte* space() { return stage_.data() + fill_; }
  [[nodiscard]] std::byte* space_end() { return stage_.data() + stage_.size(); }

  /// Takes what lies in [space(), until).
  void commit(const std::byte* until) {
    fill_ = static_cast<std::size_t>(until - stage_.data());
    const std::size_t head = (kLine - std::bit_cast<std::uintptr_t>(out_) % kLine) % kLine;
    if (fill_ < head + kLine) {
      return;
    }
    std::memcpy(out_, stage_.data(), head);
    const std::size_t lines = (fill_ - head) / kLine * kLine;
    stream_lines(out_ + head, stage_.data() + head, lines);
    out_ += head + lines;
    fill_ -= head + lines;
    std::memmove(stage_.data(), stage_.data() + head + lines, fill_);
  }

  /// Writes the rest; the output is complete and ordered before what the caller does next.
  std::byte* finish() {
    std::memcpy(out_, stage_.data(), fill_);
#if defined(__x86_64__)
    _mm_sfence();
#endif
    return end();
  }

 private:
  alignas(kLine) std::array<std::byte, 2 * kLine + kStepBound + 2 * kSlack + block_bytes(8)> stage_;
  std::byte* out_;
  std::size_t fill_ = 0;  ///< below 2 * kLine between calls
};

}  // namespace

Cursor encode_past_caches(const Kernels& kernels, Cursor at, const std::byte* in_end, std::byte* out_end) {
  LineWriter writer(at.out);
  const std::byte* in = at.in;
  while (in_end - in >= std::ptrdiff_t{kAhead + kStep} &&
         out_end - writer.end() >= std::ptrdiff_t{kStepBound}) {
    fetch(in + kAhead);
    writer.commit(kernels.encode({in, writer.space()}, in + kStep, writer.space_end()).out);
    in += kStep;
  }
  return {in, writer.finish()};
}

Cursor decode_past_caches(const Kernels& kernels, Cursor at, const std::byte* in_end, std::byte* out_end) {
  LineWriter writer(at.out);
  const std::byte* in = at.in;
  while (in_end - in >= std::ptrdiff_t{kAhead + kStepBound + kSlack} &&
         out_end - writer.end() >= std::ptrdiff_t{kStep}) {
    fetch(in + kAhead);
    in = kernels.decode({in, writer.space()}, in_end, writer.space() + kStep).in;
    writer.commit(writer.space() + kStep);
  }
  return {in, writer.finish()};
}

}  // namespace wg::codec::detail
