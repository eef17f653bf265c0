// How arrays compress, as text for people and as JSON for scripts.
#pragma once

#include <span>
#include <string>

#include "codec/measure.hpp"

namespace wg::report {

/// Ratios of every array in every layout, one column a codec, and below them those of all arrays together.
/// With one array also the exact bytes and, a codec a line, how its windows spread.
std::string compression_text(std::span<const codec::MapFigures> maps);

/// One object, one line a map: `window_bytes`; `maps`, an array with `name`, `dtype`, `shape`, `raw_bytes`,
/// `elements`, `nonzeros`, `density`, `windows` and `codecs`; `totals` over the maps that have the layout. An
/// entry of `codecs` has `codec`, `layout`, `payload_bytes`, `ratio`, `framed_bytes`, `framed_ratio`,
/// `raw_windows` and `histogram` (see codec::WindowHistogram), deflate also `zlib_bytes`, its size in the
/// zlib format.
std::string compression_json(std::span<const codec::MapFigures> maps);

}  // namespace wg::report
