// What the fuzz targets do with their bytes. The seeds run through the same as ordinary tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wg::trace::fuzz {

/// Reads `bytes` as a kernel file to the end. A wg::Error is a fine answer; anything unsound in what is
/// handed out aborts. Returns the warp instructions read, or -1 after an error.
std::int64_t consume_kernel(std::string_view bytes);

/// Reads `bytes` as a native trace, every CTA of every kernel forwards and backwards. `verify`: compare
/// checksums, behind which few inputs get. Answers as above.
std::int64_t consume_native(std::string_view bytes, bool verify);

/// Reads `bytes` as a .tracez container. Answers as above.
std::int64_t consume_tracez(std::string_view bytes);

/// Reads `bytes` as a kernels list. Returns the number of its entries.
std::int64_t consume_list(std::string_view bytes);

}  // namespace wg::trace::fuzz
