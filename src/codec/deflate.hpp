// Raw deflate (RFC 1951, no zlib wrapper) of one window at a time, with state that is allocated once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "codec/outcome.hpp"

namespace wg::codec {

/// Bytes that the zlib format adds to one raw stream (RFC 1950: header and Adler-32).
inline constexpr std::size_t kZlibWrapper = 6;

class Deflate {
 public:
  /// `level` 1..9. Throws wg::Error (usage) for others, std::bad_alloc when zlib gets no memory.
  explicit Deflate(int level = 6);
  Deflate(Deflate&&) noexcept;
  Deflate& operator=(Deflate&&) noexcept;
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;
  ~Deflate();

  /// Independent of earlier calls. no_room comes without the needed size. `raw` is below 4 GiB.
  Outcome encode(std::span<const std::byte> raw, std::span<std::byte> out);
  /// Fills `raw` from `stream`, which must end where the data does.
  Outcome decode(std::span<const std::byte> stream, std::span<std::byte> raw);
  /// The most that encode writes.
  [[nodiscard]] std::size_t bound(std::size_t bytes) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wg::codec
