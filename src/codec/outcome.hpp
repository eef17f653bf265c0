// What a codec answers on its hot path: a value, never an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wg::codec {

enum class Status : std::uint8_t {
  ok,
  no_room,    ///< the output does not hold the result
  element,    ///< the element size is none of 1, 2, 4, 8
  truncated,  ///< the input ends before the data it announces
  trailing,   ///< input is left when all data has been produced
  tail_bits,  ///< a bit is set that belongs to no element
  token,      ///< a run of no length or beyond the end of the data
  deflate,    ///< zlib refuses the stream
};

/// What `status` means, to follow "found".
std::string_view text_of(Status status);

struct Outcome {
  Status status = Status::ok;
  /// ok: bytes written by an encoder, or read by a decoder. no_room of an encoder: bytes it needs, or 0 where
  /// only a full attempt would tell. Other failures of a decoder: where in its input it noticed.
  std::size_t bytes = 0;

  [[nodiscard]] bool ok() const { return status == Status::ok; }
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

}  // namespace wg::codec
